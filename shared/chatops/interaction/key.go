package interaction

import (
	"cmp"
	"maps"
	"slices"

	"onceway.internal/shared/claim"
)

// maxKey bounds what is taken as a key as it stands; what is longer is hashed.
const maxKey = 512

// Key identifies the interaction: two deliveries with one key are one. Empty
// means that nothing in it does, and the Pub/Sub message's own ID has to serve.
//
// An event's own ID comes first; a message is known by its name, else by where,
// when and what was said; anything else by who did what to which message when,
// with the button's parameters, so that Confirm and Cancel on one card differ.
func (e Event) Key() string {
	switch {
	case e.ID != "":
		return bounded(e.ID)
	case e.Type == Message && e.MessageName != "":
		return bounded(e.MessageName)
	case e.Type == Message && cmp.Or(e.MessageTime, e.Time) != "":
		return claim.Digest(e.Space.Name, e.Thread, cmp.Or(e.MessageTime, e.Time), e.Text)
	case e.Type == Message || !e.Type.Known() || e.Time == "":
		// Without a time two interactions can't be told apart: as one, the second
		// would be lost, or taken for a repeat with another payload.
		return ""
	}
	parts := []string{string(e.Type), e.Time, cmp.Or(e.User.Name, e.User.Email), e.Space.Name, e.MessageName, e.Function, e.CommandID}
	for _, k := range slices.Sorted(maps.Keys(e.Parameters)) {
		parts = append(parts, k, e.Parameters[k])
	}
	return claim.Digest(parts...)
}

func bounded(s string) string {
	if len(s) > maxKey {
		return claim.Digest(s)
	}
	return s
}
