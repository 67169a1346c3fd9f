package redisclaim

import (
	"context"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/stored"
)

// readable is a record that is there, and why it can't be read, if it can't.
type readable struct {
	claim.Stored
	err error
}

// read returns those of the IDs, all of one bucket, that are there, in one round trip.
func (s *Store) read(ctx context.Context, ids []string) ([]readable, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.keys.claim(id)
	}
	answer, err := s.convoy.run(ctx, s.scripts.read, names)
	if err != nil {
		return nil, err
	}
	values, _ := answer.([]any)
	return readables(ids, values)
}

// readables reads the answer of the script for these IDs.
func readables(ids []string, answer []any) ([]readable, error) {
	if len(answer) != len(ids)+1 {
		return nil, fmt.Errorf("asked for %d records, got %d values", len(ids), len(answer))
	}
	micros, _ := answer[0].(string)
	now, err := instant(micros)
	if err != nil {
		return nil, err
	}
	var found []readable
	for i, id := range ids {
		fields, _ := answer[i+1].([]any)
		if len(fields) == 0 || fields[0] != int64(1) {
			continue
		}
		r := decode(id, fields)
		r.Now = now
		found = append(found, r)
	}
	return found, nil
}

// decode reads presence, version and record. A record without a version that can
// be read has no time either, so its lease never ends.
func decode(id string, fields []any) (r readable) {
	var version, json string
	if len(fields) == 3 {
		version, _ = fields[1].(string)
		json, _ = fields[2].(string)
	}
	r.Record, r.err = stored.DecodeRecord(id, []byte(json))
	r.Version = version
	written, err := instant(version)
	if err != nil && r.err == nil {
		r.Record, r.err = claim.Record{ID: id}, fmt.Errorf("%w: %w", claim.ErrUnreadable, err)
	}
	r.Written = written
	return r
}
