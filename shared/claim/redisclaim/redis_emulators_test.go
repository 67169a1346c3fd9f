//go:build emulators

package redisclaim_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/test/servers"
	"onceway.internal/test/wire"
)

func record(key string, state claim.State) claim.Record {
	return claim.Record{ID: claim.ID("redis", key), Key: key, State: state, WriteID: claim.NewToken(), Lease: time.Minute}
}

// TestConformanceInACluster would fail by CROSSSLOT, or by a key that a script
// didn't declare, if what changes together were in two slots, and by MOVED if a call
// went to a node that doesn't have its slot.
func TestConformanceInACluster(t *testing.T) {
	t.Parallel()
	nodes, url := startCluster(t, 3)
	conform(t, url)
	t.Cleanup(func() { // before the servers stop
		for _, s := range nodes {
			if n, err := connect(t, s.URL).DBSize(context.Background()).Result(); err != nil || n == 0 {
				t.Errorf("node %s has %d keys (%v): nothing was asked of it", s.Addr, n, err)
			}
		}
	})
}

func TestPasswordAndTLSByURL(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	port := freePort(t)
	start(t, "--requirepass", "s3cret", "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	good := "rediss://:s3cret@127.0.0.1:" + port + "/0?skip_verify=true"
	await(t, func() error { return connect(t, good).Ping(t.Context()).Err() })
	if _, err := open(t, connect(t, good), "tls:").Create(t.Context(), record("a", claim.Claimed)); err != nil {
		t.Errorf("Create over TLS with the password: %v", err)
	}
	for name, url := range map[string]string{
		"wrong password":        strings.Replace(good, "s3cret", "guess", 1),
		"certificate not known": strings.Replace(good, "?skip_verify=true", "", 1),
	} {
		if err := connect(t, url).Ping(t.Context()).Err(); err == nil {
			t.Errorf("%s: the server let us in", name)
		}
	}
}

func TestServerThatForgotTheScriptsGetsThemAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := connect(t, s.URL)
	store := open(t, client, "")
	for _, key := range []string{"a", "b"} {
		if _, err := store.Create(t.Context(), record(key, claim.Claimed)); err != nil {
			t.Fatalf("Create: %v", err)
		}
		if err := client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnlyFinishedClaimsExpire(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s := open(t, client, "ttl:")
	for _, state := range claim.States {
		r := record(string(state), state)
		r.ExpireAt = time.Now().Add(48 * time.Hour)
		v, err := s.Create(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		ttl := func() time.Duration { return client.PTTL(t.Context(), redisclaim.ClaimKey("ttl:", r.ID)).Val() }
		finished := state == claim.Done || state == claim.Dead
		if got := ttl(); finished != (got > 47*time.Hour && got <= 48*time.Hour) || !finished && got != -1 {
			t.Errorf("%s has a time to live of %v", state, got)
		}
		r.State, r.WriteID = claim.Retry, claim.NewToken()
		if _, err := s.Swap(t.Context(), r.ID, v.Version, r); err != nil {
			t.Fatal(err)
		}
		if got := ttl(); got != -1 {
			t.Errorf("%s that became RETRY kept a time to live of %v", state, got)
		}
	}
}

func TestHostWithAWrongClockCannotMakeAClaimVanish(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	r := record("a", claim.Done)
	r.ExpireAt = time.Now().AddDate(-1, 0, 0)
	if _, err := open(t, client, "skew:").Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := client.PTTL(t.Context(), redisclaim.ClaimKey("skew:", r.ID)).Val(); got < 59*time.Minute {
		t.Errorf("time to live is %v, want an hour", got)
	}
}

func TestIndexForgetsWhatExpired(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s, r := open(t, client, "index:"), record("a", claim.Done)
	index := redisclaim.StateKey("index:", r.ID, claim.Done)
	// What a record leaves that expired a second ago.
	old := redis.Z{Score: float64(time.Now().Add(-time.Second).UnixMicro()), Member: "expired"}
	if err := client.ZAdd(t.Context(), index, old).Err(); err != nil {
		t.Fatal(err)
	}
	if records, _, err := s.List(t.Context(), claim.Done, "", 10); err != nil || len(records) > 0 {
		t.Errorf("an expired record is listed: %v, %v", records, err)
	}
	r.ExpireAt = time.Now().Add(48 * time.Hour)
	if _, err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{r.ID}, client.ZRange(t.Context(), index, 0, -1).Val()); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}

func TestServerOutOfMemoryIsAFullStore(t *testing.T) {
	t.Parallel()
	s := start(t, "--maxmemory", "1") // less than it has in use already
	_, err := open(t, connect(t, s.URL), "").Create(t.Context(), record("a", claim.Claimed))
	if !errors.Is(err, claim.ErrFull) {
		t.Errorf("Create answered %v, want ErrFull", err)
	}
}

func TestEvictionPolicyIsThatOfTheNodeThatEvicts(t *testing.T) {
	t.Parallel()
	nodes, url := startCluster(t, 2)
	cluster, alone := connect(t, url), connect(t, nodes[1].URL)
	for _, want := range []string{"noeviction", "allkeys-lru"} {
		if err := alone.ConfigSet(t.Context(), "maxmemory-policy", want).Err(); err != nil {
			t.Fatal(err)
		}
		for name, client := range map[string]redis.UniversalClient{"alone": alone, "cluster": cluster} {
			if got, err := redisclaim.EvictionPolicy(t.Context(), client); err != nil || got != want {
				t.Errorf("%s: policy %q and %v, want %s", name, got, err, want)
			}
		}
	}
}

// TestRepeatedCommandShowsItself cuts the connection after the server did the
// write: the client repeats it, and the repeat finds what the first one made.
func TestRepeatedCommandShowsItself(t *testing.T) {
	t.Parallel()
	proxy := wire.New(t, strings.TrimSuffix(strings.TrimPrefix(servers.Redis(t), "redis://"), "/0"))
	client := connect(t, "redis://"+proxy.Addr()+"/0")
	s, r := open(t, client, "repeat:"), record("a", claim.Claimed)
	if _, err := s.Get(t.Context(), r.ID); !errors.Is(err, claim.ErrNotFound) { // connects
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), record("other", claim.Claimed)); err != nil { // loads the script
		t.Fatal(err)
	}
	proxy.LoseNextReply()
	if _, err := s.Create(t.Context(), r); !errors.Is(err, claim.ErrExists) {
		t.Fatalf("Create answered %v, want ErrExists", err)
	}
	got, err := s.Get(t.Context(), r.ID)
	if err != nil || got.WriteID != r.WriteID {
		t.Fatalf("read back write ID %q and %v, want our own %q", got.WriteID, err, r.WriteID)
	}
	proxy.LoseNextReply()
	next := r
	next.WriteID = claim.NewToken()
	if _, err := s.Swap(t.Context(), r.ID, got.Version, next); !errors.Is(err, claim.ErrConflict) {
		t.Fatalf("Swap answered %v, want ErrConflict", err)
	}
}

func TestOpenRefusesBadURLsWithoutPrintingPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "http://:s3cret@host", "redis://:s3cret@host:x y", "redis://:s3cret@host/0?no_such=1"} {
		if _, err := redisclaim.Open(url); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) answered %v", url, err)
		}
	}
}

