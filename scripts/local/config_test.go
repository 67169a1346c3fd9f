package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/groups"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args     []string
		duration time.Duration
		fault    string
	}{
		"defaults":       {nil, time.Minute, ""},
		"short":          {[]string{"--emulators", "--for", "20s", "--json"}, 20 * time.Second, ""},
		"too short":      {[]string{"--for", "1s"}, 0, "--for: must be from 5s to 24h"},
		"no duration":    {[]string{"--for", "soon"}, 0, "invalid value"},
		"unknown flag":   {[]string{"--fast"}, 0, "not defined"},
		"stray argument": {[]string{"now"}, 0, `unknown argument "now"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse(tt.args, &bytes.Buffer{})
			if tt.fault == "" {
				if err != nil || c.duration != tt.duration || c.json != (len(tt.args) > 0) {
					t.Errorf("parsed %+v, %v", c, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("error %v, want %q in it", err, tt.fault)
			}
		})
	}
	if _, err := parse([]string{"--help"}, &bytes.Buffer{}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}

func TestTheProductAcceptsWhatTheRunConfigures(t *testing.T) {
	t.Parallel()
	c, dir := defaults(), t.TempDir()
	if err := c.writeFiles(dir, "http://127.0.0.1:1/webhook"); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if _, err := policy.Parse("policy.yaml", read("policy.yaml")); err != nil {
		t.Error(err)
	}
	if _, err := webhook.Parse("tools.yaml", read("tools.yaml")); err != nil {
		t.Error(err)
	}
	loaded, err := groups.Load(filepath.Join(dir, "groups.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range c.groups {
		there, ok := loaded.InProject(c.project).Group(g.id)
		if !ok || there.Queues[0].TopicName() != c.topic(queue(g, queueNames[0])) || len(there.Queues) != len(queueNames) {
			t.Errorf("group %s: %+v", g.id, there)
		}
	}
	for _, firestore := range []string{"", "127.0.0.1:1"} {
		env := c.environment(addresses{dir: dir, pubsub: "127.0.0.1:1", firestore: firestore, monitoring: "127.0.0.1:1", witness: "http://127.0.0.1:1"})
		if _, err := settings(context.Background(), env); err != nil {
			t.Error(err)
		}
		w, err := workerSettings(t.Context(), c.workerEnvironment(env, victim, "http://127.0.0.1:1", "127.0.0.1:0"))
		if err != nil || w.entry.Name != "Relay" || w.subscription != c.sub(jobSub) {
			t.Errorf("worker: %s on %s, %v", w.entry.Name, w.subscription, err)
		}
	}
}

func TestOnlyEventSubscriptionsCountAsDeliveries(t *testing.T) {
	t.Parallel()
	c := defaults()
	for name, want := range map[string]bool{
		chatTopic + pushSubscribed: true, relayTopic + pushSubscribed: true, jobSub: true,
		lettersSub: false, witnessSub: false, "dg01-inbox": false, overflowSub: false,
	} {
		if got := forEvents(c.sub(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestShareIsFixedAndNearItsPart(t *testing.T) {
	t.Parallel()
	drawn, again := share(0.2, "x"), share(0.2, "x")
	n := 0
	for i := range 5000 {
		name := "sample-relay-" + string(rune('a'+i%26)) + time.Duration(i).String()
		if drawn(name) != again(name) {
			t.Fatalf("%s is drawn differently", name)
		}
		if drawn(name) {
			n++
		}
	}
	if n < 800 || n > 1200 {
		t.Errorf("%d of 5000, want about 1000", n)
	}
}
