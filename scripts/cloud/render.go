package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"onceway.internal/shared/estate"
)

// rendered is files by name: alerts/parked.yaml, dashboards/onceway.yaml, metrics/….
type rendered struct {
	dir   string // where they were written for gcloud to read
	files map[string][]byte
}

// path is where a file lies.
func (r rendered) path(name string) string { return filepath.Join(r.dir, name) }

// digest is a short hash of a file: it says whether what is there was made of it.
func (r rendered) digest(name string) string {
	sum := sha256.Sum256(r.files[name])
	return hex.EncodeToString(sum[:6])
}

// names are the files in a folder.
func (r rendered) names(folder string) []string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		if strings.HasPrefix(n, folder+"/") {
			names = append(names, n)
		}
	}
	return names
}

// write puts the files where gcloud can read them.
func (r rendered) write() error {
	for name, data := range r.files {
		if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
			return fmt.Errorf("write rendered files: %w", err)
		}
		if err := os.WriteFile(r.path(name), data, 0o644); err != nil {
			return fmt.Errorf("write rendered files: %w", err)
		}
	}
	return nil
}

// monitoringData is what the files in infra/monitoring may use. Digest stands for the
// file's own hash: it is put in after the rest, and tells the file apart from another.
type monitoringData struct {
	estate.Estate
	Digest string
}

// Sources are the subscriptions that a group's workers read, as a filter's list.
func (d monitoringData) Sources(group string) string {
	g, _ := d.Groups.Group(group)
	var ids []string
	for _, q := range g.Queues {
		ids = append(ids, `"`+q.Subscription+`"`)
	}
	return strings.Join(ids, ",")
}

// maxNames is how many names Monitoring takes in one list.
const maxNames = 100

// Chunks are the subscriptions of all groups, as lists that Monitoring takes.
func (d monitoringData) Chunks() []string {
	var ids, lists []string
	for _, g := range d.Groups.Groups {
		for _, q := range g.Queues {
			ids = append(ids, `"`+q.Subscription+`"`)
		}
	}
	for chunk := range slices.Chunk(ids, maxNames) {
		lists = append(lists, strings.Join(chunk, ","))
	}
	return lists
}

// DeadLettersID and LettersID are short names, as metrics have them.
func (d monitoringData) DeadLettersID() string { return estate.Short(d.DeadLetters()) }

// LettersID is the subscription of the dead-letter topic.
func (d monitoringData) LettersID() string { return estate.LettersSubscription }

// ServiceNames are all services, as a filter's list.
func (d monitoringData) ServiceNames() string {
	var names []string
	for _, s := range d.Services {
		names = append(names, `"`+s.Name+`"`)
	}
	return strings.Join(names, ",")
}

// Tiles of the dashboard: three in a row of 48 columns, 14 high.
const (
	tilesInRow = 3
	tileWidth  = 16
	tileHeight = 14
)

// layout places tiles: column and row for the groups, below for the rows under them.
func layout(groups int) template.FuncMap {
	rows := (groups + tilesInRow - 1) / tilesInRow
	return template.FuncMap{
		"column": func(i int) int { return i % tilesInRow * tileWidth },
		"row":    func(i int) int { return i / tilesInRow * tileHeight },
		"below":  func(row int) int { return (rows + row) * tileHeight },
		"quote":  func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
	}
}

// Digest that templates are hashed with; then it is replaced by the hash.
const noDigest = "000000000000"

func renderMonitoring(e estate.Estate, infra, dir string) (rendered, error) {
	r := rendered{dir: dir, files: map[string][]byte{}}
	for _, folder := range []string{"metrics", "dashboards", "alerts"} {
		paths, err := filepath.Glob(filepath.Join(infra, "monitoring", folder, "*.yaml.tmpl"))
		if err != nil || len(paths) == 0 {
			return r, fmt.Errorf("render monitoring: nothing in %s/monitoring/%s", infra, folder)
		}
		for _, p := range paths {
			text, err := execute(p, len(e.Groups.Groups), monitoringData{e, noDigest})
			if err != nil {
				return r, err
			}
			name := folder + "/" + strings.TrimSuffix(filepath.Base(p), ".tmpl")
			r.files[name] = text
			r.files[name] = bytes.ReplaceAll(text, []byte(noDigest), []byte(r.digest(name)))
		}
	}
	return r, nil
}

// execute renders a template; a name that it does not know is an error.
func execute(path string, groups int, data any) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	t, err := template.New(filepath.Base(path)).Option("missingkey=error").Funcs(layout(groups)).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return b.Bytes(), nil
}

type renderCmd struct {
	Out    string `required:"" help:"Folder to write to."`
	Image  string `default:"europe-west1-docker.pkg.dev/demo-project/onceway/onceway@sha256:0000000000000000000000000000000000000000000000000000000000000000" help:"Image of the services."`
	Number string `default:"123456789012" help:"The project's number."`
}

// Run renders what provision and release would hand over, for a look or a check.
func (r renderCmd) Run(c *console) error {
	project := c.cli.Project
	if project == "" {
		project = "demo-project"
	}
	e, err := c.estate(r.Number, project)
	if err != nil {
		return err
	}
	files, err := renderMonitoring(e, c.cli.Infra, r.Out)
	if err != nil {
		return err
	}
	for _, s := range e.Services {
		text, _, err := renderService(c.cli.Infra, e, s, r.Image, nil)
		if err != nil {
			return err
		}
		files.files["run/"+s.Name+".yaml"] = text
	}
	return files.write()
}
