package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

type idKey struct{}

// WithID says under which ID the change that is made with ctx is recorded, so that
// its repeat records nothing new.
func WithID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// Changes records changes just before they are made. It is the auditor that a
// package takes which audits its own changes, such as the book of groups.
type Changes struct {
	Log Log
	Via Via
	Now func() time.Time
}

// Audit records that by is about to do action to target. When it answers with an
// error the change must not be made.
func (c Changes) Audit(ctx context.Context, by, action, target, detail string) error {
	if c.Log == nil || c.Now == nil {
		return errors.New("record a change: no audit log or no clock")
	}
	id, ok := ctx.Value(idKey{}).(string)
	if !ok || id == "" {
		id = rand.Text()
	}
	return c.Log.Record(ctx, Entry{
		ID: id, At: c.Now(), Actor: by, Action: action, Target: target, After: detail,
		Via: c.Via, Outcome: Started,
	})
}
