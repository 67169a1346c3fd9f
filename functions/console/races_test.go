package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"onceway.internal/shared/claim"
)

func TestOfTwoTabsOneIsToldThatTheOtherWasFaster(t *testing.T) {
	t.Parallel()
	conflict := func(t *testing.T, rec interface{ Result() *http.Response }, body string) {
		t.Helper()
		if rec.Result().StatusCode != http.StatusConflict || !strings.Contains(body, "Somebody was faster.") {
			t.Errorf("answer %d does not say that somebody was faster", rec.Result().StatusCode)
		}
	}
	t.Run("reserve", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		one, two := w.form("/groups", "groups/dg02/reserve"), w.form("/groups", "groups/dg02/reserve")
		one.Set("customers", "acme")
		two.Set("customers", "globex")
		w.post("/groups/dg02/reserve", one)
		rec := w.post("/groups/dg02/reserve", two)
		conflict(t, rec, rec.Body.String())
		if r := must(w.live.Load(t.Context()))(t).Reservations["dg02"]; !r.For("acme") || r.For("globex") {
			t.Errorf("reserved for %v", r.Customers)
		}
	})
	t.Run("another group does not count", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		one, two := w.form("/groups", "groups/dg01/drain"), w.form("/groups", "groups/dg02/drain")
		w.post("/groups/dg01/drain", one)
		if rec := w.post("/groups/dg02/drain", two); rec.Code != http.StatusSeeOther {
			t.Errorf("answer %d, want 303", rec.Code)
		}
	})
	t.Run("the same act in both", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		one, two := w.form("/groups", "groups/dg01/drain"), w.form("/groups", "groups/dg01/drain")
		w.post("/groups/dg01/drain", one)
		rec := w.post("/groups/dg01/drain", two)
		conflict(t, rec, rec.Body.String())
	})
	t.Run("claim", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.parked("order-1")
		one, two := w.form("/claims/"+id, "claims/"+id+"/resolve"), w.form("/claims/"+id, "claims/"+id+"/resolve")
		two.Set("as", "retry")
		w.post("/claims/"+id+"/resolve", one)
		rec := w.post("/claims/"+id+"/resolve", two)
		conflict(t, rec, rec.Body.String())
		if s := w.claim(id); s.State != claim.Done {
			t.Errorf("claim is %s", s.State)
		}
	})
	t.Run("letter", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		id := w.dead("order-1")
		one, two := w.form("/letters/"+id, "letters/"+id+"/drop"), w.form("/letters/"+id, "letters/"+id+"/replay")
		w.post("/letters/"+id+"/drop", one)
		if rec := w.post("/letters/"+id+"/replay", two); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "no longer stored") {
			t.Errorf("answer %d", rec.Code)
		}
		w.untouchedTopic()
	})
	t.Run("at the same moment", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		var all sync.WaitGroup
		codes := make(chan int, 6)
		var forms []url.Values
		for _, customer := range []string{"acme", "globex", "third", "fourth", "fifth", "sixth"} {
			f := w.form("/groups", "groups/dg02/reserve")
			f.Set("customers", customer)
			forms = append(forms, f)
		}
		for _, f := range forms {
			all.Go(func() { codes <- w.post("/groups/dg02/reserve", f).Code })
		}
		all.Wait()
		close(codes)
		won := 0
		for c := range codes {
			if c == http.StatusSeeOther {
				won++
			} else if c != http.StatusConflict {
				t.Errorf("answer %d", c)
			}
		}
		if won != 1 {
			t.Errorf("%d of 6 reservations were made", won)
		}
	})
}

func (w *world) untouchedTopic() {
	w.t.Helper()
	if n := len(w.topic.all()); n > 0 {
		w.t.Errorf("%d events were published", n)
	}
}
