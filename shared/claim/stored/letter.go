package stored

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"onceway.internal/shared/letter"
)

// head holds a letter.Letter but its ID, its Data and StoredAt, which every
// store keeps beside it.
type head struct {
	Key         text      `json:"key,omitempty"`
	Handler     text      `json:"handler,omitempty"`
	Reason      text      `json:"reason"`
	Attempts    int       `json:"attempts"`
	Epoch       int64     `json:"epoch"`
	Error       text      `json:"error,omitempty"`
	Source      text      `json:"source,omitempty"`
	Topic       text      `json:"topic,omitempty"`
	MessageID   text      `json:"messageID,omitempty"`
	Attributes  [][2]text `json:"attributes,omitempty"` // pairs, since a JSON name must be UTF-8
	OrderingKey text      `json:"orderingKey,omitempty"`
	PayloadHash text      `json:"payloadHash,omitempty"`
	PublishedAt time.Time `json:"publishedAt,omitzero"`
}

// EncodeLetter returns l without its ID, Data and StoredAt.
func EncodeLetter(l letter.Letter) ([]byte, error) {
	w := head{
		Key: text(l.Key), Handler: text(l.Handler), Reason: text(l.Reason), Attempts: l.Attempts, Epoch: l.Epoch,
		Error: text(l.Error), Source: text(l.Source), Topic: text(l.Topic), MessageID: text(l.MessageID),
		OrderingKey: text(l.OrderingKey), PayloadHash: text(l.PayloadHash), PublishedAt: l.PublishedAt,
	}
	for _, name := range slices.Sorted(maps.Keys(l.Attributes)) {
		w.Attributes = append(w.Attributes, [2]text{text(name), text(l.Attributes[name])})
	}
	b, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode letter: %w", err)
	}
	return b, nil
}

// DecodeLetter returns the letter whose head is b, without Data and StoredAt.
func DecodeLetter(id string, b []byte) (letter.Letter, error) {
	var w head
	if err := json.Unmarshal(b, &w); err != nil {
		return letter.Letter{ID: id}, fmt.Errorf("decode letter %s: %w", id, err)
	}
	l := letter.Letter{
		ID: id, Key: string(w.Key), Handler: string(w.Handler), Reason: string(w.Reason), Attempts: w.Attempts, Epoch: w.Epoch,
		Error: string(w.Error), Source: string(w.Source), Topic: string(w.Topic), MessageID: string(w.MessageID),
		OrderingKey: string(w.OrderingKey), PayloadHash: string(w.PayloadHash), PublishedAt: w.PublishedAt,
	}
	for _, pair := range w.Attributes {
		if l.Attributes == nil {
			l.Attributes = map[string]string{}
		}
		l.Attributes[string(pair[0])] = string(pair[1])
	}
	return l, nil
}
