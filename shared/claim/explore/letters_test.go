package explore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/publish"
)

const deadLetterSubscription = "projects/demo-project/subscriptions/dead-letters"

// deadLetters is the dead-letter topic as a runner sees it.
type deadLetters struct{ w *world }

func (d deadLetters) Publish(_ context.Context, l letter.Letter) error {
	p, h := d.w.ask(opPublishLetter)
	switch h {
	case died:
		return errDead
	case lost:
		p.sees(errOutside)
		return errOutside
	}
	m, err := letter.Message(l)
	if err == nil && !d.w.s.plant.noLetter {
		d.w.post(l, m)
	}
	if h == lostAck {
		err = errOutside
	}
	p.sees(err)
	return err
}

// post puts a letter on the dead-letter topic. The same letter twice is one: storing
// it again changes nothing.
func (w *world) post(l letter.Letter, m publish.Message) {
	w.lettered = true
	if slices.ContainsFunc(w.topic, func(x post) bool { return x.id == l.ID }) {
		return
	}
	em, _ := envelope.FromPulled(envelope.Pulled{
		ID: "l" + strconv.Itoa(len(w.topic)), Data: m.Data, Attributes: m.Attributes,
		PublishTime: w.now, Subscription: deadLetterSubscription,
	})
	w.topic = append(w.topic, post{id: l.ID, hash: l.PayloadHash, m: em})
	slices.SortFunc(w.topic, func(a, b post) int { return strings.Compare(a.id, b.id) })
}

// keep stores a letter, as the function Letters does.
func (w *world) keep(i int, again bool) {
	x := w.topic[i]
	l := letter.FromMessage(x.m)
	if l.ID != x.id || l.PayloadHash != x.hash {
		w.violate("letter", "letter %s came through the topic as %s", x.id, l.ID)
	}
	if err := w.letters.Put(context.Background(), l); err != nil {
		w.violate("letter", "store letter: %v", err)
	}
	w.kept = slices.DeleteFunc(w.kept, func(k post) bool { return k.id == x.id })
	w.kept = append(w.kept, x)
	slices.SortFunc(w.kept, func(a, b post) int { return strings.Compare(a.id, b.id) })
	if !again {
		w.topic = slices.Delete(w.topic, i, i+1)
	}
}

// letterPort is the letter store as the settler sees it.
type letterPort struct{ w *world }

func (s letterPort) Put(context.Context, letter.Letter) error { panic("a settler stores no letter") }

func (s letterPort) Get(ctx context.Context, id string) (l letter.Letter, err error) {
	p, h := s.w.ask(opLetterGet)
	switch h {
	case died:
		return l, errDead
	case lost:
		p.sees(errOutside)
		return l, errOutside
	}
	l, err = s.w.letters.Get(ctx, id)
	p.hist = p.hist.str(l.ID)
	p.sees(err)
	return l, err
}

func (s letterPort) Delete(ctx context.Context, id string) error {
	p, h := s.w.ask(opLetterDelete)
	switch h {
	case died:
		return errDead
	case lost:
		p.sees(errOutside)
		return errOutside
	}
	err := s.w.letters.Delete(ctx, id)
	s.w.kept = slices.DeleteFunc(s.w.kept, func(k post) bool { return k.id == id })
	if h == lostAck {
		err = errOutside
	}
	p.sees(err)
	return err
}

func (s letterPort) List(ctx context.Context, page string, limit int) ([]letter.Letter, string, error) {
	p, h := s.w.ask(opLetterList)
	switch h {
	case died:
		return nil, "", errDead
	case lost:
		p.sees(errOutside)
		return nil, "", errOutside
	}
	all, next, err := s.w.letters.List(ctx, page, limit)
	for _, l := range all {
		p.hist = p.hist.str(l.ID)
	}
	p.sees(err)
	return all, next, err
}

// events is the topic of the events, as the settler publishes to it.
type events struct{ w *world }

func (e events) Publish(_ context.Context, _ string, m publish.Message) (string, error) {
	p, h := e.w.ask(opPublishEvent)
	switch h {
	case died:
		return "", errDead
	case lost:
		p.sees(errOutside)
		return "", errOutside
	}
	id := "m" + strconv.Itoa(len(e.w.messages)+1)
	if !e.w.s.plant.dropped {
		e.w.publish(id, m.Data, m.Attributes)
	}
	if h == lostAck {
		p.sees(errOutside)
		return "", errOutside
	}
	p.sees(nil)
	return id, nil
}

func (e events) TopicOf(context.Context, string) (string, error) {
	return "projects/demo-project/topics/events", nil
}

// letterOf reports whether the letter that a claim left in its epoch is kept or on its way.
func (w *world) letterOf(s claim.Stored) bool {
	id := letter.ID(s.ID, s.Epoch)
	is := func(x post) bool { return x.id == id }
	return slices.ContainsFunc(w.topic, is) || slices.ContainsFunc(w.kept, is)
}
