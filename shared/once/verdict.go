package once

import (
	"errors"
	"fmt"
)

// ErrResultTooLarge answers SetResult beyond claim.MaxResult.
var ErrResultTooLarge = errors.New("result is too large to keep")

// RetryError, PermanentError and NoEffectError are verdicts: what a handler's
// error means. They are matched by type, through wrapping.
type (
	// RetryError says that trying again may help. An unmarked error means the same.
	RetryError struct{ Err error }
	// PermanentError says that trying again can't help; Reason is a word for people and metrics.
	PermanentError struct {
		Err    error
		Reason string
	}
	// NoEffectError says that the outside world certainly did not change, even
	// though an at-most-once effect had begun: the only error that retries then.
	NoEffectError struct{ Err error }
)

func (e *RetryError) Error() string     { return e.Err.Error() }
func (e *RetryError) Unwrap() error     { return e.Err }
func (e *PermanentError) Error() string { return fmt.Sprintf("%s: %v", e.Reason, e.Err) }
func (e *PermanentError) Unwrap() error { return e.Err }
func (e *NoEffectError) Error() string  { return e.Err.Error() }
func (e *NoEffectError) Unwrap() error  { return e.Err }

// Retry marks err as worth another try. Retry(nil) is nil.
func Retry(err error) error {
	if err == nil {
		return nil
	}
	return &RetryError{Err: err}
}

// Permanent marks err as one that no retry can mend. Permanent(nil, …) is nil.
func Permanent(err error, reason string) error {
	if err == nil {
		return nil
	}
	return &PermanentError{Err: err, Reason: reason}
}

// NoEffect marks err as having left the outside world as it was. NoEffect(nil) is nil.
func NoEffect(err error) error {
	if err == nil {
		return nil
	}
	return &NoEffectError{Err: err}
}
