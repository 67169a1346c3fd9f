package groups

import "fmt"

// Config is the content of groups.yaml, valid as Parse answers it. Nobody
// changes it after that.
type Config struct {
	// Project owns every queue that names no project of its own. May be empty
	// in the file: see InProject.
	Project string
	Groups  []Group
	// Default is the ID of the group that is used when nothing is known.
	Default string
	// Overflow is the full name of the topic for campaigns that no group may
	// take; empty means that there is none.
	Overflow string
}

// Group is a distribution group: queues in a row, each feeding the next.
type Group struct {
	ID string
	// Open groups may be used by anyone while reservations can't be read.
	Open   bool
	Queues []Queue
	// Reservation is the initial one; nil for none. Live state rules once it was seeded.
	Reservation *Reservation
}

// Queue is a topic with the subscription that its workers read.
type Queue struct {
	Name         string
	Topic        string // short ID; see TopicName
	Subscription string // short ID; see SubscriptionName
	Project      string
	Weight       float64 // of its backlog in mode weighted; 0 leaves it out
	Rate         float64 // nominal, messages per second, over 0
	// Fanout is how many messages this queue gets for one of the queue before
	// it, over 0. The first queue's is not used.
	Fanout float64
}

// TopicName is "projects/P/topics/T".
func (q Queue) TopicName() string { return fmt.Sprintf("projects/%s/topics/%s", q.Project, q.Topic) }

// SubscriptionName is "projects/P/subscriptions/S".
func (q Queue) SubscriptionName() string {
	return fmt.Sprintf("projects/%s/subscriptions/%s", q.Project, q.Subscription)
}

// Topic is the full name of the group's first topic, where campaigns enter.
func (g Group) Topic() string { return g.Queues[0].TopicName() }

// Queue returns the queue of that name.
func (g Group) Queue(name string) (Queue, bool) {
	for _, q := range g.Queues {
		if q.Name == name {
			return q, true
		}
	}
	return Queue{}, false
}

// Group returns the group of that ID.
func (c Config) Group(id string) (Group, bool) {
	for _, g := range c.Groups {
		if g.ID == id {
			return g, true
		}
	}
	return Group{}, false
}

// DefaultTopic is the full name of the default group's first topic.
func (c Config) DefaultTopic() string {
	g, ok := c.Group(c.Default)
	if !ok {
		return ""
	}
	return g.Topic()
}

// InProject returns a copy in which every queue without a project, and an
// overflow topic without one, belong to project.
func (c Config) InProject(project string) Config {
	if c.Project != "" {
		project = c.Project
	}
	c.Project = project
	gs := make([]Group, len(c.Groups))
	for i, g := range c.Groups {
		g.Queues = append([]Queue(nil), g.Queues...)
		for k := range g.Queues {
			if g.Queues[k].Project == "" {
				g.Queues[k].Project = project
			}
		}
		gs[i] = g
	}
	c.Groups = gs
	c.Overflow = topicName(project, c.Overflow)
	return c
}
