//go:build browser

package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// Every page, at both widths and in both schemes: no complaint of the browser's, no
// policy violation, nothing wider than the screen, nothing serious for axe-core.
func TestEveryPageIsCleanAtEveryWidthAndScheme(t *testing.T) {
	s := start(t, nil)
	s.work()
	claim := s.parked("park-order-4711")
	letter := s.poisoned("campaign-spring")
	for i := range 14 {
		s.campaign(fmt.Sprintf("campaign-%02d", i), []string{"acme", "globex", "initech"}[i%3], 20+i*i*4)
	}
	var past struct{ At []int64 }
	s.until("there is a past to draw", func() bool {
		past = get[struct{ At []int64 }](s, "groups/history?window=hour")
		return len(past.At) > 1
	})
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
				b.accessible(name)
			}
		}
	}
	b.open(s.console + "/nothing/here")
	b.sees("main", "no such page")
	b.picture("problem-1280-light")
}
