//go:build browser

package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"onceway.internal/test/wait"
)

//go:embed axe/axe.min.js
var axe string

const artefacts = "../artefacts/browser"

// chrome starts one browser for a test; tab opens tabs in it.
type chrome struct {
	t   testing.TB
	ctx context.Context
}

func newChrome(t testing.TB) *chrome {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	if path == "" {
		path = "chromium"
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("lang", "en-GB"),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); end(); stop() })
	return &chrome{t: t, ctx: ctx}
}

// tab is one page that is looked at.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu   sync.Mutex
	said []string // errors on the browser's console, policy violations among them
}

func (c *chrome) tab() *tab {
	c.t.Helper()
	ctx, end := chromedp.NewContext(c.ctx)
	c.t.Cleanup(end)
	b := &tab{t: c.t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		c.t.Fatalf("open a tab: %v", err)
	}
	limited, cancel := context.WithTimeout(ctx, 4*time.Minute)
	c.t.Cleanup(cancel)
	b.ctx = limited
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		c.t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Berlin"})
	b.size(1280, false)
	return b
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.said = append(b.said, fmt.Sprintf("%s %s", e.Type, e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.said = append(b.said, e.Entry.Text+" "+e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.said = append(b.said, "a dialog opened: "+e.Message)
	}
}

// silent fails the test for anything the browser complained of but what is expected.
func (b *tab) silent(expected ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.said {
		known := false
		for _, e := range expected {
			known = known || strings.Contains(s, e)
		}
		if !known {
			b.t.Errorf("the browser says: %s", s)
		}
	}
	b.said = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("drive the browser: %v", err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("main")))
}

func (b *tab) size(width int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// eval answers with what an expression, or its promise, comes to.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", js[:min(80, len(js))], err)
	}
	return v
}

// text is what a reader sees; empty also while the page is on its way.
func (b *tab) text(selector string) string {
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector)))
	if err != nil {
		return ""
	}
	return s
}

// sees waits until the page shows a text.
func (b *tab) sees(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s shows %q", selector, text), func() bool { return strings.Contains(b.text(selector), text) })
}

func (b *tab) until(what string, ok func() bool) {
	b.t.Helper()
	wait.Until(b.t, eventual, what, ok)
}

// submit fills in and submits the form that has the action, which is under details
// that have to be opened first.
func (b *tab) submit(action string, values map[string]string) {
	b.t.Helper()
	b.fill(action, values)
	eval[bool](b, fmt.Sprintf("document.querySelector('form[action$=%q] button:not([type=button])').click(), true", action))
}

func (b *tab) fill(action string, values map[string]string) {
	b.t.Helper()
	form := fmt.Sprintf("document.querySelector('form[action$=%q]')", action)
	b.until("there is a form "+action, func() bool { return eval[bool](b, form+" !== null") })
	eval[bool](b, form+".closest('details') && ("+form+".closest('details').open = true), true")
	for name, value := range values {
		eval[bool](b, fmt.Sprintf("%s.elements[%q].value = %q, true", form, name, value))
	}
}

// picture keeps the whole page as a test artefact.
func (b *tab) picture(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(artefacts, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(artefacts, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// accessible runs axe-core over the page and fails for serious findings.
func (b *tab) accessible(name string) {
	b.t.Helper()
	eval[bool](b, axe+"; true")
	found := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v => ({id: v.id, impact: v.impact, nodes: v.nodes.map(n => n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 300))}))))`)
	var violations []struct {
		ID, Impact string
		Nodes      []string
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Errorf("%s: axe finds %s (%s): %s", name, v.ID, v.Impact, strings.Join(v.Nodes, "\n"))
		} else {
			b.t.Logf("%s: axe notes %s (%s): %v", name, v.ID, v.Impact, v.Nodes)
		}
	}
}
