package main

// chunk is messages that move together.
type chunk struct {
	messages float64
	campaign *campaign // nil for unrouted ones
}

// stage is one queue with its workers: first come, first served, at a rate that
// may change at any moment.
type stage struct {
	ev    *events
	rate  float64 // messages a second as they are now
	queue []chunk // the first is being worked on
	left  float64 // messages of the first that are left
	acked float64 // messages done, ever
	held  float64 // messages in the queue, those done of the first included
	since float64 // when left and acked were true
	plan  int     // number of the completion that is planned; others are void
	done  func(chunk)
}

func (s *stage) push(c chunk) {
	s.sync()
	s.queue = append(s.queue, c)
	s.held += c.messages
	if len(s.queue) == 1 {
		s.left = c.messages
		s.replan()
	}
}

// setRate changes what the workers do from now on.
func (s *stage) setRate(rate float64) {
	s.sync()
	s.rate = rate
	s.replan()
}

// sync brings left and acked to now.
func (s *stage) sync() {
	if len(s.queue) > 0 {
		worked := min(s.left, s.rate*(s.ev.now-s.since))
		s.left -= worked
		s.acked += worked
	}
	s.since = s.ev.now
}

func (s *stage) replan() {
	s.plan++
	if len(s.queue) == 0 {
		return
	}
	plan := s.plan
	s.ev.at(s.ev.now+s.left/s.rate, func() {
		if plan == s.plan {
			s.complete()
		}
	})
}

func (s *stage) complete() {
	s.sync()
	first := s.queue[0]
	s.acked += s.left // what rounding left
	s.held -= first.messages
	s.queue = s.queue[1:]
	if len(s.queue) > 0 {
		s.left = s.queue[0].messages
	}
	s.replan()
	s.done(first)
}

// backlog is the messages not yet done.
func (s *stage) backlog() float64 {
	s.sync()
	if len(s.queue) == 0 {
		return 0
	}
	return s.held - (s.queue[0].messages - s.left)
}

// pipeline is a group: stages in a row.
type pipeline struct {
	stages     []*stage
	rates      []float64 // without slowdowns
	fanout     []float64
	slow       int     // slowdowns at work
	publishing float64 // messages assigned and not yet in the first queue
}

func newPipeline(ev *events, r regime, factor float64, finished func(*campaign)) *pipeline {
	p := &pipeline{fanout: r.Fanout}
	for k, rate := range r.Rates {
		p.rates = append(p.rates, rate*factor)
		s := &stage{ev: ev, rate: rate * factor}
		s.done = func(c chunk) {
			if k+1 == len(p.stages) {
				if c.campaign != nil {
					finished(c.campaign)
				}
				return
			}
			c.messages *= p.fanout[k+1]
			p.stages[k+1].push(c)
		}
		p.stages = append(p.stages, s)
	}
	return p
}

// slowed begins or ends a slowdown; several at once are one.
func (p *pipeline) slowed(by int, to float64) {
	before := p.slow > 0
	p.slow += by
	if after := p.slow > 0; after == before {
		return
	}
	for k, s := range p.stages {
		if p.slow > 0 {
			s.setRate(p.rates[k] * to)
		} else {
			s.setRate(p.rates[k])
		}
	}
}

// capacity is messages of the first queue a second, without slowdowns.
func capacity(rates, fanout []float64) float64 {
	lowest, made := 0.0, 1.0
	for k, rate := range rates {
		if k > 0 {
			made *= fanout[k]
		}
		if c := rate / made; k == 0 || c < lowest {
			lowest = c
		}
	}
	return lowest
}

// truth is how long the pipeline needs, at its rates as they are now, for all
// that it has and extra messages more. Only the oracle may ask.
func (p *pipeline) truth(extra float64) float64 {
	owed, longest := p.publishing+extra, 0.0
	for k, s := range p.stages {
		if k > 0 {
			owed *= p.fanout[k]
		}
		owed += s.backlog()
		longest = max(longest, owed/s.rate)
	}
	return longest
}
