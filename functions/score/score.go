package score

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Store is the part of route.Store that Score works on; see there.
type Store interface {
	Read(ctx context.Context, retiringAfter time.Time) (route.Snapshot, error)
	PutFigures(ctx context.Context, f route.Figures) (route.Figures, error)
	PutRecommendations(ctx context.Context, rs []route.Recommendation) error
	PutHistory(ctx context.Context, p route.Past) error
}

// Gauges takes what is written back; *monitoring.Writer is one.
type Gauges interface {
	Write(ctx context.Context, gauges []monitoring.Gauge) (monitoring.Written, error)
}

// Config is what a Handler is made from.
type Config struct {
	Groups groups.Config // every queue with its project: see groups.Config.InProject
	Source backlog.Source
	Store  Store
	Gauges Gauges // nil: none are written
	Log    *slog.Logger
	// Period is how often a run is asked for. Default 1 min.
	Period time.Duration
	// Timeout bounds a run. Default 50 s: a run a minute never piles up.
	Timeout time.Duration
	// Now measures how long a run takes and, added to the store's time, what time
	// it is there. nil means time.Now.
	Now func() time.Time
}

func (c Config) complete() (Config, error) {
	var faults []error
	if len(c.Groups.Groups) == 0 {
		faults = append(faults, errors.New("groups: at least one group is needed"))
	}
	for _, g := range c.Groups.Groups {
		for _, q := range g.Queues {
			if q.Project == "" || q.Subscription == "" {
				faults = append(faults, fmt.Errorf("groups: queue %s of %s needs a project and a subscription", q.Name, g.ID))
			}
		}
	}
	if c.Source == nil {
		faults = append(faults, errors.New("source: needed"))
	}
	if c.Store == nil {
		faults = append(faults, errors.New("store: needed"))
	}
	if c.Log == nil {
		faults = append(faults, errors.New("log: needed"))
	}
	if c.Period < 0 {
		faults = append(faults, fmt.Errorf("period: %v is negative", c.Period))
	}
	if c.Period == 0 {
		c.Period = time.Minute
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Errorf("timeout: %v is negative", c.Timeout))
	}
	if c.Timeout == 0 {
		c.Timeout = 50 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, errors.Join(faults...)
}

// Handler is the function. It serves HTTP; Run does the same without.
type Handler struct{ cfg Config }

// New returns a Handler.
func New(cfg Config) (*Handler, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, fmt.Errorf("configure score: %w", err)
	}
	return &Handler{cfg: cfg}, nil
}
