package firestoreclaim

import (
	"time"

	"cloud.google.com/go/firestore"

	"onceway.internal/shared/claim"
)

func encode(r claim.Record) fields {
	return fields{
		"key":         text(r.Key),
		"handler":     text(r.Handler),
		"subject":     text(r.Subject),
		"policy":      text(string(r.Policy)),
		"state":       text(string(r.State)),
		"owner":       text(r.Owner),
		"epoch":       r.Epoch,
		"writeID":     text(r.WriteID),
		"attempts":    r.Attempts,
		"lease":       r.Lease.String(), // with its unit, so nobody takes it for another
		"leaseEnd":    instant(r.LeaseEnd),
		"payloadHash": text(r.PayloadHash),
		"operationID": text(r.OperationID),
		"reason":      text(r.Reason),
		"lastError":   text(r.LastError),
		"result":      blob(r.Result),
		"republish":   r.Republish,
		"trace":       encodeTrace(r.Trace),
		"createdAt":   instant(r.CreatedAt),
		"expireAt":    instant(r.ExpireAt),
		"summary":     text(r.Summary),
	}
}

func encodeTrace(trace []claim.Step) []map[string]any {
	steps := make([]map[string]any, len(trace))
	for i, s := range trace {
		steps[i] = fields{
			"at":    instant(s.At),
			"from":  text(string(s.From)),
			"to":    text(string(s.To)),
			"by":    text(s.By),
			"epoch": s.Epoch,
		}.present()
	}
	return steps
}

// instant leaves a zero time out of the document. A TTL policy would otherwise
// take it for long past.
func instant(t time.Time) any {
	if t.IsZero() {
		return firestore.Delete
	}
	return t
}

// blob keeps nil, which means none, apart from empty.
func blob(b []byte) any {
	if b == nil {
		return firestore.Delete
	}
	return b
}
