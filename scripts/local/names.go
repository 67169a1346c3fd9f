package main

import "strings"

// queueNames are the queues of every group, first to last.
var queueNames = [...]string{"personalizer", "device-mapper", "delivery", "inbox"}

// Topics and subscriptions, by short name.
const (
	chatTopic      = "chat-events"
	campaignTopic  = "campaign-events"
	relayTopic     = "relay-events"
	jobTopic       = "job-events" // relayed by the workers
	overflowTopic  = "campaigns-overflow"
	deadTopic      = "onceway-dead-letters"
	lettersSub     = "onceway-letters"    // the function Letters
	witnessSub     = "onceway-witness"    // the witness's own
	overflowSub    = "campaigns-overflow" // nobody reads it; a letter box that should stay empty
	jobSub         = "job-events-workers" // pulled
	pushSubscribed = "-push"              // suffix of the pushed ones
)

// pushed lists the event functions by the topic that is pushed to them.
var pushed = map[string]string{chatTopic: "Chat", campaignTopic: "Campaigns", relayTopic: "Relay"}

func (c config) topic(name string) string { return "projects/" + c.project + "/topics/" + name }
func (c config) sub(name string) string   { return "projects/" + c.project + "/subscriptions/" + name }

// queue is the name of a group's queue, as topic and as subscription.
func queue(g group, name string) string { return g.id + "-" + name }

// forEvents reports whether a subscription delivers sample events to onceway, as
// against the pipeline's and the witness's.
func forEvents(subscription string) bool {
	name := subscription[strings.LastIndexByte(subscription, '/')+1:]
	topic, isPush := strings.CutSuffix(name, pushSubscribed)
	return name == jobSub || isPush && pushed[topic] != ""
}
