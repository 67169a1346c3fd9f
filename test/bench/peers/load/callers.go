package load

import (
	"slices"
	"sync"
	"syscall"
	"time"
)

const samples = 1000 // of the calls' times, in a report

// callers calls from as many goroutines as the order says, one call after
// another in each, until its time is over or a call fails. The call gets the
// number of its caller, and its own number there.
func callers(o Order, call func(caller, n int) error) (Report, error) {
	var wait sync.WaitGroup
	took := make([][]time.Duration, o.Parallel)
	errs := make([]error, o.Parallel)
	before, began := used(), time.Now()
	until := began.Add(o.length())
	for i := range o.Parallel {
		wait.Go(func() {
			last := began
			for n := 0; last.Before(until) && errs[i] == nil; n++ {
				errs[i] = call(i, n)
				now := time.Now()
				took[i] = append(took[i], now.Sub(last))
				last = now
			}
		})
	}
	wait.Wait()
	r := report(slices.Concat(took...), time.Since(began))
	r.CPU = (used() - before).Seconds()
	for _, err := range errs {
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func report(took []time.Duration, in time.Duration) Report {
	slices.Sort(took)
	r := Report{Calls: len(took), Seconds: in.Seconds()}
	for i := range min(len(took), samples) {
		at := took[i*len(took)/min(len(took), samples)]
		r.Latency = append(r.Latency, float64(at.Nanoseconds())/1e3)
	}
	return r
}

// used is the processor time of this process so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
