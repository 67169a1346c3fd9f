package trace

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
)

// Receiver is rc with a span for each delivery. The span has ended, and a recorded one
// was sent or given up, when Receive answers.
func (t *Tracer) Receiver(rc once.Receiver) once.Receiver {
	if t == nil {
		return rc
	}
	return traced{rc, t}
}

type traced struct {
	once.Receiver
	t *Tracer
}

func (r traced) Receive(ctx context.Context, m *envelope.Message) once.Report {
	parent, links := parents(trace.SpanContextFromContext(ctx), published(m.Attributes))
	inner, span := r.t.tracer.Start(trace.ContextWithRemoteSpanContext(ctx, parent), "deliver "+r.Name(),
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(links...),
		trace.WithAttributes(
			attribute.String("messaging.system", "gcp_pubsub"), attribute.String("messaging.operation.type", "process"),
			attribute.String("messaging.message.id", m.ID), attribute.String("messaging.destination.subscription.name", m.Subscription),
			attribute.Int("messaging.gcp_pubsub.message.delivery_attempt", m.DeliveryAttempt)))
	header := http.Header{}
	w3c.Inject(inner, propagation.HeaderCarrier(header))
	rep := r.Receiver.Receive(logging.WithTrace(inner, header), m)
	span.SetAttributes(
		attribute.String("onceway.outcome", string(rep.Outcome)), attribute.String("onceway.state", string(rep.State)),
		attribute.Int64("onceway.epoch", rep.Epoch), attribute.Int("onceway.attempt", rep.Attempt))
	if rep.Outcome.Status()/100 == 5 {
		span.SetStatus(codes.Error, string(rep.Outcome))
	}
	span.End()
	if span.SpanContext().IsSampled() {
		r.t.flush(ctx)
	}
	return rep
}

// flush sends the spans that ended, this one among them, even when the sender of the
// request has gone.
func (t *Tracer) flush(ctx context.Context) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushing)
	defer cancel()
	if err := t.provider.ForceFlush(bounded); err != nil {
		t.log.WarnContext(ctx, "trace was not sent", "error", err)
	}
}

// published is the publisher's span, as the message brings it.
func published(attributes map[string]string) trace.SpanContext {
	for _, prefix := range []string{"googclient_", ""} {
		carrier := propagation.MapCarrier{"traceparent": attributes[prefix+"traceparent"], "tracestate": attributes[prefix+"tracestate"]}
		if sc := trace.SpanContextFromContext(w3c.Extract(context.Background(), carrier)); sc.IsValid() {
			return sc
		}
	}
	return trace.SpanContext{}
}

// parents chooses the parent of a delivery; the other of the two is linked. The
// publisher's goes first unless it alone is not recorded.
func parents(request, publisher trace.SpanContext) (trace.SpanContext, []trace.Link) {
	switch {
	case !publisher.IsValid():
		return request, nil
	case !request.IsValid():
		return publisher, nil
	case request.IsSampled() && !publisher.IsSampled():
		return request, []trace.Link{{SpanContext: publisher}}
	}
	return publisher, []trace.Link{{SpanContext: request}}
}
