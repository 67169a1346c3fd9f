package redisclaim

import "onceway.internal/shared/claim"

// ClaimKey is where a record stands.
func ClaimKey(prefix, id string) string { return keys{prefix: prefix}.claim(id) }

// StateKey is the index that lists the record while it is in a state.
func StateKey(prefix, id string, s claim.State) string {
	return keys{prefix: prefix}.state(bucket(id, claimBuckets), s)
}
