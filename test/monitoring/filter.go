package monitoring

import (
	"fmt"
	"slices"
	"strings"
	"text/scanner"
)

// maxOneOf is how many values one_of takes.
const maxOneOf = 100

// filter is a conjunction of terms; exactly one names the metric type.
type filter struct {
	metricType string
	terms      []term
}

// term compares one field with a function of values.
type term struct {
	field   string // "resource.labels.subscription_id" and the like
	negated bool
	match   string // "=", "one_of", "starts_with", "ends_with", "has_substring"
	values  []string
}

func (f filter) matches(s *series) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool { return t.holds(s) == t.negated })
}

func (t term) holds(s *series) bool {
	v, ok := field(s, t.field)
	return ok && slices.ContainsFunc(t.values, func(want string) bool {
		switch t.match {
		case "starts_with":
			return strings.HasPrefix(v, want)
		case "ends_with":
			return strings.HasSuffix(v, want)
		case "has_substring":
			return strings.Contains(v, want)
		}
		return v == want
	})
}

// field looks a selector up in a series. The singular "label" is an old spelling that the service still takes.
func field(s *series, name string) (string, bool) {
	name = strings.Replace(name, ".label.", ".labels.", 1)
	switch name {
	case "project":
		return s.project, true
	case "metric.type":
		return s.metric.GetType(), true
	case "resource.type":
		return s.resource.GetType(), true
	}
	if l, ok := strings.CutPrefix(name, "metric.labels."); ok {
		v, ok := s.metric.GetLabels()[l]
		return v, ok
	}
	if l, ok := strings.CutPrefix(name, "resource.labels."); ok {
		v, ok := s.resource.GetLabels()[l]
		return v, ok
	}
	return "", false
}

// parse reads a filter. Its errors are meant for an InvalidArgument.
func parse(text string) (filter, error) {
	p := &parser{}
	p.scan.Init(strings.NewReader(text))
	p.scan.Mode = scanner.ScanIdents | scanner.ScanStrings
	p.scan.Error = func(*scanner.Scanner, string) {} // shows as an unexpected token
	p.next()
	var f filter
	for {
		t, err := p.term()
		if err != nil {
			return filter{}, err
		}
		if t.field == "metric.type" {
			if f.metricType != "" || t.match != "=" || t.negated {
				return filter{}, fmt.Errorf("a filter for time series names exactly one metric type")
			}
			f.metricType = t.values[0]
		}
		f.terms = append(f.terms, t)
		if p.token == scanner.EOF {
			break
		}
		if strings.ToUpper(p.text) != "AND" {
			return filter{}, fmt.Errorf("expected AND, found %q at %s", p.text, p.scan.Position)
		}
		p.next()
	}
	if f.metricType == "" {
		return filter{}, fmt.Errorf("a filter for time series names exactly one metric type")
	}
	return f, nil
}
