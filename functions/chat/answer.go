package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	chatapi "google.golang.org/api/chat/v1"

	"onceway.internal/shared/chatops/interaction"
	"onceway.internal/shared/chatops/reply"
)

// afterTime is what an answer gets whose event's own time is over.
const afterTime = 2 * time.Second

// answer is the one message that an event is answered with: posted by its first
// text, edited by every later one.
type answer struct {
	c       Config
	message reply.Message // without text
	log     *slog.Logger

	mu   sync.Mutex
	name string // once it is posted
}

func newAnswer(c Config, e interaction.Event, operation string, log *slog.Logger) *answer {
	return &answer{c: c, log: log, message: reply.Message{
		Space: e.Space.Name, Thread: e.Thread, RequestID: "onceway-" + operation,
	}}
}

func (a *answer) post(ctx context.Context, text string, cards []*chatapi.CardWithId) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.name != "" {
		return a.c.Replies.Edit(ctx, a.name, text, cards)
	}
	m := a.message
	m.Text, m.Cards = text, cards
	name, err := a.c.Replies.Post(ctx, m)
	if err == nil {
		a.name = name
	}
	return err
}

// settle posts what came of a tool that ran. It is tried on borrowed time when the
// event's own is over, and its failure goes to the log alone.
func (a *answer) settle(ctx context.Context, text string) {
	ctx, cancel := a.c.after(ctx)
	defer cancel()
	if err := a.post(ctx, text, nil); err != nil {
		a.log.WarnContext(ctx, "chat answer can't be posted", slog.Any("error", err))
	}
}

// after gives a context for what follows an effect.
func (c Config) after(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return context.WithCancel(ctx)
	}
	return c.Clock.WithTimeout(context.WithoutCancel(ctx), afterTime)
}

// working posts text if the returned function is not called within WorkingAfter.
// That function waits until nothing is being posted any more.
func (a *answer) working(ctx context.Context, text string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		if a.c.Clock.Sleep(ctx, a.c.WorkingAfter) != nil {
			return
		}
		if err := a.post(ctx, text, nil); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "chat progress can't be posted", slog.Any("error", err))
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// temporary reports whether posting again may help; a kind of error that is not
// known is given another try.
func temporary(err error) bool {
	e, ok := errors.AsType[*reply.Error](err)
	return !ok || e.Temporary()
}
