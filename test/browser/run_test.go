//go:build browser

package browser

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"

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
	b.submit("groups/dg02/reserve", map[string]string{"customers": "initech", "why": "a look"})
	b.sees("[role=status]", "The group is reserved.")
	known := len(s.assigned("dg02"))
	s.until("campaigns go on", func() bool { return len(s.assigned("")) > 12 })
	if late := len(s.assigned("dg02")); late > known+1 { // one may have been on its way
		t.Errorf("%d campaigns of others went to the reserved group", late-known)
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

// assigned lists the newest campaigns that went to a group; all for an empty one.
func (s *stack) assigned(group string) (names []string) {
	s.t.Helper()
	v := get[console.Campaigns](s, "campaigns?limit=500")
	for _, c := range v.Campaigns {
		if group == "" || c.Group == group {
			names = append(names, c.Campaign)
		}
	}
	return names
}
