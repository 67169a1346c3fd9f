package backlog

import (
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
)

// Error is a part of a reading that failed. What it says may be shown to people:
// its Err's text comes from the service and can hold names, so only Code, Project
// and Part go into answers of functions.
type Error struct {
	Project string     // whose queues have no figures; empty when it is not about a project
	Part    string     // what was read, as "num_undelivered_messages" or "counters"
	Code    codes.Code // ResourceExhausted: quota; PermissionDenied; DeadlineExceeded; …
	// Hides says that queues of the project (of all, when it is empty) may lack
	// their sample because of this, not for having none.
	Hides bool
	Err   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("read %s of project %q: %s: %v", e.Part, e.Project, e.Code, e.Err)
}

// Unwrap gives the service's own error.
func (e *Error) Unwrap() error { return e.Err }

// Quota reports whether the service refused because of a quota.
func (e *Error) Quota() bool { return e.Code == codes.ResourceExhausted }

// Forbidden reports whether credentials or permissions are missing: waiting doesn't help.
func (e *Error) Forbidden() bool {
	return e.Code == codes.PermissionDenied || e.Code == codes.Unauthenticated
}

// Unknown reports whether the reading can't tell if q has a sample: it holds
// none, and something failed that would have brought it. Otherwise a queue
// without a sample has none.
func (r Reading) Unknown(q Queue) bool {
	if _, ok := r.Samples[q]; ok {
		return false
	}
	return slices.ContainsFunc(r.Errors, func(e *Error) bool {
		return e.Hides && (e.Project == "" || e.Project == q.Project)
	})
}
