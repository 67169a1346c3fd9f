package envelope

import (
	"errors"
	"fmt"
)

// MaxBody is the largest request body that is read: the 10 MB of a Pub/Sub
// message, in base64, with room for its attributes.
const MaxBody = 16 << 20

var (
	// ErrMalformed says that a request holds none of the known envelopes, or one
	// without a message ID. Its text says what was expected, never what came.
	ErrMalformed = errors.New("malformed envelope")
	// ErrTooLarge says that a body is larger than MaxBody.
	ErrTooLarge = fmt.Errorf("body is larger than %d bytes", MaxBody)
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: expected %s", ErrMalformed, fmt.Sprintf(format, args...))
}
