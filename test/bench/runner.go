package main

import (
	"context"
	"errors"
	"io"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

// newRunner makes a runner as functions/table does with the default settings, over
// store, for that many deliveries at once. Its log lines are written and thrown away.
func newRunner(store claim.Store, slots int, changes ...func(*once.Config)) (*once.Runner, error) {
	c, err := setting.Load(context.Background(), func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	o := c.Once
	claims, err := claim.NewMachine(claim.Config{
		Store: store, Clock: clock.System{}, Lease: o.Lease, TTL: c.TTL(), SettleAfter: o.SettleAfter,
		MaxAttempts: o.MaxAttempts, StoreTimeout: o.StoreTimeout, FinishBudget: o.FinishBudget,
	})
	if err != nil {
		return nil, err
	}
	config := once.Config{
		Claims: claims, Clock: clock.System{}, Log: logging.New(io.Discard, project), Lifetime: context.Background(),
		DeadLetters: noLetters{}, HandlerTimeout: o.HandlerTimeout, AckDeadline: o.AckDeadline, Margin: o.Margin,
		PublishTimeout: o.StoreTimeout, WaitBound: o.Wait, WaitPoll: o.Poll, Slots: slots, CacheSize: o.Cache,
	}
	for _, change := range changes {
		change(&config)
	}
	return once.NewRunner(config)
}

// noLetters is a dead-letter topic of benches, in which nothing may die.
type noLetters struct{}

func (noLetters) Publish(context.Context, letter.Letter) error {
	return errors.New("an event of a bench was given up")
}

// idle is a handler that does nothing.
type idle struct{}

func (idle) Name() string { return "bench" }

func (idle) Plan(*envelope.Message) (once.Plan, error) {
	return once.Plan{Policy: claim.AtLeastOnce, Summary: "nothing"}, nil
}

func (idle) Run(context.Context, *once.Delivery) error { return nil }

// message is an event as it is pulled. No two have the same ID.
func message(id string) (*envelope.Message, error) {
	return envelope.FromPulled(envelope.Pulled{
		ID: id, Data: []byte(body), PublishTime: time.Now(), DeliveryAttempt: 1,
		Subscription: "projects/" + project + "/subscriptions/events", Attributes: map[string]string{"kind": "order"},
	})
}

// body is what every event of the benches brings: a kilobyte or so of JSON is common,
// and this is half of it.
const body = `{"order":"acme-4711","customer":"acme","lines":[{"item":"bolt","count":400,"price":"0.12"},{"item":"nut","count":400,"price":"0.08"},{"item":"washer","count":800,"price":"0.02"},{"item":"plate","count":20,"price":"14.50"},{"item":"bracket","count":40,"price":"3.75"}],"ship":{"name":"acme works","street":"Industrial Road 7","city":"Springfield","zip":"01101","country":"US"},"currency":"EUR","note":"deliver before noon; call the gate on arrival"}`
