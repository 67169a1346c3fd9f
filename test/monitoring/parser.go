package monitoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// parser holds one token ahead.
type parser struct {
	scan  scanner.Scanner
	token rune
	text  string
}

func (p *parser) next() {
	p.token = p.scan.Scan()
	p.text = p.scan.TokenText()
}

// term reads `field = "value"` or `field != one_of("a", "b")`.
func (p *parser) term() (term, error) {
	var t term
	var err error
	if t.field, err = p.selector(); err != nil {
		return t, err
	}
	if p.token == '!' {
		t.negated = true
		p.next()
	}
	if p.token != '=' {
		return t, fmt.Errorf("expected = or !=, found %q at %s", p.text, p.scan.Position)
	}
	p.next()
	if p.token == scanner.String {
		t.match = "="
		v, err := p.value()
		t.values = []string{v}
		return t, err
	}
	t.match = p.text
	if !slices.Contains([]string{"one_of", "starts_with", "ends_with", "has_substring"}, t.match) {
		return t, fmt.Errorf("unknown function %q at %s", p.text, p.scan.Position)
	}
	p.next()
	t.values, err = p.arguments()
	if err == nil && len(t.values) > maxOneOf {
		err = fmt.Errorf("one_of takes at most %d values, not %d", maxOneOf, len(t.values))
	}
	if err == nil && t.match != "one_of" && len(t.values) != 1 {
		err = fmt.Errorf("%s takes one value", t.match)
	}
	return t, err
}

func (p *parser) selector() (string, error) {
	var parts []string
	for {
		if p.token != scanner.Ident {
			return "", fmt.Errorf("expected a selector, found %q at %s", p.text, p.scan.Position)
		}
		parts = append(parts, p.text)
		p.next()
		if p.token != '.' {
			break
		}
		p.next()
	}
	name := strings.Join(parts, ".")
	known := slices.Contains([]string{"project", "metric.type", "resource.type"}, name) ||
		len(parts) == 3 && (parts[0] == "metric" || parts[0] == "resource") && (parts[1] == "labels" || parts[1] == "label")
	if !known {
		return "", fmt.Errorf("unknown selector %q", name)
	}
	return name, nil
}

func (p *parser) arguments() ([]string, error) {
	if p.token != '(' {
		return nil, fmt.Errorf("expected (, found %q at %s", p.text, p.scan.Position)
	}
	var values []string
	for p.token != ')' {
		p.next()
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if p.token != ',' && p.token != ')' {
			return nil, fmt.Errorf("expected , or ), found %q at %s", p.text, p.scan.Position)
		}
	}
	p.next()
	return values, nil
}

func (p *parser) value() (string, error) {
	if p.token != scanner.String {
		return "", fmt.Errorf("expected a string, found %q at %s", p.text, p.scan.Position)
	}
	v, err := strconv.Unquote(p.text)
	p.next()
	return v, err
}
