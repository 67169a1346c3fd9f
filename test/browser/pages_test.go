//go:build browser

package browser

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"onceway.internal/shared/route"
)

// Every page, at both widths and in both schemes: no complaint of the browser's, no
// policy violation, nothing wider than the screen, nothing serious for axe-core.
func TestEveryPageIsCleanAtEveryWidthAndScheme(t *testing.T) {
	s := start(t, nil)
	s.work()
	claim := s.parked("park-order-4711")
	letter := s.poisoned("campaign-spring")
	for i := range 14 {
		s.campaign(fmt.Sprintf("campaign-%02d", i), []string{"acme", "globex", "other"}[i%3], 20+i*i*4)
	}
	s.past()
	post(s, "groups/dg04/reserve", `{"customers":["globex","acme-retail"],"why":"launch week"}`)
	post(s, "groups/dg02/drain", `{"why":"workers are being moved"}`)
	b := newChrome(t).tab()
	for _, p := range []struct{ name, path string }{
		{"groups", "groups"}, {"campaigns", "campaigns"}, {"claims", "claims"}, {"claim", "claims/" + claim},
		{"letters", "letters"}, {"letter", "letters/" + letter}, {"audit", "audit"}, {"health", "health"},
		{"empty", "claims?state=RETRY"},
	} {
		for _, width := range []int64{1280, 360} {
			for _, dark := range []bool{false, true} {
				name := fmt.Sprintf("%s-%d-%s", p.name, width, map[bool]string{false: "light", true: "dark"}[dark])
				b.size(width, dark)
				b.open(s.console + "/" + p.path)
				if p.name == "groups" {
					b.do(chromedp.WaitVisible(chromedp.CSS("[data-chart=score] canvas")))
				}
				b.silent()
				if over := eval[float64](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					t.Errorf("%s: the page is %v px wider than the screen", name, over)
				}
				b.picture(name)
				if width == 1280 || !dark { // the colours are the same at both
					b.accessible(name)
				}
			}
		}
	}
	b.open(s.console + "/nothing/here")
	b.sees("main", "no such page")
	b.picture("problem-1280-light")
}

// past gives the charts an hour that this test has no time to live through: waves of
// work, one after another through the groups.
func (s *stack) past() {
	s.t.Helper()
	state := must(s.app.State(s.t.Context()))(s.t)
	for minute := 60; minute > 0; minute-- {
		p := route.Past{At: time.Now().Add(-time.Duration(minute) * time.Minute), Backlogs: map[string]map[string]float64{}}
		for i, g := range groupIDs {
			wave := 40 + 30*math.Sin(float64(minute)/7+float64(i)*1.4) + 6*math.Sin(float64(minute*(i+2)))
			p.Groups = append(p.Groups, route.Candidate{Group: g, Score: wave, Data: route.Fresh})
			p.Backlogs[g] = map[string]float64{queueNames[0]: wave * rates[g]}
		}
		if err := state.PutHistory(s.t.Context(), p); err != nil {
			s.t.Fatal(err)
		}
	}
}
