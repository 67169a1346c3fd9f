package letter

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// ID names the letter that a claim left in an epoch. Publishing or storing it twice
// gives the same letter; a later epoch gives another, so that removing an old one
// never takes a new one with it.
func ID(claimID string, epoch int64) string { return claimID + "-" + strconv.FormatInt(epoch, 10) }

// MismatchID names the letter of an event that came under a known key with other data.
func MismatchID(claimID, payloadHash string) string {
	return claimID + "-mismatch-" + payloadHash[:min(16, len(payloadHash))]
}

// ForeignID names a letter that brings no key: by the topic and ID of its own message there.
func ForeignID(source, messageID string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(source)) + ":" + source + messageID))
	return "foreign-" + hex.EncodeToString(sum[:])
}
