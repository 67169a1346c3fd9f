package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/once"
)

// request is what a tool gets.
type request struct {
	Tool      string            `json:"tool"`
	Arguments map[string]string `json:"arguments"`
	Reason    string            `json:"reason,omitempty"`
	Actor     string            `json:"actor"`
	Operation string            `json:"operation"`
}

func (c *caller) call(ctx context.Context, op chatops.Operation, arguments map[string]string, reason string) (string, error) {
	body, err := json.Marshal(request{Tool: c.tool.Name, Arguments: arguments, Reason: reason, Actor: op.Actor, Operation: op.ID})
	if err != nil {
		return "", fmt.Errorf("call tool %s: %w", c.tool.Name, err)
	}
	token, err := c.token(ctx)
	if err != nil {
		return "", chatops.Explain(fmt.Errorf("call tool %s: %w", c.tool.Name, err), "I could not get a token for this tool.")
	}
	ctx, err = op.Begin(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.tool.Timeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.tool.URL.String(), bytes.NewReader(body))
	if err != nil {
		return "", once.NoEffect(fmt.Errorf("call tool %s: %w", c.tool.Name, err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", op.ID)
	req.Header.Set("Onceway-Epoch", strconv.FormatInt(op.Epoch, 10))
	authorize(req, token)
	resp, err := c.http.Do(req)
	if err != nil {
		return "", c.unanswered(err, connected.Load())
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // the status decides; the text is for people
	return c.judge(resp, answer)
}

// unanswered reads the error of a call without an answer. The URL is kept out of
// it: people put secrets into URLs.
func (c *caller) unanswered(err error, connected bool) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	err = fmt.Errorf("call tool %s: %w", c.tool.Name, err)
	switch {
	case errors.Is(err, ErrAddress):
		return chatops.Refuse("The tool's address is private or local, and tools.yaml does not allow it.")
	case !connected:
		return once.NoEffect(chatops.Explain(err, "The tool could not be reached."))
	}
	return chatops.Explain(err, "The tool was called and did not answer.")
}

// judge reads an answer; see the package's comment for the table.
func (c *caller) judge(resp *http.Response, answer []byte) (string, error) {
	said := spoken(resp.Header.Get("Content-Type"), answer)
	switch s := resp.StatusCode; {
	case s/100 == 2:
		return said, nil
	case s/100 == 4 && s != http.StatusRequestTimeout && s != http.StatusConflict && s != http.StatusTooEarly && s != http.StatusTooManyRequests:
		text := fmt.Sprintf("The tool refused: %d %s.", s, http.StatusText(s))
		if said != "" {
			text += "\n" + said
		}
		return "", chatops.Refuse(text)
	default:
		return "", chatops.Explain(fmt.Errorf("call tool %s: it answered %d", c.tool.Name, s),
			fmt.Sprintf("The tool answered %d %s.", s, http.StatusText(s)))
	}
}

func (c *caller) token(ctx context.Context) (string, error) {
	if c.tool.Audience == "" {
		return "", nil
	}
	token, err := c.identity.Token(ctx, c.tool.Audience)
	if err != nil {
		return "", fmt.Errorf("get identity token: %w", err)
	}
	return token, nil
}

func authorize(req *http.Request, token string) {
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
}
