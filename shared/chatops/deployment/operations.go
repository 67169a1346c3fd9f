package deployment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// Annotation holds the operations of the latest changes to a Deployment.
const Annotation = "onceway.internal/operations"

// kept is how many operations are remembered on a Deployment.
const kept = 20

// operations is the annotation's content.
type operations struct {
	// Since is from when on the list is complete, by the clock of whoever wrote it.
	Since time.Time   `json:"since"`
	Done  []operation `json:"done"` // oldest first
}

type operation struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

var errOperations = errors.New("the annotation " + Annotation + " can't be read")

// readOperations answers with the list and whether it is ours: whether nobody else
// changed it since we wrote it. One that is absent is nobody's.
func readOperations(d *appsv1.Deployment) (o operations, ours bool, err error) {
	text, ok := d.Annotations[Annotation]
	if !ok {
		return operations{}, false, nil
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return operations{}, false, fmt.Errorf("%w: %w", errOperations, err)
	}
	return o, owned(d), nil
}

// owned reports whether the API server says that our field manager was the last
// to change the annotation.
func owned(d *appsv1.Deployment) bool {
	const field = "f:" + Annotation
	for _, m := range d.ManagedFields {
		if m.Manager != manager || m.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				Annotations map[string]json.RawMessage `json:"f:annotations"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal(m.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if _, ok := fields.Metadata.Annotations[field]; ok {
			return true
		}
	}
	return false
}

func (o operations) has(id string) bool {
	return slices.ContainsFunc(o.Done, func(d operation) bool { return d.ID == id })
}

// with adds an operation. A list that somebody else changed may lack some, so it
// is complete only from now on; so is one of which an entry is dropped, from that
// entry's time.
func (o operations) with(id string, now time.Time, ours bool) operations {
	now = now.UTC().Truncate(time.Second)
	if !ours {
		o.Since = now
	}
	o.Done = append(slices.Clone(o.Done), operation{ID: id, At: now})
	if n := len(o.Done) - kept; n > 0 {
		if last := o.Done[n-1].At; last.After(o.Since) {
			o.Since = last
		}
		o.Done = o.Done[n:]
	}
	return o
}

func (o operations) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // times and strings always marshal
	}
	return string(text)
}
