package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

// ErrPage answers a List whose page was not one that List gave.
var ErrPage = errors.New("unknown audit page")

// Log keeps entries. Methods block until the store answers or ctx ends and are
// safe for concurrent use.
type Log interface {
	// Record stores e. An ID that is there already keeps its first entry, and
	// that is success: the caller may repeat a Record whose fate it does not know.
	Record(ctx context.Context, e Entry) error

	// List pages through the entries, newest first, those of one moment in a
	// stable order. page is empty for the first page, then the next that was
	// answered; an empty next ends it. limit is 1 to 1000. Entries recorded while paging
	// are newer and don't disturb it.
	List(ctx context.Context, page string, limit int) (entries []Entry, next string, err error)
}

// Cursor says behind which entry a page starts: Key orders entries of the same
// moment. Backends share it so that a page token means the same everywhere.
type Cursor struct {
	At  time.Time
	Key string
}

// Page is the token of a page that starts behind c.
func (c Cursor) Page() string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.At.UTC().Format(time.RFC3339Nano) + " " + c.Key))
}

// ParsePage reads a token. ok is false for the first page.
func ParsePage(page string) (c Cursor, ok bool, err error) {
	if page == "" {
		return Cursor{}, false, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(page)
	if err != nil {
		return Cursor{}, false, ErrPage
	}
	at, key, found := strings.Cut(string(raw), " ")
	if !found || key == "" {
		return Cursor{}, false, ErrPage
	}
	if c.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return Cursor{}, false, ErrPage
	}
	c.Key = key
	return c, true, nil
}

// Limit brings a List limit into its bounds.
func Limit(n int) int { return min(max(n, 1), 1000) }
