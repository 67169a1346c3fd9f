package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// click is a press of a button of the card that was posted, by somebody, later.
func (w *world) click(t *testing.T, button string, email string, later time.Duration) *envelope.Message {
	t.Helper()
	posted := w.api.posted()
	name, cards := posted[0].Name, posted[0].CardsV2
	if len(cards) == 0 {
		t.Fatalf("no card was posted: %+v", posted[0])
	}
	params := map[string]string{}
	for _, widget := range cards[0].Card.Sections[0].Widgets {
		if widget.ButtonList == nil {
			continue
		}
		for _, b := range widget.ButtonList.Buttons {
			if b.Text != button {
				continue
			}
			for _, p := range b.OnClick.Action.Parameters {
				params[p.Key] = p.Value
			}
		}
	}
	return press(t, name, params, email, later)
}

func press(t *testing.T, name string, params map[string]string, email string, later time.Duration) *envelope.Message {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"commonEventObject": map[string]any{"hostApp": "CHAT", "parameters": params},
		"chat": map[string]any{
			"user":      map[string]any{"name": "users/" + email, "email": email, "type": "HUMAN"},
			"eventTime": published.Add(later).Format(time.RFC3339Nano),
			"buttonClickedPayload": map[string]any{
				"space":   map[string]any{"name": room},
				"message": map[string]any{"name": name, "thread": map[string]any{"name": where}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return message(data)
}

func TestConfirmedCommandRunsOnceHoweverManyPress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{confirm: "restart docker"})
	ask := said("restart docker h1", room, ann)
	w.deliver(t, ask)
	w.deliver(t, ask)
	if len(w.api.posted()) != 1 || len(w.hook.called()) != 0 {
		t.Fatalf("%d messages, %d calls before anybody confirmed", len(w.api.posted()), len(w.hook.called()))
	}
	var wg sync.WaitGroup
	for i, m := range []*envelope.Message{
		w.click(t, "Confirm", ann, time.Second), w.click(t, "Confirm", ann, 2*time.Second), w.click(t, "Confirm", "ANN@acme.example", time.Second),
		w.click(t, "Confirm", ann, time.Second),
	} {
		wg.Go(func() {
			if rep := w.deliver(t, m); !rep.Outcome.Ack() {
				t.Errorf("press %d: %v %v", i, rep.Outcome, rep.Err)
			}
		})
	}
	wg.Wait()
	if n := len(w.hook.called()); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
	late := w.deliver(t, w.click2(t, "cancel", ann, 3*time.Second))
	if late.Outcome != once.Done || len(w.hook.called()) != 1 {
		t.Errorf("cancelling afterwards: %v", late.Outcome)
	}
	var done, faster int
	for _, m := range w.api.posted() {
		done += strings.Count(m.Text, "Done: `restart docker`")
		faster += strings.Count(m.Text, "Somebody was faster")
	}
	if done != 1 || faster != 3 {
		t.Errorf("%d were told that it is done, %d that somebody was faster", done, faster)
	}
	if card := w.api.posted()[0]; len(card.CardsV2) != 0 || !strings.Contains(card.Text, "confirmed") {
		t.Errorf("the card keeps its buttons: %+v", card)
	}
}

// click2 presses the same card after its buttons went, as a client may that has
// not seen them go.
func (w *world) click2(t *testing.T, decision, email string, later time.Duration) *envelope.Message {
	t.Helper()
	ask, err := w.Plan(said("restart docker h1", room, ann))
	if err != nil {
		t.Fatal(err)
	}
	return press(t, w.api.posted()[0].Name, map[string]string{
		"decision": decision, "proposal": claim.OperationID("chat", ask.Key), "line": "restart docker h1",
		"said": published.Format(time.RFC3339), "expires": published.Add(10 * time.Minute).Format(time.RFC3339),
	}, email, later)
}

func TestCancelledOrExpiredProposalRunsNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first  string
		later  time.Duration
		says   string
		closed string
	}{
		"cancelled": {"Cancel", time.Second, "Cancelled: `restart docker`.", "cancelled"},
		"expired":   {"Confirm", 11 * time.Minute, "This proposal has expired", "expired"},
	} {
		w := newWorld(t, options{confirm: "restart docker"})
		w.deliver(t, said("restart docker h1", room, ann))
		w.deliver(t, w.click(t, test.first, ann, test.later))
		if name == "cancelled" {
			w.deliver(t, w.click2(t, "confirm", ann, 2*time.Second))
		}
		if n := len(w.hook.called()); n != 0 {
			t.Errorf("%s: the tool was called %d times", name, n)
		}
		posted := w.api.posted()
		if !strings.Contains(posted[0].Text, test.closed) || len(posted[0].CardsV2) != 0 {
			t.Errorf("%s: the card reads %q with %d cards", name, posted[0].Text, len(posted[0].CardsV2))
		}
		if !strings.Contains(posted[1].Text, test.says) {
			t.Errorf("%s: answered %q", name, posted[1].Text)
		}
	}
}

