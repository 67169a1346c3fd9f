//go:build browser

package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
)

// refused is what the browser itself says about an answer that refuses.
const refused = "the server responded with a status of 409"

func TestAReservedGroupTakesItsCustomersAlone(t *testing.T) {
	s := start(t, nil)
	b := newChrome(t).tab()
	b.open(s.console + "/groups")
	b.submit("groups/dg03/reserve", map[string]string{"customers": "acme", "lasts": "4h", "why": "launch week"})
	b.sees("[role=status]", "The group is reserved.")
	b.sees("#figures-dg03", "For acme until")
	obeyed, probes := time.Now().Add(time.Second), 0 // routers cache for up to a second
	s.until("the router has read the reservation", func() bool {
		probes++
		at := s.campaign(fmt.Sprintf("probe-%d", probes), "globex", 1).At
		return at != nil && at.After(obeyed)
	})
	for i := range 6 {
		if c := s.campaign(fmt.Sprintf("acme-%d", i), "acme", 3); c.Group != "dg03" {
			t.Errorf("acme's campaign went to %s", c.Group)
		}
		if c := s.campaign(fmt.Sprintf("globex-%d", i), "globex", 3); c.Group == "dg03" {
			t.Error("globex's campaign went to acme's group")
		}
	}
	b.open(s.console + "/campaigns?q=globex-0")
	b.sees("main", "globex-0")
	eval[bool](b, "document.querySelector('td details').open = true")
	b.sees("td details", "kept for other customers")
	b.open(s.console + "/groups")
	b.submit("groups/dg03/release", map[string]string{"why": "over"})
	b.sees("[role=status]", "The reservation ended.")
	if got := s.audited("reserve", "dg03"); !slices.Equal(got, []string{"done", "started"}) {
		t.Errorf("the audit log has %v for the reservation", got)
	}
	b.silent()
}

func TestAParkedClaimIsSettledByAPerson(t *testing.T) {
	s := start(t, nil)
	b := newChrome(t).tab()
	done, again := s.parked("park-done"), s.parked("park-again")
	b.open(s.console + "/claims")
	b.sees("main", "INDETERMINATE")
	eval[bool](b, fmt.Sprintf("document.querySelector('a[href=%q]').click(), true", "claims/"+done))
	b.sees("h2#decide", "Did it act?")
	b.submit("resolve", map[string]string{"why": "seen in the order system"})
	b.sees("[role=status]", "settled as done")
	b.sees(".head .state", "DONE")

	s.receiver.allow("park-again")
	s.until("a no is believed", func() bool { return s.claim(again).RetryIn == 0 })
	b.open(s.console + "/claims/" + again)
	eval[bool](b, "document.querySelector('form button.danger').click(), true")
	b.sees("[role=status]", "published again")
	s.until("the event ran again, and was done", func() bool { return s.claim(again).State == "DONE" })
	if n := s.receiver.count("park-again"); n != 1 {
		t.Errorf("the event acted %d times, want once", n)
	}
	if n := s.receiver.count("park-done"); n != 0 {
		t.Errorf("the event that was settled as done ran %d times", n)
	}
	b.silent()
}

func TestADeadLetterIsReplayedAndAnotherDropped(t *testing.T) {
	s := start(t, nil)
	b := newChrome(t).tab()
	replay, drop := s.poisoned("poison-1"), s.poisoned("poison-2")
	b.open(s.console + "/letters/" + replay)
	b.sees("main", "read campaign")
	if strings.Contains(b.text("main"), "no campaign: poison-1") {
		t.Error("the body is shown before anybody asked for it")
	}
	b.open(s.console + "/letters/" + replay + "?body=true")
	b.sees("pre", "no campaign: poison-1")
	claim := get[struct{ Claim string }](s, "letters/"+replay).Claim
	b.submit("replay", map[string]string{"why": "handler is mended"})
	b.sees("[role=status]", "published again")
	s.until("the event came again, and was given up again", func() bool { c := s.claim(claim); return c.State == "DEAD" && c.Epoch > 1 })
	b.open(s.console + "/letters/" + drop)
	b.submit("drop", nil)
	b.sees("[role=status]", "dropped")
	for _, l := range s.letters() {
		if l.ID == drop {
			t.Error("the dropped letter is still stored")
		}
	}
	b.silent()
}

