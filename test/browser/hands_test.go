//go:build browser

package browser

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// reveal opens the details around a form by a click, as it is without JavaScript too.
func (b *tab) reveal(action string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("details:has(form[action$='%s']) > summary", action))))
}

// double clicks twice, as fast as the browser takes it.
func (b *tab) double(selector string) {
	b.t.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	at := eval[[2]float64](b, fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", selector))
	for n := int64(1); n <= 2; n++ {
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: n})
		}
	}
}

// press types keys to whatever has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// utc is a time of the API.
type utc struct{ time.Time }

// in is the time of day in a zone, as the page shows it.
func (u utc) in(zone string) string {
	l, err := time.LoadLocation(zone)
	if err != nil {
		panic(err) // the zones of the test are in every installation of Go
	}
	return u.In(l).Format("15:04:05")
}
