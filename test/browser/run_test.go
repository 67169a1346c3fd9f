//go:build browser

package browser

import (
	"bufio"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"onceway.internal/functions/console"
)

// scripts/run serves the console over its own traffic, and routing there obeys it. The
// run ends well by its own witness's count.
func TestScriptsRunServesTheConsole(t *testing.T) {
	c := newChrome(t)
	command := exec.CommandContext(t.Context(), "../../scripts/run", "--for", "25s")
	out := must(command.StdoutPipe())(t)
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	url := ""
	for url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("scripts/run ended before it said where the console is: %v", err)
		}
		if rest, ok := strings.CutPrefix(line, "console: "); ok {
			url = strings.TrimSuffix(strings.TrimSpace(rest), "/")
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, _ = io.Copy(t.Output(), lines)
		ended <- command.Wait()
	}()
	s := &stack{t: t, console: url}
	b := c.tab()
	b.open(url + "/")
	b.sees("h1", "Groups")
	b.submit("groups/dg02/reserve", map[string]string{"customers": "other", "why": "a look"})
	b.sees("[role=status]", "The group is reserved.")
	obeyed := time.Now().Add(time.Second) // routers cache for up to a second
	var later []console.Campaign
	s.until("a dozen campaigns more", func() bool {
		later = slices.DeleteFunc(get[console.Campaigns](s, "campaigns?limit=500").Campaigns, func(c console.Campaign) bool {
			return c.At == nil || c.At.Before(obeyed)
		})
		return len(later) >= 12
	})
	for _, c := range later {
		if c.Group == "dg02" {
			t.Errorf("campaign %s of others went to the reserved group", c.Campaign)
		}
	}
	for _, page := range []string{"campaigns", "letters", "health"} {
		b.open(url + "/" + page)
		b.sees("main", map[string]string{"campaigns": "acme", "letters": "poison", "health": "Score ran"}[page])
	}
	b.open(url + "/groups")
	b.submit("groups/dg02/release", nil)
	b.sees("[role=status]", "The reservation ended.")
	b.silent()
	if err := <-ended; err != nil {
		t.Errorf("scripts/run: %v", err)
	}
}
