package monitoring

import (
	"errors"
	"time"
)

// Figures are the truth about one subscription at the moment of asking.
type Figures struct {
	Undelivered   int64         // messages not yet acknowledged
	OldestUnacked time.Duration // age of the oldest of them
	// AckedPull and AckedPush count acknowledged messages since the source began; they never fall.
	AckedPull, AckedPush int64
}

// Source tells the truth about every subscription, by its full name
// "projects/P/subscriptions/S". It is called once for each sample and may be
// called from any goroutine, never from two at once.
type Source func() map[string]Figures

// Config is what a Server is made from. Only Source is required.
type Config struct {
	Source Source
	// Period is the time between two samples. Default 60 s.
	Period time.Duration
	// MinLag and MaxLag bound how long a sample stays invisible; each sample
	// draws its own lag, and none overtakes an earlier one. Default 60 and 120 s,
	// or one and two periods where Period is set.
	MinLag, MaxLag time.Duration
	// Spacing is the least time between two written points of one series.
	// Default a twelfth of Period, as 5 s are of the service's minute.
	Spacing time.Duration
	// Keep is how many points each series keeps. Default 1,500.
	Keep int
	// Scopes lists the projects whose series a project shows beside its own, as a
	// metrics scope does.
	Scopes map[string][]string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

func (c Config) complete() (Config, error) {
	if c.Period == 0 {
		c.Period = time.Minute
	}
	if c.MinLag == 0 && c.MaxLag == 0 {
		c.MinLag, c.MaxLag = c.Period, 2*c.Period
	}
	if c.Spacing == 0 {
		c.Spacing = c.Period / 12
	}
	if c.Keep == 0 {
		c.Keep = 1500
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	var faults []error
	if c.Source == nil {
		faults = append(faults, errors.New("the source is missing"))
	}
	if c.Period < 0 {
		faults = append(faults, errors.New("the period is negative"))
	}
	if c.MinLag < 0 || c.MaxLag < c.MinLag {
		faults = append(faults, errors.New("the lags are no range"))
	}
	if c.Spacing < 0 || c.Keep < 0 {
		faults = append(faults, errors.New("spacing or keep is negative"))
	}
	return c, errors.Join(faults...)
}
