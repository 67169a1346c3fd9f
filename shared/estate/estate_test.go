package estate_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"onceway.internal/functions/table"
	"onceway.internal/shared/estate"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/setting"
)

const root = "../../"

// checkout is the estate of the checkout's own files.
func checkout(t *testing.T) estate.Estate {
	t.Helper()
	f, err := estate.Load(root + "infra/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	g, err := groups.Load(root + "infra/groups.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := estate.New(t.Context(), f, g, estate.Project{ID: "demo-project", Number: "123456789012"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEveryFunctionIsDeployed(t *testing.T) {
	t.Parallel()
	var deployed []string
	for _, s := range checkout(t).Services {
		deployed = append(deployed, s.Function)
	}
	for _, name := range table.Names() {
		if !slices.Contains(deployed, name) {
			t.Errorf("function %s is in the table and not in infra/deploy.yaml", name)
		}
	}
}

func TestServicesKnowTheirVariables(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, v := range setting.Variables() {
		known[v.Name] = true
	}
	for _, s := range checkout(t).Services {
		for name := range s.Env {
			if !known[name] {
				t.Errorf("%s: %s is no variable of ours", s.Name, name)
			}
		}
	}
}

func TestServicesStartWithTheirEnvironment(t *testing.T) {
	t.Parallel()
	for _, s := range checkout(t).Services {
		env := func(name string) (string, bool) {
			v, ok := s.Env[name]
			if ok && strings.HasPrefix(v, "infra/") {
				v = root + v
			}
			return v, ok
		}
		c, err := setting.Load(t.Context(), env)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		c.Process.Service = s.Name
		c.Routing.Groups, c.Chat.Policy, c.Chat.Tools = root+c.Routing.Groups, root+c.Chat.Policy, root+c.Chat.Tools
		var f setting.Faults
		c.CheckProcess(&f)
		if e, ok := table.Find(s.Function); ok {
			e.Check(c, &f)
		}
		if err := f.Err(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestOnlyChatAndReplayersSpeakForChat(t *testing.T) {
	t.Parallel()
	e := checkout(t)
	topic := "projects/demo-project/topics/chat-events"
	allowed := []string{"serviceAccount:chat-api-push@system.gserviceaccount.com", "serviceAccount:onceway-sweep@demo-project.iam.gserviceaccount.com", "serviceAccount:onceway-console@demo-project.iam.gserviceaccount.com"}
	for _, g := range e.Grants {
		wide := g.On == estate.OnProject && strings.HasPrefix(g.Role, "roles/pubsub.") && g.Role != "roles/pubsub.viewer"
		if wide || g.On == estate.OnTopic && g.Name == topic && !slices.Contains(allowed, g.Member) {
			t.Errorf("%s has %s on %s", g.Member, g.Role, g.Name)
		}
	}
}

// byDesign are the roles that hold on the whole project, since there is nothing smaller.
var byDesign = []string{"roles/monitoring.viewer", "roles/monitoring.metricWriter", "roles/run.developer", "roles/logging.logWriter", "roles/cloudtrace.agent", "roles/telemetry.tracesWriter"}

func TestRolesAreAsSmallAsTheyCanBe(t *testing.T) {
	t.Parallel()
	for _, g := range checkout(t).Grants {
		if g.On == estate.OnProject && g.Condition == "" && !slices.Contains(byDesign, g.Role) {
			t.Errorf("%s has %s on the project", g.Member, g.Role)
		}
		if g.Why == "" {
			t.Errorf("%s has %s on %s, and nobody knows why", g.Member, g.Role, g.Name)
		}
	}
}

func TestQueuesOfOthersAreMarked(t *testing.T) {
	t.Parallel()
	for _, s := range checkout(t).Subscriptions {
		if s.Foreign != strings.HasPrefix(s.Name, "projects/demo-delivery/") {
			t.Errorf("%s: foreign %v", s.Name, s.Foreign)
		}
	}
}

func TestTableInTheReadmeIsTheDeployments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "infra/README.md")
	if err != nil {
		t.Fatal(err)
	}
	e := checkout(t)
	for line := range strings.Lines(e.Table()) {
		// Each group's row is one of many: the first stands for all.
		if strings.Contains(line, "`dg0") && !strings.Contains(line, "`dg01") {
			continue
		}
		if !strings.Contains(string(text), line) {
			t.Errorf("infra/README.md lacks the row (go run ./scripts/cloud roles prints all): %s", line)
		}
	}
}

func TestEveryFaultIsNamed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "infra/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ old, new, want string }{
		"unknown field":       {"repository: onceway", "repositry: onceway", "repositry"},
		"no schedule":         {`schedule: "* * * * *"`, `schedule: "often"`, "schedule"},
		"minimum over max":    {"scale: {min: 0, max: 5", "scale: {min: 9, max: 5", "services[0].scale"},
		"unknown holder":      {"on: groups", "on: group", "services[1].roles[1].on"},
		"no reason":           {"why: claims}", `why: ""}`, "why"},
		"window of nothing":   {"service: onceway-chat, name", "service: onceway-cat, name", "windows.list[0].service"},
		"service there twice": {"name: onceway-campaigns", "name: onceway-chat", "there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := strings.Replace(string(text), x.old, x.new, 1)
			if bad == string(text) {
				t.Fatalf("the file has no %q", x.old)
			}
			if _, err := estate.Parse("deploy.yaml", []byte(bad)); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v does not name %s", err, x.want)
			}
		})
	}
}

func TestTimesThatDontFitAreRefused(t *testing.T) {
	t.Parallel()
	f, err := estate.Load(root + "infra/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f.Env["ONCEWAY_LEASE"] = "400s"
	if _, err := estate.New(t.Context(), f, groups.Config{}, estate.Project{ID: "demo-project", Number: "1"}); err == nil || !strings.Contains(err.Error(), "ONCEWAY_ACK_DEADLINE") {
		t.Errorf("error %v does not name the ack deadline", err)
	}
}
