package backlog

import (
	"fmt"

	"google.golang.org/grpc/codes"
)

// Error is a part of a reading that failed. What it says may be shown to people:
// its Err's text comes from the service and can hold names, so only Code, Project
// and Part go into answers of functions.
type Error struct {
	Project string     // whose queues have no figures; empty when it is not about a project
	Part    string     // what was read, as "num_undelivered_messages" or "counters"
	Code    codes.Code // ResourceExhausted: quota; PermissionDenied; DeadlineExceeded; …
	Err     error
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
