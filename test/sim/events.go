package main

import "container/heap"

// events runs functions in the order of their times; equal times in the order in
// which they were planned, so that a run repeats exactly.
type events struct {
	now   float64
	queue eventQueue
	count int
}

type event struct {
	at  float64
	seq int
	run func()
}

// at plans run; times that have passed mean now.
func (e *events) at(t float64, run func()) {
	e.count++
	heap.Push(&e.queue, event{max(t, e.now), e.count, run})
}

// every plans run at start and then in each period until end.
func (e *events) every(start, period, end float64, run func()) {
	if start > end {
		return
	}
	e.at(start, func() {
		run()
		e.every(start+period, period, end, run)
	})
}

// runAll runs until nothing is planned.
func (e *events) runAll() {
	for len(e.queue) > 0 {
		next := heap.Pop(&e.queue).(event)
		e.now = next.at
		next.run()
	}
}

type eventQueue []event

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *eventQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
