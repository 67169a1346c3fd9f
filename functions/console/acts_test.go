package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/functions/console"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
)

// twice sends one form eight times at once to two processes, and expects the same
// good answer from all.
func (w *world) twice(path string, v url.Values) {
	w.t.Helper()
	other := must(console.New(w.deps))(w.t)
	var all sync.WaitGroup
	for i := range 8 {
		h := w.handler
		if i%2 == 1 {
			h = other
		}
		all.Go(func() {
			if rec := serve(h, w.request(http.MethodPost, path, v.Encode())); rec.Code != http.StatusSeeOther {
				w.t.Errorf("click %d on %s: %d\n%s", i, path, rec.Code, rec.Body)
			}
		})
	}
	all.Wait()
}

func TestADoubleClickActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.form("/groups", "groups/dg02/reserve")
	f.Set("customers", "acme, globex")
	f.Set("lasts", "4h")
	f.Set("why", "launch")
	w.twice("/groups/dg02/reserve", f)
	r := must(w.live.Load(t.Context()))(t).Reservations["dg02"]
	if d := time.Until(r.Until); d < 3*time.Hour || d > 4*time.Hour || r.By != operator || r.Note != "launch" || !cmp.Equal(r.Customers, []string{"acme", "globex"}) {
		t.Errorf("reservation is %+v", r)
	}
	if diff := cmp.Diff([]string{"reserve dg02: started", "reserve dg02: done"}, w.entries()); diff != "" {
		t.Error(diff)
	}
}

func TestADoubleClickOnAClaimOrLetterActsOnce(t *testing.T) {
	t.Parallel()
	t.Run("done", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.parked("order-1")
		f := w.form("/claims/"+id, "claims/"+id+"/resolve")
		w.twice("/claims/"+id+"/resolve", f)
		if s := w.claim(id); s.State != claim.Done || len(s.Trace) != 3 {
			t.Errorf("claim is %s after %d steps", s.State, len(s.Trace))
		}
	})
	t.Run("retry", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.parked("order-1")
		f := w.form("/claims/"+id, "claims/"+id+"/resolve")
		f.Set("as", "retry")
		w.twice("/claims/"+id+"/resolve", f)
		if s := w.claim(id); s.State != claim.Retry || s.Epoch != 2 {
			t.Errorf("claim is %s in epoch %d", s.State, s.Epoch)
		}
		w.published("order-1")
	})
	// A click that comes when the first has ended, to another process: one that comes
	// during it publishes once more under the key, which acts once.
	t.Run("replay", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.dead("order-1")
		f := w.form("/letters/"+id, "letters/"+id+"/replay")
		w.post("/letters/"+id+"/replay", f)
		w.twice("/letters/"+id+"/replay", f)
		w.published("order-1")
	})
	t.Run("replay, both at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.dead("order-1")
		w.twice("/letters/"+id+"/replay", w.form("/letters/"+id, "letters/"+id+"/replay"))
		for _, m := range w.topic.all() {
			if m.Attributes["onceway-key"] != "order-1" {
				t.Errorf("published under the key %q", m.Attributes["onceway-key"])
			}
		}
		if s := w.claim(claim.ID("relay", "order-1")); s.Epoch != 2 {
			t.Errorf("claim is in epoch %d, want one replay", s.Epoch)
		}
		if diff := cmp.Diff([]string{"replay " + id + ": started", "replay " + id + ": done"}, w.entries()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("replay as new", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.dead("order-1")
		f := w.form("/letters/"+id, "letters/"+id+"/replay")
		f.Set("newkey", "yes")
		w.twice("/letters/"+id+"/replay", f)
		keys := map[string]bool{}
		for _, m := range w.topic.all() {
			keys[m.Attributes["onceway-key"]] = true
		}
		if len(keys) != 1 || keys["order-1"] {
			t.Errorf("published under the keys %v, want one new one", keys)
		}
	})
	t.Run("drop", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.dead("order-1")
		f := w.form("/letters/"+id, "letters/"+id+"/drop")
		w.post("/letters/"+id+"/drop", f)
		w.twice("/letters/"+id+"/drop", f)
		if diff := cmp.Diff([]string{"drop " + id + ": started", "drop " + id + ": done"}, w.entries()); diff != "" {
			t.Error(diff)
		}
	})
}

