package groups

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Fault is one thing wrong with a groups file.
type Fault struct {
	File  string
	Line  int
	Field string // such as groups[2].queues[0].rate; empty when the file is no YAML
	What  string
}

func (f *Fault) Error() string {
	if f.Field == "" {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Field, f.What)
}

// Load reads and parses a groups file.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read groups: %w", err)
	}
	return Parse(path, data)
}

// Parse reads groups.yaml strictly. Its error joins every fault found, each a
// *Fault; name stands for the file in them.
func Parse(name string, data []byte) (Config, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Config{}, syntaxFault(name, err)
	}
	w := &walker{file: name}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return Config{}, &Fault{File: name, Line: 1, What: "must hold exactly one YAML document"}
	}
	c := w.config(file.Docs[0].Body)
	return c, errors.Join(w.faults...)
}

func syntaxFault(name string, err error) error {
	f := &Fault{File: name, Line: 1, What: strings.SplitN(err.Error(), "\n", 2)[0]}
	var located yaml.Error
	if errors.As(err, &located) {
		f.What = located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			f.Line = t.Position.Line
		}
	}
	return f
}

// walker reads the syntax tree itself, since a decoder stops at its first fault.
type walker struct {
	file   string
	faults []error
}

func (w *walker) fault(n ast.Node, field, format string, args ...any) {
	line := 1
	if t := n.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	w.faults = append(w.faults, &Fault{File: w.file, Line: line, Field: field, What: fmt.Sprintf(format, args...)})
}

// fields calls the reader of each key and reports unknown and repeated ones.
func (w *walker) fields(n ast.Node, path string, readers map[string]func(ast.Node, string)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		w.fault(n, path, "must be a mapping")
		return
	}
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		key := it.Key().String()
		at := key
		if path != "" {
			at = path + "." + key
		}
		read, known := readers[key]
		switch {
		case !known:
			w.fault(it.Key(), at, "unknown field")
		case seen[key]:
			w.fault(it.Key(), at, "given twice")
		default:
			read(it.Value(), at)
		}
		seen[key] = true
	}
}

func (w *walker) list(n ast.Node, path string, each func(ast.Node, string)) {
	s, ok := n.(*ast.SequenceNode)
	if !ok || len(s.Values) == 0 {
		w.fault(n, path, "must be a list that is not empty")
		return
	}
	for i, v := range s.Values {
		each(v, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (w *walker) text(to *string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		s, ok := n.(*ast.StringNode)
		if !ok || strings.TrimSpace(s.Value) == "" {
			w.fault(n, path, "must be text that is not empty (quote it if it looks like a number)")
			return
		}
		*to = s.Value
	}
}

func (w *walker) yes(to *bool) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			w.fault(n, path, "must be true or false")
			return
		}
		*to = b.Value
	}
}

func (w *walker) number(to *float64, positive bool) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		v, ok := numeric(n)
		switch {
		case !ok:
			w.fault(n, path, "must be a number")
		case positive && v <= 0:
			w.fault(n, path, "must be more than 0, not %v", v)
		case v < 0:
			w.fault(n, path, "must not be negative, not %v", v)
		default:
			*to = v
		}
	}
}

func numeric(n ast.Node) (float64, bool) {
	switch v := n.(type) {
	case *ast.FloatNode:
		return v.Value, true
	case *ast.IntegerNode:
		switch i := v.Value.(type) {
		case int64:
			return float64(i), true
		case uint64:
			return float64(i), true
		}
	}
	return 0, false
}
