package reply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	chat "google.golang.org/api/chat/v1"

	"onceway.internal/shared/clock"
	"onceway.internal/shared/pattern"
)

// Scope is what a token for the Chat API needs, for an app in its own name.
const Scope = "https://www.googleapis.com/auth/chat.bot"

// DefaultURL is the Chat API.
const DefaultURL = "https://chat.googleapis.com"

// Tokens gives the bearer token for a call. It blocks as long as a new token
// takes, and is safe for concurrent use.
type Tokens interface {
	Token(ctx context.Context) (string, error)
}

// Config is what a Client needs.
type Config struct {
	// URL is where the Chat API is; DefaultURL but for stand-ins, which may be http on loopback.
	URL string
	// Tokens may be nil for a stand-in on loopback only.
	Tokens Tokens
	HTTP   *http.Client
	Clock  clock.Clock
	// Budget bounds the tries of one post or edit.
	Budget time.Duration
}

// Client talks to the Chat API. Safe for concurrent use.
type Client struct{ c Config }

// New checks the configuration.
func New(c Config) (*Client, error) {
	var faults []error
	u, err := url.Parse(c.URL)
	local := err == nil && loopback(u.Hostname())
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		faults = append(faults, fmt.Errorf("chat API URL %q: not the URL of a server", c.URL))
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		faults = append(faults, fmt.Errorf("chat API URL %q: must be https, or http on loopback", c.URL))
	case c.Tokens == nil && !local:
		faults = append(faults, errors.New("chat API: tokens are missing"))
	}
	if c.HTTP == nil || c.Clock == nil {
		faults = append(faults, errors.New("chat API: HTTP client or clock is missing"))
	}
	if c.Budget <= 0 {
		faults = append(faults, fmt.Errorf("chat API budget %v: must be positive", c.Budget))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c.URL = strings.TrimRight(c.URL, "/")
	return &Client{c: c}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Message is what is posted.
type Message struct {
	Space  string // "spaces/S"
	Thread string // "spaces/S/threads/T"; empty starts a new one
	// RequestID is the same for every repeat of this post, and for nothing else.
	RequestID string
	Text      string
	Cards     []*chat.CardWithId
}

var (
	spaceName   = pattern.Lazy(`^spaces/[A-Za-z0-9_-]+$`)
	messageName = pattern.Lazy(`^spaces/[A-Za-z0-9_-]+/messages/[A-Za-z0-9._-]+$`)
)

// Post posts m and answers with the message's name. It tries again within the
// budget while trying again may help; see Error for what comes out of that.
func (c *Client) Post(ctx context.Context, m Message) (string, error) {
	if !spaceName.MatchString(m.Space) || m.RequestID == "" {
		return "", &Error{Op: "post message", Reason: "no space or no request ID", Status: http.StatusBadRequest}
	}
	body := &chat.Message{Text: m.Text, CardsV2: m.Cards}
	query := url.Values{"requestId": {m.RequestID}}
	if m.Thread != "" {
		body.Thread = &chat.Thread{Name: m.Thread}
		query.Set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD")
	}
	var made chat.Message
	if err := c.call(ctx, "post message", http.MethodPost, "/v1/"+m.Space+"/messages?"+query.Encode(), body, &made); err != nil {
		return "", err
	}
	if made.Text != m.Text && made.Name != "" {
		return made.Name, c.Edit(ctx, made.Name, m.Text, m.Cards)
	}
	return made.Name, nil
}

// Edit replaces text and cards of a message that this app posted.
func (c *Client) Edit(ctx context.Context, name, text string, cards []*chat.CardWithId) error {
	if !messageName.MatchString(name) {
		return &Error{Op: "edit message", Reason: "no message name", Status: http.StatusBadRequest}
	}
	body := &chat.Message{Text: text, CardsV2: cards, ForceSendFields: []string{"Text", "CardsV2"}}
	return c.call(ctx, "edit message", http.MethodPatch, "/v1/"+name+"?updateMask=text,cards_v2", body, nil)
}

// call repeats a request that may be repeated: a post is one by its request ID,
// an edit by what it is.
func (c *Client) call(ctx context.Context, op, method, path string, body, into any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	ctx, cancel := c.c.Clock.WithTimeout(ctx, c.c.Budget)
	defer cancel()
	pause := 100 * time.Millisecond
	for {
		err := c.once(ctx, op, method, path, payload, into)
		if err == nil || !err.Temporary() {
			return orNil(err)
		}
		if c.c.Clock.Sleep(ctx, pause) != nil {
			return err
		}
		pause = min(2*pause, 2*time.Second)
	}
}

func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}

func (c *Client) once(ctx context.Context, op, method, path string, payload []byte, into any) *Error {
	req, err := http.NewRequestWithContext(ctx, method, c.c.URL+path, bytes.NewReader(payload))
	if err != nil {
		return &Error{Op: op, Err: err, Status: http.StatusBadRequest}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	if c.c.Tokens != nil {
		token, err := c.c.Tokens.Token(ctx)
		if err != nil {
			return &Error{Op: op, Err: fmt.Errorf("get token: %w", err)}
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.c.HTTP.Do(req)
	if err != nil {
		return &Error{Op: op, Err: err}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode/100 != 2 {
		return &Error{Op: op, Status: resp.StatusCode, Reason: reason(answer)}
	}
	if err == nil && into != nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return &Error{Op: op, Err: fmt.Errorf("read answer: %w", err)}
	}
	return nil
}
