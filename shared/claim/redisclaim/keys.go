package redisclaim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim"
)

const (
	claimBuckets  = 256 // so many places in a cluster's slots can claims spread over
	letterBuckets = 16  // a page of letters asks all of them
)

// keys names what is stored.
type keys struct{ prefix string }

func newKeys(client redis.UniversalClient, prefix string) (keys, error) {
	if client == nil {
		return keys{}, errors.New("client is nil")
	}
	if strings.ContainsAny(prefix, "{}") {
		return keys{}, fmt.Errorf("prefix %q holds a brace, which would choose the cluster slot", prefix)
	}
	return keys{prefix: prefix}, nil
}

func bucket(id string, of uint32) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % of)
}

func (k keys) claim(id string) string {
	return fmt.Sprintf("%s{claims-%02x}:claim:%s", k.prefix, bucket(id, claimBuckets), id)
}

// state is the index of a state in a bucket. All words that are no state share one.
func (k keys) state(b int, s claim.State) string {
	if !s.Known() {
		s = ""
	}
	return fmt.Sprintf("%s{claims-%02x}:state:%s", k.prefix, b, s)
}

// write is what the script that writes a record may touch: the record, the
// index it goes to, and those where it may be.
func (k keys) write(id string, s claim.State) []string {
	b := bucket(id, claimBuckets)
	to := k.state(b, s)
	touched := []string{k.claim(id), to}
	for _, other := range append([]claim.State{""}, claim.States...) {
		if from := k.state(b, other); from != to {
			touched = append(touched, from)
		}
	}
	return touched
}

func (k keys) letter(id string) string {
	return fmt.Sprintf("%s{letters-%x}:letter:%s", k.prefix, bucket(id, letterBuckets), id)
}

func (k keys) stored(b int) string { return fmt.Sprintf("%s{letters-%x}:stored", k.prefix, b) }
