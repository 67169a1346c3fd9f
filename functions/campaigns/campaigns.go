package campaigns

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"golang.org/x/sync/errgroup"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/route"
)

// Attributes of published messages, beside the key.
const (
	AttrCampaign = "onceway-campaign" // campaign ID
	AttrGroup    = "onceway-group"    // group ID; absent on the overflow topic
)

// Assigner chooses and records a group: a *route.Router.
type Assigner interface {
	Assign(ctx context.Context, c route.Campaign) (route.Assignment, error)
}

// Config bounds what one campaign may cost.
type Config struct {
	MaxMessages int // that one event may hold
	InFlight    int // messages being published at once
}

// Handler implements once.Handler.
type Handler struct {
	cfg     Config
	assign  Assigner
	publish publish.Publisher
}

var _ once.Handler = (*Handler)(nil)

var errNotRecorded = errors.New("the assignment could not be recorded")

// New returns a Handler.
func New(c Config, a Assigner, p publish.Publisher) (*Handler, error) {
	if a == nil || p == nil {
		return nil, errors.New("campaigns: needs an assigner and a publisher")
	}
	if c.MaxMessages < 1 || c.InFlight < 1 {
		return nil, fmt.Errorf("campaigns: MaxMessages (%d) and InFlight (%d) must be at least 1", c.MaxMessages, c.InFlight)
	}
	return &Handler{cfg: c, assign: a, publish: p}, nil
}

// Name implements once.Handler.
func (h *Handler) Name() string { return "campaigns" }

// Plan implements once.Handler: the key is the campaign's ID.
func (h *Handler) Plan(m *envelope.Message) (once.Plan, error) {
	e, err := read(m, h.cfg.MaxMessages)
	if err != nil {
		return once.Plan{}, err
	}
	return once.Plan{
		Key: e.Campaign, Subject: claim.Cut(e.Campaign, claim.MaxSubject), Policy: claim.AtLeastOnce,
		Summary: claim.Cut("campaign "+e.Campaign+", size "+strconv.FormatInt(e.route().Size, 10), claim.MaxSummary),
	}, nil
}

// Run implements once.Handler.
func (h *Handler) Run(ctx context.Context, d *once.Delivery) error {
	e, err := read(d.Message, h.cfg.MaxMessages)
	if err != nil {
		return once.Permanent(err, letter.Poison)
	}
	a, err := h.assign.Assign(ctx, e.route())
	if err != nil {
		return once.Retry(fmt.Errorf("assign campaign: %w", err))
	}
	if !a.Recorded {
		return once.Retry(fmt.Errorf("assign campaign: %w (rule %s)", errNotRecorded, a.Rule))
	}
	if len(e.Messages) == 0 {
		return once.Retry(h.forward(ctx, d, a))
	}
	return once.Retry(h.spread(ctx, e, a))
}

// forward sends the event itself on. The mark of a replay addressed to this
// handler stays behind: the next one would take it for another's.
func (h *Handler) forward(ctx context.Context, d *once.Delivery, a route.Assignment) error {
	attrs := maps.Clone(d.Message.Attributes)
	if attrs == nil {
		attrs = make(map[string]string)
	}
	delete(attrs, letter.AttrHandler)
	maps.Copy(attrs, attributes(d.Key, a))
	m := publish.Message{Data: d.Message.Data, Attributes: attrs, OrderingKey: d.Message.OrderingKey}
	if _, err := h.publish.Publish(ctx, a.Topic, m); err != nil {
		return fmt.Errorf("send campaign on: %w", err)
	}
	return nil
}

// spread sends the campaign's messages, each under a key of its own.
func (h *Handler) spread(ctx context.Context, e event, a route.Assignment) error {
	g, each := errgroup.WithContext(ctx)
	g.SetLimit(h.cfg.InFlight)
	for i, data := range e.Messages {
		if each.Err() != nil {
			break
		}
		g.Go(func() error {
			key := e.Campaign + "/" + strconv.Itoa(i)
			_, err := h.publish.Publish(each, a.Topic, publish.Message{Data: data, Attributes: attributes(key, a)})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("send the campaign's messages: %w", err)
	}
	return ctx.Err() // the loop may have been left by the caller's end alone
}

func attributes(key string, a route.Assignment) map[string]string {
	attrs := map[string]string{letter.AttrKey: key, AttrCampaign: a.Campaign}
	if a.Group != "" {
		attrs[AttrGroup] = a.Group
	}
	return attrs
}
