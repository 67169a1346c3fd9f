package silence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/once"
)

// silence is the API's postableSilence.
type silence struct {
	Matchers  []matcher `json:"matchers"`
	StartsAt  time.Time `json:"startsAt"`
	EndsAt    time.Time `json:"endsAt"`
	CreatedBy string    `json:"createdBy"`
	Comment   string    `json:"comment"`
}

// statusError is an answer that is not a success.
type statusError struct {
	op   string
	code int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: Alertmanager answered %d", e.op, e.code)
}

// refused reports whether the server says that it will never take this.
func refused(err error) bool {
	e, ok := errors.AsType[*statusError](err)
	return ok && e.code/100 == 4 && e.code != http.StatusRequestTimeout && e.code != http.StatusTooManyRequests
}

// made reports whether a silence of this operation is listed, active or expired.
func (t Tool) made(ctx context.Context, operationID string) (bool, error) {
	var all []struct {
		Comment string `json:"comment"`
	}
	if err := t.call(ctx, "list silences", http.MethodGet, nil, &all); err != nil {
		return false, err
	}
	for _, s := range all {
		if strings.Contains(s.Comment, mark(operationID)) {
			return true, nil
		}
	}
	return false, nil
}

// post makes a silence. Without a connection there certainly is none.
func (t Tool) post(ctx context.Context, s silence) error {
	body, err := json.Marshal(s)
	if err != nil {
		return once.NoEffect(fmt.Errorf("make silence: %w", err))
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	var answer struct {
		ID string `json:"silenceID"`
	}
	err = t.call(ctx, "make silence", http.MethodPost, body, &answer)
	if e, ok := errors.AsType[*statusError](err); err != nil && (!connected.Load() || ok && e.code == http.StatusTooManyRequests) {
		return once.NoEffect(chatops.Explain(err, "Alertmanager could not be reached, or has too much to do."))
	}
	return err
}

func (t Tool) call(ctx context.Context, op, method string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, t.URL.JoinPath("api/v2/silences").String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if resp.StatusCode != http.StatusOK {
		return &statusError{op: op, code: resp.StatusCode}
	}
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return fmt.Errorf("%s: read answer: %w", op, err)
	}
	return nil
}
