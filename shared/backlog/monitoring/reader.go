package monitoring

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"onceway.internal/shared/backlog"
)

// maxNames is how many names the service takes in one filter.
const maxNames = 100

// Metrics of a subscription, without their common prefix.
const (
	undelivered = "num_undelivered_messages"
	oldest      = "oldest_unacked_message_age"
	acked       = "ack_message_count"
)

// Config is what a Reader is made from. Only Dial is required.
type Config struct {
	Dial Dial
	// Window is how far back points are asked for: figures older than that
	// count as none. Default 10 minutes.
	Window time.Duration
	// Timeout bounds one listing, its pages and the client library's own retries included. Default 20 s.
	Timeout time.Duration
	// Page is how many points are asked for in one page. Default 10,000: a
	// hundred subscriptions of ten minutes need 1,000 to 2,000.
	Page int
	// Pages bounds the pages of one listing; more is an error. Default 50.
	Pages int
	// Parallel is how many calls are under way at once. Default 6.
	Parallel int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Reader is a backlog.Source on Cloud Monitoring.
type Reader struct{ cfg Config }

// NewReader returns a Reader; it connects at the first Read.
func NewReader(cfg Config) (*Reader, error) {
	cfg.Window = cmp.Or(cfg.Window, 10*time.Minute)
	cfg.Timeout = cmp.Or(cfg.Timeout, 20*time.Second)
	cfg.Page = cmp.Or(cfg.Page, 10_000)
	cfg.Pages = cmp.Or(cfg.Pages, 50)
	cfg.Parallel = cmp.Or(cfg.Parallel, 6)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Dial == nil || cfg.Window < 0 || cfg.Timeout < 0 || cfg.Page < 0 || cfg.Pages < 0 || cfg.Parallel < 0 {
		return nil, errors.New("monitoring reader needs a dial and no negative bounds")
	}
	return &Reader{cfg: cfg}, nil
}

// Read asks for every metric of every queue. See backlog.Source.
func (r *Reader) Read(ctx context.Context, queues []backlog.Queue) backlog.Reading {
	found := &findings{points: map[place]points{}}
	if len(queues) == 0 {
		return backlog.Reading{}
	}
	c, err := r.cfg.Dial(ctx)
	if err != nil {
		return backlog.Reading{Errors: []*backlog.Error{{Part: "client", Code: codes.Unavailable, Hides: true, Err: err}}}
	}
	to := r.cfg.Now()
	var calls errgroup.Group
	calls.SetLimit(r.cfg.Parallel)
	for project, names := range byProject(queues) {
		for _, metric := range []string{undelivered, oldest, acked} {
			for some := range slices.Chunk(names, maxNames) {
				calls.Go(func() error {
					r.list(ctx, c, request{project: project, metric: metric, names: some, to: to}, found)
					return nil // failures are findings: one project's must not stop another's
				})
			}
		}
	}
	_ = calls.Wait()
	return found.reading(queues)
}

// byProject lists each project's subscriptions, sorted, each once.
func byProject(queues []backlog.Queue) map[string][]string {
	names := map[string][]string{}
	for _, q := range queues {
		names[q.Project] = append(names[q.Project], q.Subscription)
	}
	for p := range names {
		slices.Sort(names[p])
		names[p] = slices.Compact(names[p])
	}
	return names
}
