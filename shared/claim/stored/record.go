package stored

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
)

// record holds a claim.Record but its ID, under which it is stored. The fields
// without omitempty are there in every record. T is string, which is quick, wherever
// all of a record's texts are UTF-8, and else text.
type record[T ~string] struct {
	Key         T         `json:"key"`
	Handler     T         `json:"handler"`
	Subject     T         `json:"subject,omitempty"`
	Policy      T         `json:"policy"`
	State       T         `json:"state"`
	Owner       T         `json:"owner,omitempty"`
	Epoch       int64     `json:"epoch"`
	WriteID     T         `json:"writeID"`
	Attempts    int       `json:"attempts"`
	Lease       string    `json:"lease"` // with its unit, as time.Duration prints it
	LeaseEnd    time.Time `json:"leaseEnd,omitzero"`
	PayloadHash T         `json:"payloadHash"`
	OperationID T         `json:"operationID"`
	Reason      T         `json:"reason,omitempty"`
	LastError   T         `json:"lastError,omitempty"`
	Result      *[]byte   `json:"result,omitempty"`
	Republish   bool      `json:"republish,omitempty"`
	Trace       []step[T] `json:"trace,omitempty"`
	CreatedAt   time.Time `json:"createdAt,omitzero"`
	ExpireAt    time.Time `json:"expireAt,omitzero"`
	Summary     T         `json:"summary,omitempty"`
}

type step[T ~string] struct {
	At    time.Time `json:"at,omitzero"`
	From  T         `json:"from,omitempty"`
	To    T         `json:"to"`
	By    T         `json:"by"`
	Epoch int64     `json:"epoch"`
}

// EncodeRecord returns r without its ID.
func EncodeRecord(r claim.Record) ([]byte, error) {
	b, err := json.Marshal(fill[string](r))
	// This is how a byte that is not UTF-8 comes out, which would be its loss.
	if err == nil && bytes.Contains(b, []byte(`\ufffd`)) {
		b, err = json.Marshal(fill[text](r))
	}
	if err != nil {
		return nil, fmt.Errorf("encode claim: %w", err)
	}
	return b, nil
}

func fill[T ~string](r claim.Record) record[T] {
	w := record[T]{
		Key: T(r.Key), Handler: T(r.Handler), Subject: T(r.Subject), Policy: T(r.Policy),
		State: T(r.State), Owner: T(r.Owner), Epoch: r.Epoch, WriteID: T(r.WriteID),
		Attempts: r.Attempts, Lease: r.Lease.String(), LeaseEnd: r.LeaseEnd,
		PayloadHash: T(r.PayloadHash), OperationID: T(r.OperationID),
		Reason: T(r.Reason), LastError: T(r.LastError), Republish: r.Republish,
		CreatedAt: r.CreatedAt, ExpireAt: r.ExpireAt, Summary: T(r.Summary),
	}
	if r.Result != nil {
		w.Result = &r.Result
	}
	for _, s := range r.Trace {
		w.Trace = append(w.Trace, step[T]{At: s.At, From: T(s.From), To: T(s.To), By: T(s.By), Epoch: s.Epoch})
	}
	return w
}

// DecodeRecord returns the record that is stored under id. Its error is, among
// others, claim.ErrUnreadable; the record then holds the ID alone.
func DecodeRecord(id string, b []byte) (claim.Record, error) {
	r, err := decode[string](id, b)
	if err != nil { // maybe since a text is not UTF-8
		r, err = decode[text](id, b)
	}
	if err != nil {
		return claim.Record{ID: id}, fmt.Errorf("%w: %w", claim.ErrUnreadable, err)
	}
	return r, nil
}

func decode[T ~string](id string, b []byte) (r claim.Record, err error) {
	var w record[T]
	if err := json.Unmarshal(b, &w); err != nil {
		return r, err
	}
	lease, err := time.ParseDuration(w.Lease)
	if err != nil {
		return r, err
	}
	r = claim.Record{
		ID: id, Key: string(w.Key), Handler: string(w.Handler), Subject: string(w.Subject), Policy: claim.Policy(w.Policy),
		State: claim.State(w.State), Owner: string(w.Owner), Epoch: w.Epoch, WriteID: string(w.WriteID),
		Attempts: w.Attempts, Lease: lease, LeaseEnd: w.LeaseEnd,
		PayloadHash: string(w.PayloadHash), OperationID: string(w.OperationID),
		Reason: string(w.Reason), LastError: string(w.LastError), Republish: w.Republish,
		CreatedAt: w.CreatedAt, ExpireAt: w.ExpireAt, Summary: string(w.Summary),
	}
	if w.Result != nil {
		r.Result = *w.Result
	}
	for _, s := range w.Trace {
		r.Trace = append(r.Trace, claim.Step{At: s.At, From: claim.State(s.From), To: claim.State(s.To), By: string(s.By), Epoch: s.Epoch})
	}
	return r, nil
}
