package groups

import (
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"onceway.internal/shared/pattern"
)

// names of groups, queues, topics and subscriptions: Pub/Sub's own rule for
// IDs, three characters at least where Pub/Sub sees them.
var (
	idRule    = pattern.Bounded(1, 63, `^[a-z][a-z0-9-]*$`)
	topicRule = pattern.Bounded(3, 255, `^[A-Za-z][A-Za-z0-9._~+%-]*$`)
)

// defaultQueues are the names of a group's queues when the file lists none.
var defaultQueues = [...]string{"personalizer", "device-mapper", "delivery", "inbox"}

func (w *walker) config(root ast.Node) Config {
	var c Config
	template := make([]Queue, 0, len(defaultQueues))
	for _, name := range defaultQueues {
		template = append(template, Queue{Name: name, Fanout: 1})
	}
	var groupList ast.Node
	w.fields(root, "", map[string]func(ast.Node, string){
		"project":  w.text(&c.Project),
		"default":  w.text(&c.Default),
		"overflow": w.text(&c.Overflow),
		"queues":   func(n ast.Node, path string) { template = w.queues(n, path, nil) },
		"groups":   func(n ast.Node, _ string) { groupList = n },
	})
	if groupList == nil {
		w.fault(root, "groups", "is required")
		return c
	}
	// The groups come last, so that the template may stand anywhere in the file.
	all := together{ids: make(map[string]bool), names: make(map[string]string)}
	w.list(groupList, "groups", func(n ast.Node, path string) {
		g := w.group(n, path, template)
		w.besides(n, path, g, &all)
		c.Groups = append(c.Groups, g)
	})
	if c.Default == "" {
		w.fault(root, "default", "is required: the group that is used when nothing is known")
	} else if !all.ids[c.Default] {
		w.fault(root, "default", "there is no group %q", c.Default)
	}
	c.Overflow = topicName(c.Project, c.Overflow)
	return c
}

func (w *walker) group(n ast.Node, path string, template []Queue) Group {
	g := Group{Queues: append([]Queue(nil), template...)}
	listed := false
	w.fields(n, path, map[string]func(ast.Node, string){
		"id":          w.text(&g.ID),
		"open":        w.yes(&g.Open),
		"queues":      func(n ast.Node, path string) { g.Queues, listed = w.queues(n, path, template), true },
		"reservation": func(n ast.Node, path string) { g.Reservation = w.reservation(n, path) },
	})
	if !idRule.MatchString(g.ID) {
		w.fault(n, path+".id", "%q must be lowercase letters, digits and hyphens, at most 63", g.ID)
	}
	for i := range g.Queues {
		q := &g.Queues[i]
		if q.Topic == "" {
			q.Topic = g.ID + "-" + q.Name
		}
		if q.Subscription == "" {
			q.Subscription = q.Topic
		}
		if !listed {
			w.rated(n, path+".queues."+q.Name, *q)
		}
		w.named(n, path+".queues."+q.Name, *q)
	}
	if g.Reservation != nil {
		g.Reservation.Group = g.ID
	}
	return g
}

// queues reads a list of queues, each beginning as the template's queue of its name.
func (w *walker) queues(n ast.Node, path string, template []Queue) []Queue {
	var qs []Queue
	seen := map[string]bool{}
	w.list(n, path, func(n ast.Node, path string) {
		q := Queue{Fanout: 1}
		for _, t := range template {
			if t.Name == nameOf(n) {
				q = t
			}
		}
		w.fields(n, path, map[string]func(ast.Node, string){
			"name": w.text(&q.Name), "topic": w.text(&q.Topic), "subscription": w.text(&q.Subscription),
			"project": w.text(&q.Project), "weight": w.number(&q.Weight, false),
			"rate": w.number(&q.Rate, true), "fanout": w.number(&q.Fanout, true),
		})
		switch {
		case !idRule.MatchString(q.Name):
			w.fault(n, path+".name", "%q must be lowercase letters, digits and hyphens, at most 63", q.Name)
		case seen[q.Name]:
			w.fault(n, path+".name", "%q is given twice", q.Name)
		}
		if template != nil {
			w.rated(n, path, q)
		} else if q.Topic != "" || q.Subscription != "" {
			w.fault(n, path, "the template can't name a topic or subscription: groups would share it")
		}
		if !seen[q.Name] {
			qs = append(qs, q)
		}
		seen[q.Name] = true
	})
	return qs
}

func nameOf(n ast.Node) string {
	m, ok := n.(ast.MapNode)
	if !ok {
		return ""
	}
	for it := m.MapRange(); it.Next(); {
		if s, ok := it.Value().(*ast.StringNode); ok && it.Key().String() == "name" {
			return s.Value
		}
	}
	return ""
}

func (w *walker) rated(n ast.Node, path string, q Queue) {
	if q.Rate <= 0 {
		w.fault(n, path+".rate", "is required: messages per second, here or in the template")
	}
}

func (w *walker) named(n ast.Node, field string, q Queue) {
	if !topicRule.MatchString(q.Topic) {
		w.fault(n, field+".topic", "%q is no name that Pub/Sub takes", q.Topic)
	}
	if !topicRule.MatchString(q.Subscription) {
		w.fault(n, field+".subscription", "%q is no name that Pub/Sub takes", q.Subscription)
	}
}

func (w *walker) reservation(n ast.Node, path string) *Reservation {
	r := &Reservation{}
	w.fields(n, path, map[string]func(ast.Node, string){
		"customers": func(n ast.Node, path string) {
			w.list(n, path, func(n ast.Node, path string) {
				var s string
				w.text(&s)(n, path)
				r.Customers = append(r.Customers, s)
			})
		},
		"until": func(n ast.Node, path string) {
			var s string
			w.text(&s)(n, path)
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				w.fault(n, path, "must be a time such as 2030-01-31T18:00:00Z")
			}
			r.Until = t
		},
		"note": w.text(&r.Note),
	})
	if len(r.Customers) == 0 {
		w.fault(n, path+".customers", "is required")
	}
	r.Customers = normal(r.Customers)
	return r
}

// together is what groups share or have to agree on.
type together struct {
	ids   map[string]bool
	names map[string]string // topics and subscriptions, to the queue that has them
	weigh bool              // the first group has weights
}

// besides checks a group against those before it.
func (w *walker) besides(n ast.Node, path string, g Group, all *together) {
	if all.ids[g.ID] {
		w.fault(n, path+".id", "%q is given twice", g.ID)
		return
	}
	weight := 0.0
	for _, q := range g.Queues {
		weight += q.Weight
		for _, name := range []string{q.TopicName(), q.SubscriptionName()} {
			if other, ok := all.names[name]; ok {
				w.fault(n, path, "%s belongs to %s already", name, other)
			}
			all.names[name] = g.ID + "/" + q.Name
		}
	}
	if len(all.ids) == 0 {
		all.weigh = weight > 0
	}
	if all.weigh != (weight > 0) {
		w.fault(n, path, "some groups have weights and some have none: in mode weighted they can't be compared")
	}
	all.ids[g.ID] = true
}

// topicName completes a short topic ID where a project is known.
func topicName(project, topic string) string {
	if topic == "" || project == "" || strings.HasPrefix(topic, "projects/") {
		return topic
	}
	return "projects/" + project + "/topics/" + topic
}
