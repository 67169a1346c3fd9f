package claim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// ID is the document ID of a key under a handler: the SHA-256 hex over both,
// length-prefixed, so that it holds any bytes and spreads over the key space.
func ID(handler, key string) string { return Digest("claim", handler, key) }

// OperationID is what downstream systems deduplicate by: derived from handler
// and key alone, so the same in every epoch. 32 hex digits.
func OperationID(handler, key string) string { return Digest("operation", handler, key)[:32] }

// PayloadHash is the SHA-256 hex of a message's data bytes.
func PayloadHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hexText(sum[:])
}

// NewToken returns 128 random bits in hex: an owner or a write ID.
func NewToken() string {
	var b [16]byte
	rand.Read(b[:]) // crypto/rand.Read never fails: it ends the process instead
	return hexText(b[:])
}

// Digest is the SHA-256 hex over parts, each with its length, so that moving a byte
// from one to the next gives another.
func Digest(parts ...string) string {
	text := make([]byte, 0, 512) // most digests are of less, and need no memory beside it
	for _, p := range parts {
		text = binary.BigEndian.AppendUint64(text, uint64(len(p)))
		text = append(text, p...)
	}
	return PayloadHash(text)
}

// hexText is hex.EncodeToString without a copy.
func hexText(b []byte) string {
	var digits [2 * sha256.Size]byte
	return string(digits[:hex.Encode(digits[:], b)])
}
