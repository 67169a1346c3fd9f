package policy

import (
	"maps"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/chatops/document"
	"onceway.internal/shared/pattern"
)

// Policy says who may ask for what. It never changes after Parse.
type Policy struct {
	// Default is the role of everybody who is not listed.
	Default Role
	// Zone is where times in commands are meant.
	Zone *time.Location
	// ConfirmWithin is how long a proposal waits for its Confirm.
	ConfirmWithin time.Duration

	emails  map[string]Role // keys are lowered ASCII
	spaces  map[string]Role
	least   map[string]Role // by command name
	confirm map[string]bool
	lines   map[string]int // of command names, for Check
	file    string
}

type listed struct {
	Emails []document.Text `yaml:"emails"`
	Spaces []document.Text `yaml:"spaces"`
}

type form struct {
	Default       document.Text `yaml:"default"`
	Zone          document.Text `yaml:"timezone"`
	ConfirmWithin document.Text `yaml:"confirmWithin"`
	Roles         struct {
		Viewer   listed `yaml:"viewer"`
		Operator listed `yaml:"operator"`
		Admin    listed `yaml:"admin"`
	} `yaml:"roles"`
	Commands document.Entries `yaml:"commands"`
	Confirm  []document.Text  `yaml:"confirm"`
}

// Parse reads policy.yaml. Its error joins every fault, each with its line.
func Parse(file string, data []byte) (*Policy, error) {
	var f form
	if err := document.Decode(file, data, &f); err != nil {
		return nil, err
	}
	faults := &document.Faults{File: file}
	p := &Policy{
		Default: Viewer, Zone: time.UTC, ConfirmWithin: 10 * time.Minute, file: file,
		emails: map[string]Role{}, spaces: map[string]Role{},
		least: map[string]Role{}, confirm: map[string]bool{}, lines: map[string]int{},
	}
	p.settings(f, faults)
	p.list(Viewer, f.Roles.Viewer, faults)
	p.list(Operator, f.Roles.Operator, faults)
	p.list(Admin, f.Roles.Admin, faults)
	p.commands(f, faults)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Policy) settings(f form, faults *document.Faults) {
	if f.Default.Value != "" {
		role, err := ParseRole(f.Default.Value)
		switch {
		case err != nil:
			faults.Add(f.Default.Line, "default: %v", err)
		case role > Viewer:
			faults.Add(f.Default.Line, "default: %s is too much for people who are not listed: use viewer or nobody", role)
		}
		p.Default = role
	}
	if f.Zone.Value != "" {
		zone, err := time.LoadLocation(f.Zone.Value)
		if err != nil || f.Zone.Value == "Local" {
			faults.Add(f.Zone.Line, "timezone: %q is not known here: use a name such as Europe/Berlin", f.Zone.Value)
		} else {
			p.Zone = zone
		}
	}
	if f.ConfirmWithin.Value != "" {
		d, err := time.ParseDuration(f.ConfirmWithin.Value)
		if err != nil || d < time.Minute || d > 24*time.Hour {
			faults.Add(f.ConfirmWithin.Line, "confirmWithin: %q is not a duration from 1m to 24h", f.ConfirmWithin.Value)
		}
		p.ConfirmWithin = d
	}
}

var space = pattern.Lazy(`^spaces/[A-Za-z0-9_-]+$`)

func (p *Policy) list(role Role, l listed, faults *document.Faults) {
	for _, e := range l.Emails {
		address, ok := normal(e.Value)
		at := strings.IndexByte(address, '@')
		switch {
		case !ok:
			faults.Add(e.Line, "%s: address %q holds a character that no address matches: printable ASCII only", role, e.Value)
		case at < 1 || at == len(address)-1 || strings.Count(address, "@") != 1:
			faults.Add(e.Line, "%s: %q is not an e-mail address", role, e.Value)
		default:
			p.emails[address] = max(p.emails[address], role)
		}
	}
	for _, s := range l.Spaces {
		if !space.MatchString(s.Value) {
			faults.Add(s.Line, "%s: %q is not the name of a space such as spaces/AAAA", role, s.Value)
			continue
		}
		p.spaces[s.Value] = max(p.spaces[s.Value], role)
	}
}

func (p *Policy) commands(f form, faults *document.Faults) {
	for _, e := range f.Commands {
		role, err := ParseRole(e.Value.Value)
		if err != nil {
			faults.Add(e.Value.Line, "commands: %s: %v", e.Key.Value, err)
		}
		p.least[e.Key.Value] = role
		p.lines[e.Key.Value] = e.Key.Line
	}
	for _, c := range f.Confirm {
		p.confirm[c.Value] = true
		p.lines[c.Value] = c.Line
	}
}

// Check reports every command that the file names and that is not known.
func (p *Policy) Check(known func(command string) bool) error {
	faults := &document.Faults{File: p.file}
	for _, name := range slices.Sorted(maps.Keys(p.lines)) {
		if !known(name) {
			faults.Add(p.lines[name], "there is no command %q", name)
		}
	}
	return faults.Err()
}
