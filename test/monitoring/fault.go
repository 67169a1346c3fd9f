package monitoring

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Method names an RPC in faults and counts.
type Method string

// The methods that are served.
const (
	List   Method = "ListTimeSeries"
	Create Method = "CreateTimeSeries"
)

// Fault makes calls fail. Empty fields match everything.
type Fault struct {
	Method  Method
	Project string // project ID
	Metric  string // metric type; matches List only
	Code    codes.Code
	Times   int // how many calls it fails; 0 means until it is lifted
	// Incomplete lets a listing succeed without any series, and with the code
	// among its execution errors.
	Incomplete bool
	spent      int
}

// Calls counts what was asked, failed calls included; each page is a call.
type Calls struct {
	List, Create int
	// ByProject counts both methods by project ID.
	ByProject map[string]int
	// Written counts the points of CreateTimeSeries that were kept.
	Written int
}

// Fail puts a fault in; lift takes it out again.
func (s *Server) Fail(f Fault) (lift func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = slices.DeleteFunc(s.faults, func(g *Fault) bool { return g == &f })
	}
}

// Gap loses the samples of a subscription ("projects/P/subscriptions/S") that
// are taken from now until end is called.
func (s *Server) Gap(subscription string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps[subscription]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gaps[subscription]--
	}
}

// Calls returns the counts so far.
func (s *Server) Calls() Calls {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls
	c.ByProject = make(map[string]int, len(s.calls.ByProject))
	for k, v := range s.calls.ByProject {
		c.ByProject[k] = v
	}
	return c
}

// enter counts a call and answers with the fault that meets it, or nil. The lock is held.
func (s *Server) enter(method Method, project, metricType string) *Fault {
	if s.calls.ByProject == nil {
		s.calls.ByProject = map[string]int{}
	}
	s.calls.ByProject[project]++
	if method == List {
		s.calls.List++
	} else {
		s.calls.Create++
	}
	for _, f := range s.faults {
		if f.matches(method, project, metricType) && (f.Times == 0 || f.spent < f.Times) {
			f.spent++
			return f
		}
	}
	return nil
}

func (f *Fault) matches(method Method, project, metricType string) bool {
	return (f.Method == "" || f.Method == method) &&
		(f.Project == "" || f.Project == project) &&
		(f.Metric == "" || f.Metric == metricType)
}

func (f *Fault) status() *status.Status { return status.Newf(f.Code, "injected fault: %s", f.Code) }
