//go:build browser

package browser

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"onceway.internal/functions/console"
)

// get reads the console's API, as ctl does.
func get[T any](s *stack, path string) (v T) {
	s.t.Helper()
	resp := must(http.Get(s.console + "/api/v1/" + path))(s.t)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *stack) claims(state string) []console.Claim {
	return get[console.Claims](s, "claims?limit=500&state="+state).Claims
}

func (s *stack) claim(id string) console.Claim { return get[console.Claim](s, "claims/"+id) }

func (s *stack) letters() []console.Letter {
	return get[console.Letters](s, "letters?limit=500").Letters
}

func (s *stack) audited(action, target string) (outcomes []string) {
	for _, e := range get[console.Audit](s, "audit?limit=500").Entries {
		if e.Action == action && e.Target == target {
			outcomes = append(outcomes, e.Outcome)
		}
	}
	return outcomes
}

// campaign publishes one and waits for its assignment.
func (s *stack) campaign(name, customer string, size int) (c console.Campaign) {
	s.t.Helper()
	event := must(json.Marshal(map[string]any{"campaign": name, "customer": customer, "messages": make([]int, size)}))(s.t)
	s.publish("campaign-events", string(event), map[string]string{"onceway-key": fmt.Sprintf("%.200q", name)})
	s.until("campaign "+name+" is assigned", func() bool {
		for _, got := range get[console.Campaigns](s, "campaigns?limit=500").Campaigns {
			if got.Campaign == name {
				c = got
			}
		}
		return c.Campaign != ""
	})
	return c
}

// post makes a change through the API.
func post(s *stack, path, body string) {
	s.t.Helper()
	req := must(http.NewRequest(http.MethodPost, s.console+"/api/v1/"+path, strings.NewReader(body)))(s.t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", rand.Text())
	resp := must(http.DefaultClient.Do(req))(s.t)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("POST %s: %s", path, resp.Status)
	}
}
