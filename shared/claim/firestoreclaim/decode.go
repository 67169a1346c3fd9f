package firestoreclaim

import (
	"fmt"
	"time"

	"onceway.internal/shared/claim"
)

func decode(doc map[string]any) (claim.Record, error) {
	d := decoder{doc: doc}
	lease, err := time.ParseDuration(d.text("lease"))
	if err != nil {
		d.fail("lease", err)
	}
	r := claim.Record{
		Key:         d.text("key"),
		Handler:     d.text("handler"),
		Subject:     d.text("subject"),
		Policy:      claim.Policy(d.text("policy")),
		State:       claim.State(d.text("state")),
		Owner:       d.text("owner"),
		Epoch:       must[int64](&d, "epoch"),
		WriteID:     d.text("writeID"),
		Attempts:    int(must[int64](&d, "attempts")),
		Lease:       lease,
		LeaseEnd:    may[time.Time](&d, "leaseEnd"),
		PayloadHash: d.text("payloadHash"),
		OperationID: d.text("operationID"),
		Reason:      d.text("reason"),
		LastError:   d.text("lastError"),
		Result:      may[[]byte](&d, "result"),
		Republish:   must[bool](&d, "republish"),
		Trace:       d.trace(),
		CreatedAt:   may[time.Time](&d, "createdAt"),
		ExpireAt:    may[time.Time](&d, "expireAt"),
		Summary:     d.text("summary"),
	}
	return r, d.err
}

// decoder reads fields and remembers the first that is not what it should be.
type decoder struct {
	doc map[string]any
	err error
}

func (d *decoder) fail(name string, err error) {
	if d.err == nil {
		d.err = fmt.Errorf("field %s: %w", name, err)
	}
}

// must reads a field that is there in every document.
func must[T any](d *decoder, name string) T {
	v, ok := d.doc[name].(T)
	if !ok {
		d.fail(name, fmt.Errorf("it is %T, not %T", d.doc[name], v))
	}
	return v
}

// may reads a field that can be absent.
func may[T any](d *decoder, name string) T {
	if d.doc[name] == nil {
		var none T
		return none
	}
	return must[T](d, name)
}

func (d *decoder) text(name string) string {
	if b, ok := d.doc[name].([]byte); ok {
		return string(b)
	}
	return must[string](d, name)
}

func (d *decoder) trace() []claim.Step {
	var steps []claim.Step
	for _, v := range must[[]any](d, "trace") {
		m, ok := v.(map[string]any)
		if !ok {
			d.fail("trace", fmt.Errorf("a step is %T", v))
			return nil
		}
		s := decoder{doc: m}
		steps = append(steps, claim.Step{
			At:    may[time.Time](&s, "at"),
			From:  claim.State(s.text("from")),
			To:    claim.State(s.text("to")),
			By:    s.text("by"),
			Epoch: must[int64](&s, "epoch"),
		})
		if s.err != nil {
			d.fail("trace", s.err)
		}
	}
	return steps
}
