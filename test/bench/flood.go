package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// connections is how many requests are in flight: more than any side needs to be busy.
const connections = 32

// idDigits is the width of the message IDs that the load writes over each other.
const idDigits = 16

// pushRequest is a whole push as Pub/Sub wraps it, and where its message ID stands.
func pushRequest() (whole []byte, ids []int) {
	id := bytes.Repeat([]byte("0"), idDigits)
	text := fmt.Sprintf(`{"message":{"attributes":{"kind":"order"},"data":%q,"messageId":"%s","message_id":"%s","publishTime":"2026-01-02T03:04:05.678Z","publish_time":"2026-01-02T03:04:05.678Z"},"subscription":"projects/%s/subscriptions/events","deliveryAttempt":1}`,
		base64.StdEncoding.EncodeToString([]byte(body)), id, id, project)
	whole = request("POST", "/projects/"+project+"/topics/events", text)
	for at := 0; ; {
		n := bytes.Index(whole[at:], id)
		if n < 0 {
			return whole, ids
		}
		ids = append(ids, at+n)
		at += n + idDigits
	}
}

// flood pushes as fast as the server at addr answers, each request with an ID of its
// own, over connections that stay open. What is not answered within patience counts as
// lost. It allocates next to nothing.
func flood(ctx context.Context, addr string, ids *eventIDs, patience, d time.Duration) (round, error) {
	free := make(chan *pusher, connections)
	for range connections {
		w, err := dial(addr)
		if err != nil {
			return round{}, err
		}
		w.patience = patience
		p := &pusher{wire: w, addr: addr}
		defer func() { _ = p.close() }()
		p.request, p.at = pushRequest()
		free <- p
	}
	return crowdOf(ctx, connections, d, func() func(context.Context) error {
		p := <-free
		return func(context.Context) error { return p.push(ids.last.Add(1)) }
	})
}

// pusher is one connection and its request.
type pusher struct {
	*wire
	addr    string
	request []byte
	at      []int
}

// number writes the ID of the next message into the request.
func (p *pusher) number(id int64) {
	var digits [idDigits]byte
	for i := range slices.Backward(digits[:]) {
		digits[i] = byte('0' + id%10)
		id /= 10
	}
	for _, at := range p.at {
		copy(p.request[at:], digits[:])
	}
}

func (p *pusher) push(id int64) error {
	p.number(id)
	status, err := p.exchange(p.request)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return p.renew()
	}
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("a push was answered %d", status)
	}
	return err
}

// renew gives a request up that was never answered, and its connection with it.
func (p *pusher) renew() error {
	w, err := dial(p.addr)
	if err != nil {
		return err
	}
	_ = p.close() // nothing is expected of it any more
	w.patience = p.patience
	p.wire = w
	return errLost
}
