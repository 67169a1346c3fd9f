package webhook

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"onceway.internal/shared/chatops/document"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/pattern"
)

// File is the content of tools.yaml, valid as Parse answers it.
type File struct {
	Tools []Tool
	// AppCommands maps the IDs of slash and quick commands, as Google's console
	// has them, to the words that they stand for.
	AppCommands map[string]string
}

// Tool is one webhook.
type Tool struct {
	Name        string
	Words       string // the command's words
	Arguments   []Argument
	Brief       string
	URL         *url.URL
	Verify      string // a URL in which {operation} stands for the operation ID; empty for none
	Destructive bool
	Role        policy.Role
	Timeout     time.Duration
	Audience    string         // of the OIDC token; empty for no token
	Allow       []netip.Prefix // addresses that would be refused otherwise
}

// Argument is one word that the tool is called with.
type Argument struct {
	Name     string
	Optional bool
}

type form struct {
	AppCommands document.Entries `yaml:"appCommands"`
	Tools       []toolForm       `yaml:"tools"`
}

type toolForm struct {
	Name        document.Text   `yaml:"name"`
	Words       document.Text   `yaml:"words"`
	Arguments   []document.Text `yaml:"arguments"`
	Brief       document.Text   `yaml:"brief"`
	URL         document.Text   `yaml:"url"`
	Verify      document.Text   `yaml:"verify"`
	Destructive *bool           `yaml:"destructive"`
	Role        document.Text   `yaml:"role"`
	Timeout     document.Text   `yaml:"timeout"`
	Audience    document.Text   `yaml:"audience"`
	Allow       []document.Text `yaml:"allow"`
}

// Parse reads tools.yaml. Its error joins every fault, each with its line.
func Parse(file string, data []byte) (File, error) {
	var f form
	if err := document.Decode(file, data, &f); err != nil {
		return File{}, err
	}
	r := &reader{Faults: document.Faults{File: file}, seen: map[string]bool{}}
	out := File{AppCommands: map[string]string{}}
	for _, e := range f.AppCommands {
		if !digits.MatchString(e.Key.Value) || strings.TrimSpace(e.Value.Value) == "" {
			r.Add(e.Key.Line, "appCommands: %q: must be a command's number with the words it stands for", e.Key.Value)
		}
		out.AppCommands[e.Key.Value] = e.Value.Value
	}
	for _, t := range f.Tools {
		out.Tools = append(out.Tools, r.tool(t))
	}
	if err := r.Err(); err != nil {
		return File{}, err
	}
	return out, nil
}

var (
	digits   = pattern.Lazy(`^[0-9]{1,10}$`)
	toolName = pattern.Lazy(`^[a-z][a-z0-9-]{0,39}$`)
	words    = pattern.Lazy(`^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*){0,3}$`)
)
