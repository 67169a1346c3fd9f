//go:build emulators

package redisclaim_test

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/test/servers"
	"onceway.internal/test/wire"
)

const crowd = 40

// atOnce runs f for 0 to n-1 at one moment.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}

// through is a store behind a proxy of its own.
func through(t *testing.T) (*redisclaim.Store, *wire.Proxy) {
	t.Helper()
	u, err := url.Parse(servers.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := wire.New(t, u.Host)
	u.Host = proxy.Addr()
	return open(t, connect(t, u.String()), claim.NewToken()+":"), proxy
}

// created are that many records of s.
func created(t *testing.T, s *redisclaim.Store, n int) []claim.Stored {
	t.Helper()
	all := make([]claim.Stored, n)
	for i := range all {
		var err error
		if all[i], err = s.Create(t.Context(), record(fmt.Sprint(i), claim.Claimed)); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestCallsOfOneMomentTravelTogetherAndEachGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	s, proxy := through(t)
	all := created(t, s, crowd)
	for deadline := time.Now().Add(30 * time.Second); ; {
		proxy.RoundTrips()
		atOnce(crowd, func(i int) {
			if got, err := s.Get(t.Context(), all[i].ID); err != nil || got.WriteID != all[i].WriteID {
				t.Errorf("record %d came as %q: %v", i, got.Key, err)
			}
		})
		trips := proxy.RoundTrips()
		if trips < crowd/2 || t.Failed() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d calls at once took %d round trips", crowd, trips)
		}
	}
}

func TestCallThatFailsSpoilsNoneThatTravelWithIt(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	prefix := claim.NewToken() + ":"
	s := open(t, client, prefix)
	all := created(t, s, crowd)
	if err := client.Set(t.Context(), redisclaim.ClaimKey(prefix, all[7].ID), "no hash", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		atOnce(crowd, func(i int) {
			next := all[i].Record
			next.WriteID = claim.NewToken()
			got, err := s.Swap(t.Context(), next.ID, all[i].Version, next)
			if (err != nil) != (i == 7) {
				t.Errorf("swap %d: %v", i, err)
			}
			if err == nil {
				all[i] = got
			}
		})
	}
}

func TestServerThatForgotTheScriptsGetsThemAgainFromACrowd(t *testing.T) {
	t.Parallel()
	server := start(t)
	client := connect(t, server.URL)
	s := open(t, client, "")
	for round := range 3 {
		if err := client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		atOnce(crowd, func(i int) {
			if _, err := s.Create(t.Context(), record(fmt.Sprint(round, i), claim.Claimed)); err != nil {
				t.Errorf("Create: %v", err)
			}
		})
	}
}

// TestEachCallEndsWithItsOwnTime has half of a crowd in a hurry while the server is
// out of reach. The others are still there when it comes back.
func TestEachCallEndsWithItsOwnTime(t *testing.T) {
	t.Parallel()
	s, proxy := through(t)
	all := created(t, s, crowd)
	for range 5 {
		proxy.Swallow()
		var hurried sync.WaitGroup
		hurried.Add(crowd / 2)
		mended := make(chan struct{})
		go func() {
			defer close(mended)
			hurried.Wait()
			proxy.Mend()
		}()
		atOnce(crowd, func(i int) {
			limit := time.Minute
			if i%2 == 0 {
				limit = 50 * time.Millisecond
				defer hurried.Done()
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			_, err := s.Get(ctx, all[i].ID)
			// The client alone would try for longer: 3 s, several times.
			if took := time.Since(began); (err != nil) != (i%2 == 0) || err != nil && took > 8*time.Second {
				t.Errorf("call with %v took %v: %v", limit, took, err)
			}
		})
		<-mended
		if t.Failed() {
			return
		}
	}
}
