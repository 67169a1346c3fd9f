package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"onceway.internal/shared/groups"
)

// Config of a Router.
type Config struct {
	Groups groups.Config // every queue with its project
	// Settings rule until the state holds its own.
	Settings Settings
	// CacheFor is how long a snapshot, or the failure to read one, serves. At most a second.
	CacheFor time.Duration
	// Period is how often Score runs.
	Period time.Duration
	// ReadTimeout and CommitTimeout bound the two round trips of an assignment.
	ReadTimeout   time.Duration
	CommitTimeout time.Duration
}

// DefaultConfig is the Config that the design gives for c.
func DefaultConfig(c groups.Config) Config {
	return Config{Groups: c, Settings: DefaultSettings(), CacheFor: time.Second, Period: time.Minute, ReadTimeout: 2 * time.Second, CommitTimeout: 5 * time.Second}
}

// Validate names every fault.
func (c Config) Validate() error {
	var errs []error
	if len(c.Groups.Groups) == 0 || c.Groups.DefaultTopic() == "" {
		errs = append(errs, errors.New("groups: there are none, or no default among them"))
	}
	for _, g := range c.Groups.Groups {
		for _, q := range g.Queues {
			if q.Project == "" {
				errs = append(errs, fmt.Errorf("groups: %s/%s has no project", g.ID, q.Name))
			}
		}
	}
	if err := c.Settings.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("settings: %w", err))
	}
	if c.CacheFor < 0 || c.CacheFor > time.Second {
		errs = append(errs, fmt.Errorf("cacheFor: %s is not between 0 and 1s", c.CacheFor))
	}
	if c.Period <= 0 {
		errs = append(errs, errors.New("period: must be more than 0"))
	}
	if c.ReadTimeout <= 0 || c.CommitTimeout <= 0 {
		errs = append(errs, errors.New("readTimeout, commitTimeout: must be more than 0"))
	}
	return errors.Join(errs...)
}

// Deps are what a Router works with.
type Deps struct {
	State State
	// Now is the host's clock: only differences are used, and the monotonic reading where there is one.
	Now func() time.Time
	// Rand answers from [0, 1); it is called under the router's lock.
	Rand func() float64
	// Token answers with something never answered before.
	Token func() string
	Log   *slog.Logger
}

// Router assigns campaigns. One per process; safe for concurrent use.
type Router struct {
	cfg   Config
	state State
	now   func() time.Time
	rand  func() float64
	token func() string
	log   *slog.Logger

	reading chan struct{} // holds one token while someone reads the state

	mu       sync.Mutex
	last     *board               // of the last read that succeeded; kept when later ones fail
	readAt   time.Time            // host time just before that read was sent
	triedAt  time.Time            // host time of the last read, successful or not
	down     error                // why the last read failed
	own      map[string][]*choice // by group, in order: choices that last may lack
	rotation *Rotation
	blank    *board // the groups as they are with nothing known
}

// choice is one of this process's own, counted from the moment it is made.
type choice struct {
	group string
	entry
	committed time.Time // store time; zero while the commit is under way
}

// New returns a Router. It reads nothing yet.
func New(c Config, d Deps) (*Router, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("route: %w", err)
	}
	if d.State == nil || d.Now == nil || d.Rand == nil || d.Token == nil || d.Log == nil {
		return nil, errors.New("route: a router needs a state, a clock, randomness, tokens and a log")
	}
	return &Router{
		cfg: c, state: d.State, now: d.Now, rand: d.Rand, token: d.Token, log: d.Log,
		reading: make(chan struct{}, 1), own: make(map[string][]*choice), rotation: NewRotation(),
		blank: newBoard(c.Groups, Snapshot{}, c.Settings),
	}, nil
}

// Groups is the configuration that the router works with.
func (r *Router) Groups() groups.Config { return r.cfg.Groups }

// Preview answers what Assign would choose now, and records nothing.
func (r *Router) Preview(ctx context.Context, c Campaign) (Assignment, error) {
	if err := c.Validate(); err != nil {
		return Assignment{}, fmt.Errorf("preview: %w", err)
	}
	if err := r.refresh(ctx); err != nil {
		return Assignment{}, fmt.Errorf("preview: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.choose(c, r.rotation.clone())
}

// View is every group as it stands now, for people.
type View struct {
	At         time.Time // store time; zero when the state was never read
	Policy     Policy
	Mode       Mode
	Candidates []Candidate
	Live       groups.Live
	Figures    Figures
	// Down is why the state can't be read; nil when it can. The rest is then as last known.
	Down error
}

// View reads the state, at most once a second, and shows it.
func (r *Router) View(ctx context.Context) (View, error) {
	if err := r.refresh(ctx); err != nil {
		return View{}, fmt.Errorf("view groups: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	v := View{Policy: r.cfg.Settings.Policy, Mode: r.cfg.Settings.Mode, Down: r.down}
	if r.last == nil {
		return v, nil
	}
	v.At = r.storeNow()
	v.Policy, v.Mode = r.last.settings.Policy, r.last.settings.Mode
	v.Live, v.Figures = r.last.snap.Live, r.last.snap.Figures
	v.Candidates = r.last.rank(groups.Eligible(r.cfg.Groups, v.Live, "", v.At), r.ownEntries(), 0, v.At)
	return v, nil
}

// storeNow is the store's clock as this process knows it: the last read's time
// plus what has elapsed since. Zero before any read. The caller holds mu.
func (r *Router) storeNow() time.Time {
	if r.last == nil {
		return time.Time{}
	}
	return r.last.snap.At.Add(r.now().Sub(r.readAt))
}

// ownEntries are the own choices by group, in order. The caller holds mu.
func (r *Router) ownEntries() map[string][]entry {
	by := make(map[string][]entry, len(r.own))
	for g, cs := range r.own {
		es := make([]entry, len(cs))
		for i, c := range cs {
			es[i] = c.entry
		}
		by[g] = es
	}
	return by
}