func TestNewRefusesNoClientAndBraces(t *testing.T) {
	t.Parallel()
	if _, err := redisclaim.New(nil, ""); err == nil {
		t.Error("New took no client")
	}
	if _, err := redisclaim.NewLetters(nil, ""); err == nil {
		t.Error("NewLetters took no client")
	}
	if _, err := redisclaim.New(connect(t, "redis://127.0.0.1:1/0"), "{a}"); err == nil {
		t.Error("New took a prefix with braces")
	}
}

// TestVersionGoesOnWhenTheServerClockStepsBack stores a record as it would be had
// the clock been an hour ahead when it was written.
func TestVersionGoesOnWhenTheServerClockStepsBack(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s, r := open(t, client, "clock:"), record("a", claim.Claimed)
	if _, err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ahead := time.Now().Add(time.Hour).UnixMicro()
	if err := client.HSet(t.Context(), redisclaim.ClaimKey("clock:", r.ID), "version", ahead).Err(); err != nil {
		t.Fatal(err)
	}
	before, err := s.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if before.LeaseOver() {
		t.Error("a lease is over by a clock that stepped back")
	}
	after, err := s.Swap(t.Context(), r.ID, before.Version, r)
	if err != nil {
		t.Fatal(err)
	}
	if after.Version == before.Version || !after.Written.After(before.Written) {
		t.Errorf("version %s, written %v after version %s, written %v", after.Version, after.Written, before.Version, before.Written)
	}
}
