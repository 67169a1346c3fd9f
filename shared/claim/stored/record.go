package stored

import (
	"encoding/json"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
)

// record holds a claim.Record but its ID, under which it is stored. The fields
// without omitempty are there in every record.
type record struct {
	Key         text      `json:"key"`
	Handler     text      `json:"handler"`
	Subject     text      `json:"subject,omitempty"`
	Policy      text      `json:"policy"`
	State       text      `json:"state"`
	Owner       text      `json:"owner,omitempty"`
	Epoch       int64     `json:"epoch"`
	WriteID     text      `json:"writeID"`
	Attempts    int       `json:"attempts"`
	Lease       string    `json:"lease"` // with its unit, as time.Duration prints it
	LeaseEnd    time.Time `json:"leaseEnd,omitzero"`
	PayloadHash text      `json:"payloadHash"`
	OperationID text      `json:"operationID"`
	Reason      text      `json:"reason,omitempty"`
	LastError   text      `json:"lastError,omitempty"`
	Result      *[]byte   `json:"result,omitempty"`
	Republish   bool      `json:"republish,omitempty"`
	Trace       []step    `json:"trace,omitempty"`
	CreatedAt   time.Time `json:"createdAt,omitzero"`
	ExpireAt    time.Time `json:"expireAt,omitzero"`
	Summary     text      `json:"summary,omitempty"`
}

type step struct {
	At    time.Time `json:"at,omitzero"`
	From  text      `json:"from,omitempty"`
	To    text      `json:"to"`
	By    text      `json:"by"`
	Epoch int64     `json:"epoch"`
}

// EncodeRecord returns r without its ID.
func EncodeRecord(r claim.Record) ([]byte, error) {
	w := record{
		Key: text(r.Key), Handler: text(r.Handler), Subject: text(r.Subject), Policy: text(r.Policy),
		State: text(r.State), Owner: text(r.Owner), Epoch: r.Epoch, WriteID: text(r.WriteID),
		Attempts: r.Attempts, Lease: r.Lease.String(), LeaseEnd: r.LeaseEnd,
		PayloadHash: text(r.PayloadHash), OperationID: text(r.OperationID),
		Reason: text(r.Reason), LastError: text(r.LastError), Republish: r.Republish,
		CreatedAt: r.CreatedAt, ExpireAt: r.ExpireAt, Summary: text(r.Summary),
	}
	if r.Result != nil {
		w.Result = &r.Result
	}
	for _, s := range r.Trace {
		w.Trace = append(w.Trace, step{At: s.At, From: text(s.From), To: text(s.To), By: text(s.By), Epoch: s.Epoch})
	}
	b, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode claim: %w", err)
	}
	return b, nil
}

// DecodeRecord returns the record that is stored under id. Its error is, among
// others, claim.ErrUnreadable; the record then holds the ID alone.
func DecodeRecord(id string, b []byte) (claim.Record, error) {
	var w record
	err := json.Unmarshal(b, &w)
	var lease time.Duration
	if err == nil {
		lease, err = time.ParseDuration(w.Lease)
	}
	if err != nil {
		return claim.Record{ID: id}, fmt.Errorf("%w: %w", claim.ErrUnreadable, err)
	}
	r := claim.Record{
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
