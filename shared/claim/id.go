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
	return hex.EncodeToString(sum[:])
}

// NewToken returns 128 random bits in hex: an owner or a write ID.
func NewToken() string {
	var b [16]byte
	rand.Read(b[:]) // crypto/rand.Read never fails: it ends the process instead
	return hex.EncodeToString(b[:])
}

// Digest is the SHA-256 hex over parts, each with its length, so that moving a byte
// from one to the next gives another.
func Digest(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}
