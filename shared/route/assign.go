package route

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Assign chooses a group for c and records the choice. A campaign that was
// assigned before gets the answer it got then (Repeated). It blocks for one
// round trip, and at most once a second for another.
//
// Where the store did not take the record, the answer says so (Recorded false)
// and a later call may answer otherwise. Errors: an invalid campaign, ErrNoGroup,
// the end of ctx.
func (r *Router) Assign(ctx context.Context, c Campaign) (Assignment, error) {
	if err := c.Validate(); err != nil {
		return Assignment{}, fmt.Errorf("assign: %w", err)
	}
	if err := r.refresh(ctx); err != nil {
		return Assignment{}, fmt.Errorf("assign %s: %w", c.ID, err)
	}
	a, own, err := r.take(c)
	if err != nil {
		return r.closed(ctx, c, err)
	}
	a, err = r.record(ctx, a, own)
	if a.Rule == ByOverflow && !a.Repeated {
		r.alarm(a)
	}
	return a, err
}

// closed is for when no group may take c: an answer that it got before stands.
func (r *Router) closed(ctx context.Context, c Campaign, cause error) (Assignment, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.ReadTimeout)
	defer cancel()
	if a, _, err := r.state.Assignment(ctx, c.ID); err == nil {
		a.Recorded, a.Repeated = true, true
		return a, nil
	}
	r.alarm(Assignment{Campaign: c.ID})
	return Assignment{}, fmt.Errorf("assign %s: %w", c.ID, cause)
}

func (r *Router) alarm(a Assignment) {
	r.log.Error("every group is closed to this customer", "event", "routing.overflow", "campaign", a.Campaign, "topic", a.Topic)
}

// record commits the choice, and finds out what became of it.
func (r *Router) record(ctx context.Context, a Assignment, own *choice) (Assignment, error) {
	if a.At.IsZero() { // without the store's clock there is no bucket to count it in
		return a, nil
	}
	at, err := r.commit(ctx, a)
	if err != nil {
		return r.resolve(ctx, a, own, err)
	}
	r.committed(own, at)
	a.Recorded = true
	return a, nil
}

// commitTries and commitPause bound how a commit is tried again: stores refuse
// some under contention. The same record may be sent any number of times, since
// its campaign is created once.
const (
	commitTries = 6
	commitPause = 20 * time.Millisecond // doubled each time, half of it at random
)

func (r *Router) commit(ctx context.Context, a Assignment) (time.Time, error) {
	limit := r.cfg.CommitTimeout
	if a.unread {
		limit = min(limit, r.cfg.ReadTimeout) // the store is probably down: the answer needn't wait for it
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for try := 1; ; try++ {
		at, err := r.state.Commit(ctx, a)
		if err == nil || errors.Is(err, ErrAssigned) || try == commitTries || ctx.Err() != nil {
			return at, err
		}
		if r.pause(ctx, commitPause<<(try-1)) != nil {
			return time.Time{}, err
		}
	}
}

func (r *Router) pause(ctx context.Context, d time.Duration) error {
	r.mu.Lock()
	t := time.NewTimer(d/2 + time.Duration(r.rand()*float64(d)))
	r.mu.Unlock()
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take chooses and counts the choice at once, so that whoever chooses next sees it.
func (r *Router) take(c Campaign) (Assignment, *choice, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, err := r.choose(c, r.rotation)
	if err != nil || a.Group == "" || a.At.IsZero() {
		return a, nil, err
	}
	own := &choice{group: a.Group, entry: entry{at: a.At, size: float64(a.Size)}}
	r.own[a.Group] = append(r.own[a.Group], own)
	return a, own, nil
}

// resolve finds out what became of a commit that was not answered with success:
// the record is ours only if it holds our token.
func (r *Router) resolve(ctx context.Context, a Assignment, own *choice, cause error) (Assignment, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.cfg.ReadTimeout)
	defer cancel()
	stored, at, err := r.state.Assignment(ctx, a.Campaign)
	if err == nil && stored.Token == a.Token {
		r.committed(own, at)
		a.Recorded = true
		return a, nil
	}
	r.takeBack(own)
	if err == nil {
		stored.Recorded, stored.Repeated = true, true
		return stored, nil
	}
	r.log.Error("assignment is not recorded", "event", "routing.not-recorded", "campaign", a.Campaign, "cause", cause, "error", err)
	return a, nil
}
