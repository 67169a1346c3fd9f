package silence

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/once"
)

// Name is the command's.
const Name = "silence"

// longest is how long alerts may be silenced.
const longest = 30 * 24 * time.Hour

// Tool is what the command works with.
type Tool struct {
	// URL is Alertmanager's, without "/api/v2". HTTP knows how to get in.
	URL  *url.URL
	HTTP *http.Client
	Now  func() time.Time
	// Timeout bounds one request.
	Timeout time.Duration
}

// Commands answers with the command.
func Commands(t Tool) ([]chatops.Command, error) {
	switch {
	case t.URL == nil || t.URL.Host == "" || t.URL.Scheme != "https" && t.URL.Scheme != "http":
		return nil, errors.New("silence: the URL of the Alertmanager is missing or no URL")
	case t.HTTP == nil || t.Now == nil || t.Timeout <= 0:
		return nil, errors.New("silence: HTTP client, clock or time-out are missing")
	}
	return []chatops.Command{{
		Name: Name, Usage: "MATCHER … for DURATION because …", Brief: "silences alerts",
		Role: policy.Operator, Effect: chatops.Once, Parse: t.parse, Verify: t.verify,
	}}, nil
}

func (t Tool) parse(a chatops.Args) (chatops.Call, error) {
	matchers, err := parseMatchers(a.Until("for"))
	if err != nil {
		return chatops.Call{}, err
	}
	if err := a.Expect("for", "how long"); err != nil {
		return chatops.Call{}, err
	}
	d, err := chatops.ParseDuration(strings.Join(a.Until("because"), ""))
	if err != nil {
		return chatops.Call{}, err
	}
	if d > longest {
		return chatops.Call{}, errors.New("alerts can be silenced for 30 days at most")
	}
	why, err := a.Because()
	if err != nil {
		return chatops.Call{}, err
	}
	if why == "" {
		return chatops.Call{}, errors.New(`"because" and then the reason is missing`)
	}
	var shown []string
	for _, m := range matchers {
		shown = append(shown, m.String())
	}
	if a.At.IsZero() {
		return chatops.Call{}, errors.New("this message has no time of its own, so no end can be counted from it")
	}
	end := a.At.Add(d).UTC()
	return chatops.Call{
		Detail: strings.Join(shown, " ") + " until " + end.Format(time.RFC3339), Reason: why, Subject: end.Format(time.RFC3339),
		Do: func(ctx context.Context, op chatops.Operation) (string, error) {
			return t.silence(ctx, op, matchers, end, why, a.Zone)
		},
	}, nil
}

func (t Tool) silence(ctx context.Context, op chatops.Operation, ms []matcher, end time.Time, why string, zone *time.Location) (string, error) {
	if !end.After(t.Now()) {
		return "", chatops.Refuse("The time for which it was asked is over already.")
	}
	text := fmt.Sprintf("Silenced until %s.", end.In(zone).Format("2006-01-02 15:04 MST"))
	made, err := t.made(ctx, op.ID)
	if err != nil {
		return "", chatops.Explain(err, "Alertmanager does not answer just now.")
	}
	if made {
		return text, nil
	}
	if ctx, err = op.Begin(ctx); err != nil {
		return "", err
	}
	err = t.post(ctx, silence{
		Matchers: ms, StartsAt: t.Now().UTC(), EndsAt: end, CreatedBy: op.Actor, Comment: why + " " + mark(op.ID),
	})
	if err == nil {
		return text, nil
	}
	if refused(err) {
		return "", chatops.Refuse("Alertmanager finds this silence invalid, or does not let me make it.")
	}
	if _, unchanged := errors.AsType[*once.NoEffectError](err); unchanged {
		return "", err
	}
	if made, lerr := t.made(ctx, op.ID); lerr == nil && made {
		return text, nil
	}
	return "", chatops.Explain(err, "Alertmanager did not answer in time.")
}

// mark is how an operation is found again.
func mark(operationID string) string { return "[onceway " + operationID + "]" }

// clockMargin is how far clocks may differ.
const clockMargin = time.Minute

// verify looks for the operation among the silences; see the package's comment.
func (t Tool) verify(ctx context.Context, subject, operationID string) (once.Answer, error) {
	made, err := t.made(ctx, operationID)
	if err != nil {
		return once.Unknown, err
	}
	if made {
		return once.EffectDone, nil
	}
	end, err := time.Parse(time.RFC3339, subject)
	if err != nil || !t.Now().Add(clockMargin).Before(end) {
		return once.Unknown, nil
	}
	return once.EffectNotDone, nil
}