// published checks that one event went out, under its key.
func (w *world) published(key string) {
	w.t.Helper()
	all := w.topic.all()
	if len(all) != 1 || all[0].Attributes["onceway-key"] != key || string(all[0].Data) != "payload of "+key {
		w.t.Errorf("published %d events: %v", len(all), all)
	}
}

// A page that comes back by the browser's history has its old token: filled in anew it
// is a new operation, which the version then judges.
func TestAnOldTokenWithOtherContentIsAnotherOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.form("/groups", "groups/dg02/reserve")
	f.Set("customers", "acme")
	w.post("/groups/dg02/reserve", f)
	f.Set("customers", "globex")
	if rec := w.post("/groups/dg02/reserve", f); rec.Code != http.StatusConflict {
		t.Errorf("answer %d, want 409: it must not pass for the first", rec.Code)
	}
}

func TestNothingIsDoneThatCantBeAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, dead := w.parked("order-1"), w.dead("order-2")
	w.deps.Audit = brokenLog{w.audit}
	w.handler = must(console.New(w.deps))(t)
	for path, body := range map[string]string{
		"/groups/dg01/drain":           "token=t",
		"/claims/" + id + "/resolve":   "token=t&as=done",
		"/letters/" + dead + "/replay": "token=t",
		"/letters/" + dead + "/drop":   "token=t",
	} {
		if rec := serve(w.handler, w.request(http.MethodPost, path, body)); rec.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d, want 503", path, rec.Code)
		}
	}
	w.untouched()
	if s := w.claim(id); s.State != claim.Indeterminate {
		t.Errorf("claim is %s", s.State)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, dead := w.parked("order-1"), w.dead("order-2")
	w.deps.Claims = nil
	for path, tc := range map[string]struct {
		body, says string
		status     int
	}{
		"/groups/dg01/release":           {"token=t", "nothing to release", 409},
		"/groups/dg09/drain":             {"token=t", "no such group", 404},
		"/groups/dg01/reserve":           {"token=t&customers=,", "at least one customer", 400},
		"/groups/dg02/reserve":           {"token=t&customers=acme&lasts=-4h", "can&#39;t be read", 400},
		"/groups/dg01/explode":           {"token=t", "nothing here", 404},
		"/groups/dg01/drain":             {"", "names no operation", 400},
		"/claims/" + id + "/resolve":     {"token=t&as=perhaps", "Say done", 400},
		"/letters/" + dead + "-x/replay": {"token=t", "no longer stored", 409},
	} {
		rec := serve(w.handler, w.request(http.MethodPost, path, tc.body))
		if rec.Code != tc.status || !strings.Contains(rec.Body.String(), tc.says) {
			t.Errorf("%s: %d, want %d with %q", path, rec.Code, tc.status, tc.says)
		}
	}
}

func TestTheAPIActsOnceForOneKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ops []string
	for range 3 {
		r := w.request(http.MethodPost, "/api/v1/groups/dg01/reserve", `{"customers":["acme"],"until":"2099-01-02T03:04:05Z","why":"launch"}`)
		r.Header.Set("Idempotency-Key", "one")
		rec := serve(w.handler, r)
		var answer struct{ Operation string }
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != 200 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		ops = append(ops, answer.Operation)
	}
	if ops[0] == "" || ops[0] != ops[1] || ops[0] != ops[2] {
		t.Errorf("operations %v are not one", ops)
	}
	want := groups.Reservation{Group: "dg01", Customers: []string{"acme"}, Until: time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC), Note: "launch", By: operator}
	got := must(w.live.Load(t.Context()))(t).Reservations["dg01"]
	got.Since = time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(w.entries()); n != 2 {
		t.Errorf("%d audit entries, want 2", n)
	}
}
