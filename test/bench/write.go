package main

import (
	"bytes"
	"fmt"
	"os"
)

// Between these lines of RESULTS.md stands what the last run with --write came to.
const (
	figuresBegin = "<!-- figures: written by scripts/bench --write -->\n"
	figuresEnd   = "<!-- end of figures -->\n"
)

// write puts the report into a Markdown file, between the marks.
func (r report) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	head, rest, ok := bytes.Cut(text, []byte(figuresBegin))
	_, tail, closed := bytes.Cut(rest, []byte(figuresEnd))
	if !ok || !closed {
		return fmt.Errorf("write results: %s lacks the lines between which figures stand", path)
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(figuresBegin + "\n")
	r.markdown(&b)
	b.WriteString("\n" + figuresEnd)
	b.Write(tail)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
