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

func (k keys) claim(id string) string { return k.bucket(bucket(id, claimBuckets)) + "claim:" + id }

// bucket begins the keys of a bucket.
func (k keys) bucket(b int) string {
	const hex = "0123456789abcdef"
	return k.prefix + "{claims-" + hex[b>>4:b>>4+1] + hex[b&15:b&15+1] + "}:"
}

// state is the index of a state in a bucket.
func (k keys) state(b int, s claim.State) string { return k.bucket(b) + "state:" + string(indexed(s)) }

// indexed is the name of a state's index. All words that are no state share one.
func indexed(s claim.State) claim.State {
	if !s.Known() {
		return ""
	}
	return s
}

// create is what the script may touch that writes a record which is not there: the
// record and the index it goes to.
func (k keys) create(id string, s claim.State) []string {
	return []string{k.claim(id), k.state(bucket(id, claimBuckets), s)}
}

// swap is what the script may touch that writes a record which is there: besides, the
// indexes where it may be.
func (k keys) swap(id string, s claim.State) []string {
	base := k.bucket(bucket(id, claimBuckets))
	touched := append(make([]string, 0, len(claim.States)+2), base+"claim:"+id, base+"state:"+string(indexed(s)))
	if s.Known() {
		touched = append(touched, base+"state:")
	}
	for _, other := range claim.States {
		if other != s {
			touched = append(touched, base+"state:"+string(other))
		}
	}
	return touched
}

func (k keys) letter(id string) string {
	return fmt.Sprintf("%s{letters-%x}:letter:%s", k.prefix, bucket(id, letterBuckets), id)
}

func (k keys) stored(b int) string { return fmt.Sprintf("%s{letters-%x}:stored", k.prefix, b) }