// With JavaScript the button is disabled by the first click; without it both clicks
// arrive, and the form's token makes them one.
func TestADoubleClickActsOnce(t *testing.T) {
	for name, scripted := range map[string]bool{"with JavaScript": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := start(t, nil)
			b := newChrome(t).tab()
			parked := s.parked("park-twice")
			s.receiver.allow("park-twice")
			s.until("a no is believed", func() bool { return s.claim(parked).RetryIn == 0 })
			call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripted})
			b.open(s.console + "/claims/" + parked)
			b.double("form button.danger")
			b.sees("[role=status]", "published again")
			s.until("the event is done", func() bool { return s.claim(parked).State == "DONE" })
			if n := s.receiver.count("park-twice"); n != 1 {
				t.Errorf("the event acted %d times, want once", n)
			}
			if got := s.audited("resolve retry", parked); !slices.Equal(got, []string{"done", "started"}) {
				t.Errorf("the audit log has %v", got)
			}
			b.open(s.console + "/groups")
			b.reveal("groups/dg01/drain")
			b.double("form[action$='groups/dg01/drain'] button")
			b.sees("[role=status]", "takes no new campaigns")
			if got := s.audited("drain", "dg01"); !slices.Equal(got, []string{"done", "started"}) {
				t.Errorf("the audit log has %v", got)
			}
			b.silent()
		})
	}
}

func TestOfTwoTabsOneIsToldThatTheOtherWasFaster(t *testing.T) {
	s := start(t, nil)
	c := newChrome(t)
	one, two := c.tab(), c.tab()
	for _, b := range []*tab{one, two} {
		b.open(s.console + "/groups")
		b.fill("groups/dg02/reserve", nil)
	}
	one.submit("groups/dg02/reserve", map[string]string{"customers": "acme"})
	one.sees("[role=status]", "The group is reserved.")
	two.submit("groups/dg02/reserve", map[string]string{"customers": "globex"})
	two.sees("[role=alert]", "Somebody was faster.")
	two.sees("#figures-dg02", "For acme")
	two.picture("conflict-1280-light")
	if focused := eval[bool](two, "document.activeElement?.matches('[role=alert]')"); !focused {
		t.Error("the conflict does not have the focus: a screen reader would not come to it")
	}
	one.silent()
	two.silent(refused, "Response Status Error Code 409")

	parked := s.parked("park-race")
	one.open(s.console + "/claims/" + parked)
	two.open(s.console + "/claims/" + parked)
	one.submit("resolve", nil)
	one.sees("[role=status]", "settled as done")
	eval[bool](two, "document.querySelector('form button.danger').click(), true")
	two.sees("[role=alert]", "Somebody was faster.")
	two.sees(".head .state", "DONE")
	two.silent(refused, "Response Status Error Code 409")
}

func TestHostileTextIsShownInert(t *testing.T) {
	s := start(t, nil)
	b := newChrome(t).tab()
	bad := `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">` + "\u202e\u05e9\u05dc\u05d5\u05dd " + strings.Repeat("very-long-name-", 20)
	s.campaign(bad, bad[:200], 2)
	s.publish("campaign-events", bad, map[string]string{"onceway-key": "hostile", "note": bad})
	var letter string
	s.until("the letter is stored", func() bool {
		for _, l := range s.letters() {
			letter = l.ID
		}
		return letter != ""
	})
	b.open(s.console + "/groups")
	b.submit("groups/dg04/reserve", map[string]string{"customers": bad[:180], "why": bad[:180]})
	b.sees("[role=status]", "The group is reserved.")
	for _, path := range []string{"groups", "campaigns", "letters", "letters/" + letter + "?body=true", "claims", "audit"} {
		for _, width := range []int64{1280, 360} {
			b.size(width, false)
			b.open(s.console + "/" + path)
			if hacked := eval[bool](b, "'hacked' in window"); hacked {
				t.Errorf("%s ran a stored script", path)
			}
			if n := eval[int](b, "document.querySelectorAll('main script, main img').length"); n != 0 {
				t.Errorf("%s made %d elements of stored text", path, n)
			}
			if over := eval[float64](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				t.Errorf("%s is %v px wider than a screen of %d", path, over, width)
			}
			if path == "groups" || path == "campaigns" {
				b.picture(fmt.Sprintf("hostile-%s-%d-light", path, width))
			}
		}
	}
	b.silent()
}

