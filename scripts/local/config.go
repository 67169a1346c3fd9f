package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// config is everything that can be tuned: the flags, and what they leave alone.
type config struct {
	emulators bool
	json      bool
	duration  time.Duration // of publishing
	seed      uint64

	drain   time.Duration // at most, after publishing
	project string

	traffic traffic
	groups  []group
	times   times
}

// traffic is how often what is published, and what goes wrong with it.
type traffic struct {
	relayEvery, jobEvery, askEvery, restartEvery, campaignEvery, poisonEvery time.Duration

	redelivered float64 // share of messages delivered again
	failOnce    float64 // share of relayed events whose receiver fails once
	loseWorker  float64 // part of the duration after which a worker is lost
	small       int     // messages in most campaigns, at most
	large       int     // in every eighth, at most
	latency     time.Duration
}

// group is a distribution group whose queues all work at rate messages a second.
type group struct {
	id       string
	rate     float64
	customer string // for whom it is reserved, if for anyone
}

// times are the product's time-outs, short enough that a lost worker's event runs
// again within the run.
type times struct {
	lease, handler, margin, ackDeadline time.Duration
	wait, poll, settleAfter             time.Duration
	store, finish, grace                time.Duration
	minBackoff, maxBackoff              time.Duration
	sample, minLag, maxLag, score       time.Duration
	sweep                               time.Duration
}

func defaults() config {
	return config{
		duration: time.Minute, seed: 1, drain: time.Minute, project: "demo-project",
		traffic: traffic{
			relayEvery: 150 * time.Millisecond, jobEvery: 250 * time.Millisecond, askEvery: 500 * time.Millisecond,
			restartEvery: 600 * time.Millisecond, campaignEvery: 450 * time.Millisecond, poisonEvery: 6 * time.Second,
			redelivered: 0.2, failOnce: 0.15, loseWorker: 0.4, small: 30, large: 220, latency: 15 * time.Millisecond,
		},
		groups: []group{{id: "dg01", rate: 45}, {id: "dg02", rate: 40}, {id: "dg03", rate: 30}, {id: "dg04", rate: 25}, {id: "dg05", rate: 20, customer: "globex"}},
		times: times{
			lease: 4 * time.Second, handler: 3 * time.Second, margin: time.Second, ackDeadline: 10 * time.Second,
			wait: 2 * time.Second, poll: 50 * time.Millisecond, settleAfter: 5 * time.Second,
			store: 2 * time.Second, finish: 2 * time.Second, grace: 2 * time.Second,
			minBackoff: 200 * time.Millisecond, maxBackoff: 2 * time.Second,
			// A thirtieth of the service's 60 s, 60 to 120 s, and of a job each minute.
			sample: 2 * time.Second, minLag: 2 * time.Second, maxLag: 4 * time.Second, score: 2 * time.Second,
			sweep: 5 * time.Second,
		},
	}
}

const usage = `Usage: scripts/run [--emulators] [--for DURATION] [--json]

Runs everything on this machine with sample traffic and shows what it does.

  --emulators     Google's Pub/Sub and Firestore emulators (found through gcloud) and
                  real processes, instead of everything in one process
  --for DURATION  how long to publish, as 20s or 5m (default 1m); then the run waits
                  at most a minute for the rest
  --json          print the outcome as JSON, and the progress to standard error

Exits with 1 when an event acted twice or was lost.
`

// parse reads the command line on top of the defaults.
func parse(args []string, errs io.Writer) (config, error) {
	c := defaults()
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage) }
	flags.BoolVar(&c.emulators, "emulators", false, "")
	flags.BoolVar(&c.json, "json", false, "")
	flags.DurationVar(&c.duration, "for", c.duration, "")
	flags.Uint64Var(&c.seed, "seed", c.seed, "")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unknown argument %q; see --help", flags.Arg(0))
	}
	if c.duration < 5*time.Second || c.duration > 24*time.Hour {
		return config{}, errors.New("--for: must be from 5s to 24h")
	}
	return c, nil
}
