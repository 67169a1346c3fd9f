package doctor

// Status says how a check ended.
type Status string

// The statuses. Only Error makes ctl doctor fail.
const (
	OK        Status = "ok"
	Warning   Status = "warning"
	Error     Status = "error"
	Unchecked Status = "unchecked"
)

// Finding is one thing that a check has to say.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Subject string `json:"subject,omitempty"` // what it is about
	What    string `json:"what"`
	Fix     string `json:"fix,omitempty"` // a command, ready to be run
}

// Failed reports whether any finding is an error.
func Failed(all []Finding) bool {
	for _, f := range all {
		if f.Status == Error {
			return true
		}
	}
	return false
}