// What is live is refreshed, and leaves an open form alone.
func TestFiguresRefreshUnderAnOpenForm(t *testing.T) {
	s := start(t, nil)
	s.work()
	b := newChrome(t).tab()
	b.open(s.console + "/groups")
	b.submit("groups/dg04/drain", nil) // leaves a notice, which has the focus
	b.sees("[role=status]", "takes no new campaigns")
	b.fill("groups/dg01/reserve", map[string]string{"customers": "half-typed"})
	eval[bool](b, "document.querySelector('#changes-dg01 input[name=customers]').focus(), true")
	post(s, "groups/dg02/drain", `{"why":"from elsewhere"}`)
	b.sees("#figures-dg02", "Takes no new campaigns")
	b.sees("#changes-dg02", "Take campaigns again")
	if got := eval[string](b, "document.querySelector('#changes-dg01 input[name=customers]').value"); got != "half-typed" {
		t.Errorf("the open form was replaced: it holds %q", got)
	}
	if name := eval[string](b, "document.activeElement.name ?? ''"); name != "customers" {
		t.Errorf("a refresh took the focus away, to %q", eval[string](b, "document.activeElement.outerHTML.slice(0, 120)"))
	}
	eval[bool](b, "document.querySelector('[data-pause]').click(), true")
	if pressed := eval[string](b, "document.querySelector('[data-pause]').getAttribute('aria-pressed')"); pressed != "true" {
		t.Errorf("updates are not paused: %q", pressed)
	}
	b.silent()
}

func TestTheKeyboardReachesEverything(t *testing.T) {
	s := start(t, nil)
	b := newChrome(t).tab()
	b.open(s.console + "/groups")
	b.press("\t")
	if got := eval[string](b, "document.activeElement.className"); got != "skip" {
		t.Errorf("the first stop is %q, want the way to the content", got)
	}
	b.press("\r")
	for range 40 {
		b.press("\t")
		if eval[bool](b, "document.activeElement.matches('#changes-dg01 summary')") {
			b.press("\r")
			b.press("\t")
			b.press("acme")
			b.press("\r")
			b.sees("[role=status]", "The group is reserved.")
			b.silent()
			return
		}
	}
	t.Error("the keyboard does not come to a group's form")
}

func TestWithoutJavaScriptEverythingIsReadAndDone(t *testing.T) {
	s := start(t, nil)
	s.work()
	b := newChrome(t).tab()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	letter := s.poisoned("poison")
	for path, says := range map[string]string{"groups": "UTC", "campaigns": "Campaigns", "claims": "DEAD", "letters": "poison", "letters/" + letter: "read campaign", "audit": "Audit", "health": "Scoring"} {
		b.open(s.console + "/" + path)
		b.sees("body", says)
	}
	b.open(s.console + "/groups")
	b.picture("groups-noscript-1280-light")
	b.silent()
}

func TestTimesAreInTheReadersZoneWithUTCOnHover(t *testing.T) {
	s := start(t, nil)
	s.campaign("campaign", "acme", 2)
	b := newChrome(t).tab()
	b.open(s.console + "/campaigns")
	at := *get[struct{ Campaigns []struct{ At *utc } }](s, "campaigns").Campaigns[0].At
	if got, want := b.text("td time"), at.in("Europe/Berlin"); got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if got := eval[string](b, "document.querySelector('td time').title"); got != at.UTC().Format("2006-01-02 15:04:05 UTC") {
		t.Errorf("on hover %q", got)
	}
	b.sees("footer", "Europe/Berlin")
}

func TestChangesFromAnotherSiteAreRefusedByTheBrowsersOwnHeaders(t *testing.T) {
	s := start(t, nil)
	evil := s.listen(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<main><form method="post" action="%s/groups/dg01/drain"><input name="token" value="x"><button>Win</button></form></main>`, s.console)
	}))
	b := newChrome(t).tab()
	b.open(evil)
	eval[bool](b, "document.querySelector('button').click(), true")
	b.sees("main", "another site")
	for _, g := range get[struct {
		Groups []struct{ Draining *struct{} }
	}](s, "groups").Groups {
		if g.Draining != nil {
			t.Error("another site drained a group")
		}
	}
}
