package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/route"
)

// Health is what can be seen from inside.
type Health struct {
	At     time.Time `json:"at"`
	Worst  string    `json:"worst"` // ok, warn, fail
	Checks []Check   `json:"checks"`
	Facts  []Fact    `json:"facts"`
}

// Check is one of the things that were looked at.
type Check struct {
	Name   string  `json:"name"`
	Status string  `json:"status"` // ok, warn, fail
	Detail string  `json:"detail"`
	Millis float64 `json:"milliseconds,omitempty"` // what the store took to answer
}

// The statuses.
const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

// checkLimit bounds each check, so that the page says what is down while it is down.
const checkLimit = 3 * time.Second

// scanned is how many records of a state are looked at.
const scanned = 200

type finding struct{ status, detail string }

func fine(format string, args ...any) finding { return finding{statusOK, fmt.Sprintf(format, args...)} }
func warned(format string, args ...any) finding {
	return finding{statusWarn, fmt.Sprintf(format, args...)}
}
func failed(format string, args ...any) finding {
	return finding{statusFail, fmt.Sprintf(format, args...)}
}

func (h *Handler) readHealth(ctx context.Context) Health {
	looks := []struct {
		name  string
		timed bool
		look  func(context.Context) (finding, error)
	}{
		{"Routing state", true, h.checkState},
		{"Scoring", false, h.checkScoring},
		{"Monitoring lag", false, h.checkLag},
		{"Claims", true, h.checkParked},
		{"Dead claims", true, h.checkDead},
		{"Stranded claims", false, h.checkStranded},
		{"Unreadable claims", false, h.checkUnreadable},
		{"Dead letters", true, h.checkLetters},
		{"Audit log", true, h.checkAudit},
	}
	out := Health{At: h.Now(), Worst: statusOK, Checks: make([]Check, len(looks)), Facts: append([]Fact{}, h.Facts...)}
	var all sync.WaitGroup
	for i, l := range looks {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, checkLimit)
			defer cancel()
			begun := h.Now()
			f, err := l.look(ctx)
			c := Check{Name: l.name, Status: f.status, Detail: f.detail}
			if err != nil {
				h.Log.WarnContext(ctx, "health check failed", "event", "console.health", "check", l.name, "error", err)
				c.Status, c.Detail = statusFail, "The store did not answer, or not within 3 s. The log has the cause."
			} else if l.timed {
				c.Millis = max(0.1, float64(h.Now().Sub(begun).Microseconds())/1000)
			}
			out.Checks[i] = c
		})
	}
	all.Wait()
	for _, c := range out.Checks {
		if c.Status == statusFail || c.Status == statusWarn && out.Worst == statusOK {
			out.Worst = c.Status
		}
	}
	return out
}

// clockSkew is how far this host's clock may be from the store's. Leases don't depend
// on it; times in traces and logs do.
const clockSkew = 5 * time.Second

func (h *Handler) checkState(ctx context.Context) (finding, error) {
	s, err := h.State.Read(ctx, h.Now())
	if err != nil {
		return finding{}, err
	}
	if skew := s.At.Sub(h.Now()); skew.Abs() > clockSkew {
		return warned("Read, but this machine's clock is %s from the store's.", Words(skew.Abs())), nil
	}
	return fine("Read, with the store's clock within %s of this machine's.", Words(clockSkew)), nil
}

func (h *Handler) checkScoring(ctx context.Context) (finding, error) {
	past, err := h.State.History(ctx, h.Now().Add(-time.Hour))
	if err != nil {
		return finding{}, err
	}
	if len(past) == 0 {
		return warned("Score has not run within the last hour: groups are chosen by capacity alone."), nil
	}
	age := h.Now().Sub(past[len(past)-1].At)
	if age > 3*h.Period {
		return warned("Score ran %s ago, and should each %s.", Words(age), Words(h.Period)), nil
	}
	return fine("Score ran %s ago, as it should each %s.", Words(age), Words(h.Period)), nil
}

func (h *Handler) checkLag(ctx context.Context) (finding, error) {
	v, err := h.Router.View(ctx)
	if err == nil {
		err = v.Down
	}
	if err != nil {
		return finding{}, err
	}
	states := map[route.Data]int{}
	var newest, oldest time.Duration
	for _, g := range h.Groups.Groups {
		for _, q := range g.Queues {
			f := v.Figures[g.ID][q.Name]
			states[f.Data(v.At)]++
			if age := v.At.Sub(f.At); !f.At.IsZero() {
				if oldest = max(oldest, age); newest == 0 || age < newest {
					newest = age
				}
			}
		}
	}
	text := fmt.Sprintf("Newest sample %s old, oldest %s. Queues: %d fresh, %d zero, %d stale, %d missing, %d never seen.",
		Words(newest), Words(oldest), states[route.Fresh], states[route.Zero], states[route.Stale], states[route.Missing], states[route.Never])
	if states[route.Stale]+states[route.Missing] > 0 {
		return warned("%s", text), nil
	}
	return fine("%s", text), nil
}

func (h *Handler) checkParked(ctx context.Context) (finding, error) {
	records, next, err := h.Lister.List(ctx, claim.Indeterminate, "", scanned)
	if err != nil {
		return finding{}, err
	}
	if n := count(len(records), next); n != "0" {
		return warned("%s that may have acted: waiting for a person, or for a handler that can verify.", n), nil
	}
	return fine("None waits for a person."), nil
}

func (h *Handler) checkDead(ctx context.Context) (finding, error) {
	records, next, err := h.Lister.List(ctx, claim.Dead, "", scanned)
	if err != nil {
		return finding{}, err
	}
	if n := count(len(records), next); n != "0" {
		return warned("%s given up. Letters that are stored can be replayed.", n), nil
	}
	return fine("None was given up."), nil
}

// checkStranded looks for claims whose event should have come again by now.
func (h *Handler) checkStranded(ctx context.Context) (finding, error) {
	n, more := 0, ""
	for _, s := range []claim.State{claim.Retry, claim.Claimed, claim.Effect} {
		records, next, err := h.Lister.List(ctx, s, "", scanned)
		if err != nil {
			return finding{}, err
		}
		for _, r := range records {
			if r.Now.Sub(r.Written) > r.Lease+h.Horizon {
				n++
			}
		}
		more += next
	}
	switch {
	case n > 0:
		return failed("%d past their lease, and nothing redelivers them. Sweep reports each in its log.", n), nil
	case more != "":
		return fine("None among the oldest of each state."), nil
	}
	return fine("None."), nil
}

func (h *Handler) checkUnreadable(ctx context.Context) (finding, error) {
	records, next, err := h.Lister.List(ctx, "", "", scanned)
	if err != nil {
		return finding{}, err
	}
	if n := count(len(records), next); n != "0" {
		return failed("%s. They are held, never taken as free.", n), nil
	}
	return fine("None."), nil
}

func (h *Handler) checkLetters(ctx context.Context) (finding, error) {
	all, next, err := h.Letters.List(ctx, "", scanned)
	if err != nil {
		return finding{}, err
	}
	if n := count(len(all), next); n != "0" {
		return warned("%s stored, the newest %s old.", n, Words(h.Now().Sub(all[0].PublishedAt))), nil
	}
	return fine("None is stored."), nil
}

func (h *Handler) checkAudit(ctx context.Context) (finding, error) {
	if _, _, err := h.Audit.List(ctx, "", 1); err != nil {
		return finding{}, err
	}
	return fine("Read. Changes are refused while it can't be written."), nil
}

func count(n int, next string) string {
	if next != "" {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}
