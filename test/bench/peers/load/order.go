package load

// Kinds of orders.
const (
	First  = "first"
	Repeat = "repeat"
	Race   = "race"
)

// Order is what to do next.
type Order struct {
	Kind     string `json:"kind"`
	Parallel int    `json:"parallel"`         // callers, each with one call at a time
	Millis   int    `json:"millis,omitempty"` // how long; not for a race
	Space    string `json:"space"`            // begins the keys: no two orders to one store share it
}

// Report is what came of an order.
type Report struct {
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
	// Latency is what calls took, in microseconds and in order: of each part of
	// them alike, at most a thousand.
	Latency []float64 `json:"latency"`
	CPU     float64   `json:"cpu"` // seconds of the process, while it called
	// Effects is how often the guarded function ran, warm-up of repeats excluded.
	Effects int `json:"effects"`
	// InFlight is how many calls of a race were sent away since another call with
	// their key still ran.
	InFlight int `json:"inFlight,omitempty"`
	// Fault says what was wrong: a call failed, a function ran too often or not at
	// all, a repeat got another answer than the first call.
	Fault string `json:"fault,omitempty"`
}
