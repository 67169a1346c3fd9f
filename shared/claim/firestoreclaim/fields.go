package firestoreclaim

import (
	"unicode/utf8"

	"cloud.google.com/go/firestore"
)

// fields are all the fields of a document that this package writes. A field that
// must not be there holds firestore.Delete.
type fields map[string]any

// present is the form for Create and Set, which can't delete.
func (f fields) present() map[string]any {
	m := make(map[string]any, len(f))
	for name, v := range f {
		if v != any(firestore.Delete) {
			m[name] = v
		}
	}
	return m
}

// updates is the form for Update: it names every field, so nothing is left of
// what was there.
func (f fields) updates() []firestore.Update {
	u := make([]firestore.Update, 0, len(f))
	for name, v := range f {
		u = append(u, firestore.Update{Path: name, Value: v})
	}
	return u
}

// text is s as Firestore takes it: its strings are UTF-8, anything else is bytes.
func text(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return []byte(s)
}
