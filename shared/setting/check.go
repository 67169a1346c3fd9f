package setting

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/pattern"
)

// Faults collects what is wrong, each fault under its variable's name.
type Faults struct{ errs []error }

// Add notes a fault where bad holds.
func (f *Faults) Add(bad bool, variable, format string, args ...any) {
	if bad {
		f.errs = append(f.errs, fmt.Errorf("%s: %s", variable, fmt.Sprintf(format, args...)))
	}
}

// Join takes faults that a package found by itself, already named by their variables.
func (f *Faults) Join(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// Err joins all faults; nil if there are none.
func (f *Faults) Err() error { return errors.Join(f.errs...) }

var projectID = pattern.Bounded(6, 30, `^[a-z][a-z0-9-]*[a-z0-9]$`)

// CheckProcess checks what every process needs.
func (c Config) CheckProcess(f *Faults) {
	f.Add(!projectID.MatchString(c.Process.Project), "GOOGLE_CLOUD_PROJECT", "%q is not a project ID", c.Process.Project)
	f.Add(c.Process.Grace < 0 || c.Process.Grace > 9*time.Minute, "ONCEWAY_GRACE", "%v is not between 0 and 9m", c.Process.Grace)
}

// CheckOnce checks what a process that handles events under claims needs: times are
// checked against each other, since a wrong pair lets two owners act.
func (c Config) CheckOnce(f *Faults) {
	o := c.Once
	c.checkClaims(f)
	for _, v := range []struct {
		name string
		d    time.Duration
	}{
		{"ONCEWAY_LEASE", o.Lease}, {"ONCEWAY_HANDLER_TIMEOUT", o.HandlerTimeout}, {"ONCEWAY_ACK_DEADLINE", o.AckDeadline},
		{"ONCEWAY_POLL", o.Poll}, {"ONCEWAY_RETENTION", o.Retention}, {"ONCEWAY_STORE_TIMEOUT", o.StoreTimeout},
		{"ONCEWAY_FINISH_BUDGET", o.FinishBudget}, {"ONCEWAY_DEADLETTER_RETENTION", c.Letters.Retention},
	} {
		f.Add(v.d <= 0, v.name, "%v is not positive", v.d)
	}
	f.Add(o.Margin < 0, "ONCEWAY_MARGIN", "%v is negative", o.Margin)
	f.Add(o.Wait < 0, "ONCEWAY_WAIT", "%v is negative", o.Wait)
	f.Add(o.SettleAfter < 0, "ONCEWAY_SETTLE_AFTER", "%v is negative", o.SettleAfter)
	f.Add(o.MaxAttempts < 1, "ONCEWAY_MAX_ATTEMPTS", "%d is below 1", o.MaxAttempts)
	f.Add(o.Slots < 1 || o.Slots > 1000, "ONCEWAY_CONCURRENCY", "%d is not between 1 and 1000", o.Slots)
	f.Add(o.Cache < 0, "ONCEWAY_CACHE", "%d is negative", o.Cache)
	f.Add(o.AckDeadline > 600*time.Second, "ONCEWAY_ACK_DEADLINE", "%v is over Pub/Sub's bound of 600s", o.AckDeadline)
	c.Letters.check(f)
}

// CheckPush checks the times of push delivery against each other.
func (c Config) CheckPush(f *Faults) {
	o := c.Once
	f.Add(o.HandlerTimeout >= o.Lease, "ONCEWAY_HANDLER_TIMEOUT", "%v is not shorter than ONCEWAY_LEASE %v: another delivery would take over while the handler runs", o.HandlerTimeout, o.Lease)
	need := o.Lease + o.HandlerTimeout + o.Margin
	f.Add(need > o.AckDeadline, "ONCEWAY_ACK_DEADLINE", "%v is shorter than ONCEWAY_LEASE %v + ONCEWAY_HANDLER_TIMEOUT %v + ONCEWAY_MARGIN %v = %v", o.AckDeadline, o.Lease, o.HandlerTimeout, o.Margin, need)
}

// checkClaims checks where claims and letters are kept.
func (c Config) checkClaims(f *Faults) {
	s := c.Store
	f.Add(!slices.Contains([]string{Firestore, Redis, Postgres, Memory}, s.Claims), "ONCEWAY_CLAIMS", "%q is none of firestore, redis, postgres, memory", s.Claims)
	f.Add(s.Claims == Redis && s.Redis == "", "ONCEWAY_REDIS_URL", "is needed with ONCEWAY_CLAIMS=redis")
	f.Add(s.Claims == Postgres && s.Postgres == "", "ONCEWAY_POSTGRES_URL", "is needed with ONCEWAY_CLAIMS=postgres")
	f.Add(s.Claims == Memory && c.Process.Service != "", "ONCEWAY_CLAIMS", "memory forgets claims on every restart and knows nothing of other instances: use firestore, redis or postgres on Cloud Run")
	f.Add(s.Claims == Memory && s.Capacity < 1, "ONCEWAY_MEMORY_CAPACITY", "%d is below 1", s.Capacity)
}

// CheckState checks where routing state, reservations and audit are kept.
func (c Config) CheckState(f *Faults) {
	s := c.Store
	f.Add(s.State != Firestore && s.State != Memory, "ONCEWAY_STATE", "%q is none of firestore, memory", s.State)
	f.Add(s.State == Memory && c.Process.Service != "", "ONCEWAY_STATE", "memory is one process's alone: use firestore on Cloud Run")
}

func (l Letters) check(f *Faults) {
	f.Add(!resource(l.Topic, "topics"), "ONCEWAY_DEADLETTER_TOPIC", "%q is neither a topic's name nor projects/P/topics/T", l.Topic)
}

var resourceID = pattern.Bounded(3, 255, `^[a-zA-Z][a-zA-Z0-9._~%+-]*$`)

// resource reports whether name is an ID or the full name of a resource of kind.
func resource(name, kind string) bool {
	if parts := strings.Split(name, "/"); len(parts) == 4 {
		return parts[0] == "projects" && parts[1] != "" && parts[2] == kind && resourceID.MatchString(parts[3])
	}
	return resourceID.MatchString(name)
}

// Full answers with name as projects/P/<kind>/name, kind being "topics" or "subscriptions".
func (c Config) Full(kind, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "projects/" + c.Process.Project + "/" + kind + "/" + name
}

// Pull is one subscription of the worker.
type Pull struct {
	Function     string // as FUNCTION_TARGET would name it
	Subscription string // "projects/P/subscriptions/S"
}

// Pulls reads ONCEWAY_SUBSCRIPTIONS.
func (c Config) Pulls(f *Faults) []Pull {
	const name = "ONCEWAY_SUBSCRIPTIONS"
	var pulls []Pull
	seen := make(map[string]bool)
	for _, entry := range c.Worker.Subscriptions {
		function, sub, ok := strings.Cut(strings.TrimSpace(entry), "=")
		if !ok || function == "" || !resource(sub, "subscriptions") {
			f.Add(true, name, "%q is not Function=subscription", entry)
			continue
		}
		sub = c.Full("subscriptions", sub)
		f.Add(seen[sub], name, "%s is there twice", sub)
		seen[sub] = true
		pulls = append(pulls, Pull{Function: function, Subscription: sub})
	}
	f.Add(len(c.Worker.Subscriptions) == 0, name, "nothing to pull")
	return pulls
}

// CheckWorker checks the worker's own bounds, and the lease against the handlers' time.
func (c Config) CheckWorker(f *Faults) {
	w, o := c.Worker, c.Once
	f.Add(w.Outstanding < 1 || w.Outstanding > 1000, "ONCEWAY_OUTSTANDING", "%d is not between 1 and 1000", w.Outstanding)
	f.Add(w.Heartbeat < 0 || w.Heartbeat > o.Lease/3, "ONCEWAY_HEARTBEAT", "%v is not between 0 and a third of ONCEWAY_LEASE %v", w.Heartbeat, o.Lease)
	f.Add(w.Heartbeat == 0 && o.HandlerTimeout >= o.Lease, "ONCEWAY_HANDLER_TIMEOUT", "%v is not shorter than ONCEWAY_LEASE %v, and ONCEWAY_HEARTBEAT is off", o.HandlerTimeout, o.Lease)
}