func TestWhoMayNotCanNeitherProposeNorConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{confirm: "restart docker"})
	w.deliver(t, said("restart docker h1", room, vic))
	if text, _ := w.only(t); !strings.Contains(text, "You may not") {
		t.Errorf("a viewer's proposal: %q", text)
	}
	w = newWorld(t, options{confirm: "restart docker"})
	w.deliver(t, said("restart docker h1", room, ann))
	w.deliver(t, w.click(t, "Confirm", vic, time.Second))
	w.deliver(t, w.click(t, "Cancel", vic, time.Second))
	if n := len(w.hook.called()); n != 0 {
		t.Errorf("a viewer confirmed: %d calls", n)
	}
	w.deliver(t, w.click(t, "Confirm", ann, 2*time.Second))
	if n := len(w.hook.called()); n != 1 {
		t.Errorf("a viewer's press took the proposal: %d calls", n)
	}
}

// TestAPressThatBreaksOffKeepsItsProposal crashes a press between taking the
// proposal and acting: its redelivery goes on, and nobody else can.
func TestAPressThatBreaksOffKeepsItsProposal(t *testing.T) {
	t.Parallel()
	broken := true
	tool := chatops.Command{
		Name: "fix", Role: policy.Operator, Effect: chatops.Once,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			return chatops.Call{Do: func(ctx context.Context, op chatops.Operation) (string, error) {
				if broken {
					return "", errors.New("broke off before Begin")
				}
				_, err := op.Begin(ctx)
				return "fixed by " + op.Actor, err
			}}, a.End()
		},
	}
	w := newWorld(t, options{confirm: "fix", commands: []chatops.Command{tool}})
	w.deliver(t, said("fix", room, ann))
	first := w.click(t, "Confirm", ann, time.Second)
	other := w.click(t, "Confirm", ann, 2*time.Second)
	if rep := w.deliver(t, first); rep.State != claim.Retry {
		t.Fatalf("%v %v", rep.State, rep.Err)
	}
	broken = false
	w.deliver(t, other)
	w.deliver(t, first)
	var texts []string
	for _, m := range w.api.posted() {
		texts = append(texts, m.Text)
	}
	all := strings.Join(texts, "\n")
	if strings.Count(all, "fixed by") != 1 || strings.Count(all, "Somebody was faster") != 1 {
		t.Errorf("answers:\n%s", all)
	}
}

func TestTimesCountFromTheProposalNotFromThePress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{confirm: "reserve"})
	far := time.Now().UTC().Add(48 * time.Hour).Truncate(time.Hour)
	w.deliver(t, said("reserve dg02 for acme until "+far.Format("2006-01-02 15:04"), room, ann))
	w.deliver(t, w.click(t, "Confirm", ann, time.Minute))
	live, err := w.book.Load(t.Context())
	if err != nil || !live.Reservations["dg02"].Until.Equal(far) {
		t.Errorf("until %v, %v; want %v", live.Reservations["dg02"].Until, err, far)
	}
}
