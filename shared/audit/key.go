package audit

import (
	"crypto/sha256"
	"encoding/hex"
)

// Key is the document ID of an entry: the SHA-256 hex of its ID, which may hold
// any bytes, slashes too.
func Key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
