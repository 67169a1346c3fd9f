package table

import (
	"cloud.google.com/go/pubsub/v2"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// UsePubSub gives the App a client instead of one of its own; Close closes it. Call
// it before anything is made.
func (a *App) UsePubSub(c *pubsub.Client) { a.client.value, a.client.made = c, true }

// UseClaims gives the App a store that it shares with others, whatever the backend
// it was configured for; Close leaves it alone. Call it before anything is made.
func (a *App) UseClaims(s claim.Store, l claim.Lister, letters letter.Store) {
	a.claims.value, a.claims.made = claimStore{Store: s, Lister: l, letters: letters}, true
}
