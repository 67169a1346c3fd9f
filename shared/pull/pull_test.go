package pull_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"onceway.internal/shared/pull"
	"onceway.internal/test/wait"
	"onceway.internal/test/wire"
)

// outages are the ways in which Pub/Sub can be away.
var outages = map[string]func(*wire.Proxy){
	"refusing connections": (*wire.Proxy).Refuse,
	"swallowing bytes":     (*wire.Proxy).Swallow,
}

func TestPullingGoesOnAfterAnOutageThatIsTold(t *testing.T) {
	t.Parallel()
	for name, begins := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, nil)
			await(t, "reached at first", s.reached, true)
			s.publish("before")
			await(t, "handled", s.handled, "before")
			begins(s.wire)
			await(t, "reached while away", s.reached, false)
			wait.Until(t, soon, "a line names the subscription", func() bool {
				return strings.Contains(s.log.String(), `level=ERROR msg="Pub/Sub can't be reached`) && strings.Contains(s.log.String(), subscription)
			})
			s.wire.Mend()
			await(t, "reached after", s.reached, true)
			s.publish("after")
			await(t, "handled", s.handled, "after")
			s.stop()
			await(t, "end", s.ended, nil)
		})
	}
}

func TestRunEndsThoughPubSubIsAway(t *testing.T) {
	t.Parallel()
	for name, begins := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leave := make(chan struct{})
			s := begin(t, leave)
			s.publish("in work")
			await(t, "in work", s.handled, "in work")
			begins(s.wire)
			await(t, "reached while away", s.reached, false)
			s.stop()
			select {
			case err := <-s.ended:
				t.Fatalf("it ended with %v and left a delivery in work behind", err)
			case <-time.After(time.Second): // twice as long as it waits for Pub/Sub
			}
			close(leave)
			await(t, "end", s.ended, nil)
			if !strings.Contains(s.log.String(), "Pub/Sub does not answer at the end") {
				t.Errorf("the log does not say what is left:\n%s", s.log)
			}
		})
	}
}

// TestRunEndsThoughPubSubWasNeverThere: its first connection is not made yet.
func TestRunEndsThoughPubSubWasNeverThere(t *testing.T) {
	t.Parallel()
	s := begin(t, nil)
	s.wire.Refuse()
	await(t, "reached", s.reached, false)
	s.stop()
	await(t, "end", s.ended, nil)
}

func TestErrorsThatStaySayWhatToDo(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]string{
		codes.NotFound:         "scripts/provision",
		codes.PermissionDenied: "roles/pubsub.subscriber",
	} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			ended := make(chan error, 1)
			client := connect(t, refuser(t, code))
			go func() {
				ended <- pull.Run(t.Context(), pull.Config{
					Client: client, Subscription: subscription, Receiver: receiver{}, Outstanding: 1,
					Extension: time.Minute, AckTimeout: time.Second, Log: slog.New(slog.DiscardHandler),
				})
			}()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), subscription) {
					t.Errorf("error %v does not name the subscription and %q", err, want)
				}
			case <-time.After(soon):
				t.Fatal("it goes on pulling")
			}
		})
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	err := pull.Run(t.Context(), pull.Config{Probe: -1})
	for _, name := range []string{"client", "subscription", "outstanding", "probe"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
}
