package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// pushBody is the wrapped form. The service repeats two names in snake case.
type pushBody struct {
	Message         pushMessage `json:"message"`
	Subscription    string      `json:"subscription"`
	DeliveryAttempt int32       `json:"deliveryAttempt,omitempty"`
}

type pushMessage struct {
	Attributes       map[string]string `json:"attributes,omitempty"`
	Data             []byte            `json:"data,omitempty"`
	MessageID        string            `json:"messageId"`
	SnakeMessageID   string            `json:"message_id"`
	PublishTime      string            `json:"publishTime"`
	SnakePublishTime string            `json:"publish_time"`
	OrderingKey      string            `json:"orderingKey,omitempty"`
}

func pushClient(concurrency int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: concurrency, IdleConnTimeout: 30 * time.Second},
		// A redirect is a nack, as with the service.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// push delivers to the subscription's endpoint, while it has one, until ctx ends or
// the subscription is deleted, and returns when no request is in flight any more.
func (q *queue) push(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var inFlight sync.WaitGroup
	defer inFlight.Wait()
	h := &holder{limit: q.server.config.PushConcurrency}
	for ctx.Err() == nil {
		messages := q.next(ctx, h, 1, 0, true)
		if messages == nil {
			cancel() // a deleted subscription ends its requests too
			return
		}
		inFlight.Go(func() { q.deliver(ctx, messages[0]) })
	}
}

// deliver posts one message and acknowledges it by the answer.
func (q *queue) deliver(ctx context.Context, m *pubsubpb.ReceivedMessage) {
	sub := q.settings()
	if q.post(ctx, sub, m) {
		q.ack(m.AckId)
		return
	}
	q.modify(m.AckId, 0)
}

// post reports whether the endpoint took the message within the acknowledgement deadline.
func (q *queue) post(ctx context.Context, sub *pubsubpb.Subscription, m *pubsubpb.ReceivedMessage) bool {
	ctx, cancel := context.WithTimeout(ctx, seconds(sub.AckDeadlineSeconds))
	defer cancel()
	request, err := pushRequest(ctx, sub, m)
	if err != nil {
		return false
	}
	response, err := q.server.client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection is used again
	switch response.StatusCode {
	case http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return true
	}
	return false
}

func pushRequest(ctx context.Context, sub *pubsubpb.Subscription, m *pubsubpb.ReceivedMessage) (*http.Request, error) {
	published := m.Message.PublishTime.AsTime().Format("2006-01-02T15:04:05.999Z07:00")
	body, err := json.Marshal(pushBody{
		Message: pushMessage{
			Attributes: m.Message.Attributes, Data: m.Message.Data, OrderingKey: m.Message.OrderingKey,
			MessageID: m.Message.MessageId, SnakeMessageID: m.Message.MessageId,
			PublishTime: published, SnakePublishTime: published,
		},
		Subscription:    sub.Name,
		DeliveryAttempt: m.DeliveryAttempt,
	})
	if err != nil {
		return nil, fmt.Errorf("encode push: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, sub.PushConfig.PushEndpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make push request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "CloudPubSub-Google")
	request.Header.Set("Accept", "application/json")
	return request, nil
}
