package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File string
	Line int
	What string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Decode reads exactly one YAML document into v, a pointer to a struct with yaml
// tags. Its error is a Fault.
func Decode(file string, data []byte, v any) error {
	d := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	err := d.Decode(v)
	if errors.Is(err, io.EOF) {
		return &Fault{File: file, Line: 1, What: "is empty"}
	}
	if err != nil {
		return locate(file, err)
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return &Fault{File: file, Line: 1, What: "must hold exactly one document"}
	}
	return nil
}

func locate(file string, err error) error {
	if f, ok := errors.AsType[*Fault](err); ok {
		return &Fault{File: file, Line: f.Line, What: f.What}
	}
	f := &Fault{File: file, Line: 1, What: strings.SplitN(err.Error(), "\n", 2)[0]}
	if located, ok := errors.AsType[yaml.Error](err); ok {
		f.What = located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			f.Line = t.Position.Line
		}
	}
	return f
}

// Text is a string value that remembers its line.
type Text struct {
	Value string
	Line  int
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (t *Text) UnmarshalYAML(n ast.Node) error {
	t.Line = line(n)
	s, ok := n.(*ast.StringNode)
	if !ok {
		return &Fault{Line: t.Line, What: "must be a text; quote it if it looks like something else"}
	}
	t.Value = s.Value
	return nil
}

// Entry is one key of a mapping with its value, in the file's order.
type Entry struct {
	Key   Text
	Value Text
}

// Entries is a mapping from text to text that remembers lines and order.
type Entries []Entry

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (e *Entries) UnmarshalYAML(n ast.Node) error {
	m, ok := n.(ast.MapNode)
	if !ok {
		return &Fault{Line: line(n), What: "must be a mapping"}
	}
	for it := m.MapRange(); it.Next(); {
		entry := Entry{Key: Text{Value: it.Key().GetToken().Value, Line: line(it.Key())}}
		if err := entry.Value.UnmarshalYAML(it.Value()); err != nil {
			return err
		}
		*e = append(*e, entry)
	}
	return nil
}

func line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// Faults gathers what is wrong with one file.
type Faults struct {
	File string
	errs []error
}

// Add notes a fault in a line.
func (f *Faults) Add(line int, format string, args ...any) {
	f.errs = append(f.errs, &Fault{File: f.File, Line: line, What: fmt.Sprintf(format, args...)})
}

// Err joins what was noted, nil when nothing was.
func (f *Faults) Err() error { return errors.Join(f.errs...) }
