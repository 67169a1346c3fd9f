package envelope

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

const (
	contentTypeHeader = "Content-Type"
	specVersionHeader = "Ce-Specversion"
	messageIDHeader   = "X-Goog-Pubsub-Message-Id"
)

// FromRequest reads a push request, whichever form it has. Errors match
// ErrMalformed or ErrTooLarge; any other means that the body could not be read
// to its end (the client went away), and says nothing about the message.
//
// The order of the checks matters: without the wrapper, a message's own ce-*
// attributes and content type look like those of a CloudEvent over HTTP.
func FromRequest(r *http.Request) (*Message, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if r.Header.Get(messageIDHeader) != "" {
		return build(unwrapped(r.Header, body), "")
	}
	if r.Header.Get(specVersionHeader) != "" {
		return fromBinary(r.Header, body)
	}
	if isStructured(r.Header.Get(contentTypeHeader)) {
		return fromStructured(body)
	}
	p, err := unwrap(body)
	if err != nil {
		return nil, err
	}
	return build(p, "")
}

// presize bounds what a Content-Length alone makes us allocate.
const presize = 1 << 20

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > MaxBody {
		return nil, ErrTooLarge
	}
	size := min(max(r.ContentLength, 0), presize)
	// One spare byte lets the last read meet the end without growing.
	body := make([]byte, 0, size+1)
	src := io.LimitReader(r.Body, MaxBody+1)
	for {
		n, err := src.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > MaxBody:
			return nil, ErrTooLarge
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, fmt.Errorf("read body: %w", err)
		case len(body) == cap(body):
			body = append(body, 0)[:len(body)]
		}
	}
}

// isStructured reports whether a content type means one whole CloudEvent in JSON.
func isStructured(contentType string) bool {
	if !strings.HasPrefix(contentType, "application/cloudevents") &&
		!strings.HasPrefix(strings.ToLower(contentType), "application/cloudevents") {
		return false
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/cloudevents+json"
}
