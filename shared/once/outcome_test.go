package once

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// outcomesInSource lists the constants of type Outcome, so that a new one can't be
// forgotten in the table below.
func outcomesInSource(t *testing.T) []Outcome {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "outcome.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []Outcome
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Outcome" {
			s, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, Outcome(s))
		}
		return true
	})
	return all
}

func TestEveryOutcomeIsAnsweredAsItMeans(t *testing.T) {
	t.Parallel()
	want := map[Outcome]struct {
		status int
		ack    bool
	}{
		Done: {204, true}, Duplicate: {204, true}, DeadLettered: {204, true}, Parked: {204, true},
		PayloadMismatch: {204, true}, NotMine: {204, true},
		Failed: {503, false}, InFlight: {503, false}, StoreDown: {503, false},
		Malformed: {400, false}, TooLarge: {413, false},
	}
	all := outcomesInSource(t)
	if len(all) != len(want) {
		t.Errorf("outcome.go names %d outcomes, the table %d", len(all), len(want))
	}
	for _, o := range all {
		w, ok := want[o]
		if _, mapped := answers[o]; !ok || !mapped {
			t.Errorf("outcome %q is in no table", o)
			continue
		}
		if o.Status() != w.status || o.Ack() != w.ack {
			t.Errorf("%q answers %d, ack %v, want %d, %v", o, o.Status(), o.Ack(), w.status, w.ack)
		}
		// What a push acknowledges, a pull does, and the other way round.
		if pushed := o.Status() < 300; pushed != o.Ack() {
			t.Errorf("%q is acknowledged by one of push and pull only", o)
		}
	}
}

func TestUnknownOutcomeIsNeverAcknowledged(t *testing.T) {
	t.Parallel()
	if o := Outcome("new"); o.Status() != 503 || o.Ack() {
		t.Errorf("an outcome in no table answers %d, ack %v", o.Status(), o.Ack())
	}
}
