package reply

import (
	"encoding/json"
	"fmt"
	"net/http"

	"onceway.internal/shared/pattern"
)

// Error says why a call of the Chat API failed.
type Error struct {
	Op     string
	Status int    // 0 when there was no answer
	Reason string // the API's own word, such as PERMISSION_DENIED; may be empty
	Err    error  // when there was no answer
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s: Chat answered %d %s", e.Op, e.Status, e.Reason)
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether trying again may help. A token may have been revoked
// in the middle (401); a space that the app was removed from stays lost.
func (e *Error) Temporary() bool {
	switch e.Status {
	case 0, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500
}

var apiWord = pattern.Lazy(`^[A-Z_]{1,40}$`)

// reason takes nothing but the API's own status word out of an error's body, which
// may quote what was sent.
func reason(body []byte) string {
	var e struct {
		Error struct {
			Status string `json:"status"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil || !apiWord.MatchString(e.Error.Status) {
		return ""
	}
	return e.Error.Status
}
