package score

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Errors of a run in vain. Their words are for people.
var (
	errState          = errors.New("the routing state can't be read")
	errNothingRead    = errors.New("no queue could be read")
	errNothingWritten = errors.New("nothing could be written")
)

// Summary is what a run answers.
type Summary struct {
	Queues int `json:"queues"` // there are
	Read   int `json:"read"`   // with a sample in this run's reading

	// The data states of the queues after the run; they sum to Queues.
	Fresh   int `json:"fresh"`
	Zero    int `json:"zero"`
	Stale   int `json:"stale"`
	Missing int `json:"missing"`
	Never   int `json:"never"`

	Errors []Failure  `json:"errors"` // never null
	Drifts []Drift    `json:"drifts,omitempty"`
	Gauges GaugeCount `json:"gauges"`
	Calls  Calls      `json:"calls"`

	DurationMS int64 `json:"durationMs"`

	unknown int     // queues that could not be asked for
	causes  []error // one for each of Errors, for the log
}

// Failure is something that failed, without the service's own words.
type Failure struct {
	Project string `json:"project,omitempty"`
	Part    string `json:"part"` // a metric, "counters", "gauges", "state", "figures", "recommendations" or "history"
	Code    string `json:"code"` // as gRPC names it
}

// Drift is a live counter that was off.
type Drift struct {
	Group     string `json:"group"`
	Queue     string `json:"queue"`
	Off       int64  `json:"off"` // messages; above zero: it had too much
	Corrected bool   `json:"corrected"`
}

// GaugeCount is what became of the gauges.
type GaugeCount struct {
	Written  int `json:"written"`
	NotNewer int `json:"notNewer"` // another run was as fast
}

// Calls counts requests, pages included.
type Calls struct {
	Monitoring int `json:"monitoring"` // ListTimeSeries
	Gauges     int `json:"gauges"`     // CreateTimeSeries
	State      int `json:"state"`
}

// read takes in what the source answered.
func (s *Summary) read(all []backlog.Queue, r backlog.Reading) {
	s.Queues, s.Read, s.Calls.Monitoring = len(all), len(r.Samples), r.Calls
	for _, q := range all {
		if r.Unknown(q) {
			s.unknown++
		}
	}
	for _, e := range r.Errors {
		s.add(Failure{Project: e.Project, Part: e.Part, Code: e.Code.String()}, e)
	}
	for _, d := range r.Drifts {
		s.Drifts = append(s.Drifts, Drift{Group: d.Queue.Group, Queue: d.Queue.Name, Off: d.Off, Corrected: d.Corrected})
	}
}

// states counts the queues by data state at now.
func (s *Summary) states(c groups.Config, f route.Figures, now time.Time) {
	for _, g := range c.Groups {
		for _, q := range g.Queues {
			switch f[g.ID][q.Name].Data(now) {
			case route.Fresh:
				s.Fresh++
			case route.Zero:
				s.Zero++
			case route.Stale:
				s.Stale++
			case route.Missing:
				s.Missing++
			case route.Never:
				s.Never++
			}
		}
	}
}

// attrs is the summary for the log.
func (s *Summary) attrs() []any {
	return []any{
		"queues", s.Queues, "read", s.Read, "fresh", s.Fresh, "zero", s.Zero, "stale", s.Stale,
		"missing", s.Missing, "never", s.Never, "errors", len(s.Errors),
		"calls", s.Calls.Monitoring, "duration_ms", s.DurationMS,
	}
}

func (s *Summary) fail(project, part string, err error) {
	code := status.Code(err)
	switch {
	case code != codes.Unknown:
	case errors.Is(err, context.DeadlineExceeded):
		code = codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	}
	s.add(Failure{Project: project, Part: part, Code: code.String()}, err)
}

func (s *Summary) add(f Failure, cause error) {
	s.Errors, s.causes = append(s.Errors, f), append(s.causes, cause)
}
