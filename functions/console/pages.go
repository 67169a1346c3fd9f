package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed static/*.js static/*.css static/*.svg
var assets embed.FS

// page is what a template is given.
type page struct {
	Template string
	Title    string
	Nav      string // the link that is the current one
	Live     string // where the live parts come from; empty: nothing is live
	Notice   string // what was just done
	Problem  *Problem
	Data     any
	stood    string // a path as deep as the browser's, where that is not the request's

	// Set for every page:
	Root    string // back to the console's own path
	Version string // of the static files
	Who     Person
	May     bool // change things
	Token   string
	Now     time.Time
}

// Pages of a list: where it goes on.
type paging struct {
	FirstPage, NextPage string // relative links; empty: none
}

// pages renders.
type pages struct {
	all     map[string]*template.Template
	files   map[string][]byte
	version string
}

func newPages() (*pages, error) {
	p := &pages{all: map[string]*template.Template{}, files: map[string][]byte{}}
	base, err := template.New("base").Funcs(template.FuncMap{
		"plain": plain, "brief": brief, "shown": shown, "moment": moment, "seconds": seconds, "number": number, "score": score, "plus": plus,
		"bar": bar, "short": func(id string) string { return id[:min(12, len(id))] }, "bytes": byteSize, "why": why, "rule": rule, "deref": deref,
		"lower": strings.ToLower, "form": formOf, "seen": formParts.with, "link": navOf, "emptiest": emptiest, "fullest": fullest,
		"backlog": total, "at": func(t *time.Time) time.Time { return *t }, "groupOf": groupOf, "float": toFloat, "candidates": candidatesOf,
	}).ParseFS(templates, "templates/base.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	names, err := fs.Glob(templates, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("find templates: %w", err)
	}
	for _, name := range names {
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(templates, name)
		}
		if err != nil {
			return nil, fmt.Errorf("parse template %s: %w", name, err)
		}
		p.all[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return p, p.load()
}

// load reads the static files; their version stands in their path, so that browsers
// keep them for good.
func (p *pages) load() error {
	entries, err := assets.ReadDir("static")
	if err != nil {
		return fmt.Errorf("read static files: %w", err)
	}
	sum := sha256.New()
	for _, e := range entries {
		b, err := assets.ReadFile("static/" + e.Name())
		if err != nil {
			return fmt.Errorf("read static file: %w", err)
		}
		p.files[e.Name()] = b
		sum.Write(b)
	}
	p.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return nil
}

var mediaTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// static serves the files to anybody: there is nothing in them that npm has not.
func (p *pages) static(w http.ResponseWriter, r *http.Request) {
	b, ok := p.files[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaTypes[path.Ext(r.PathValue("file"))])
	w.Header().Set("Cache-Control", "no-cache")
	if r.PathValue("version") == p.version {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// render writes a whole page, or none of it.
func (p *pages) render(w http.ResponseWriter, r *http.Request, status int, name string, who Person, v page) {
	v.Root, v.Version, v.Who = root(r.URL.Path), p.version, who
	if v.stood != "" {
		v.Root = root(v.stood)
	}
	if name == "" {
		name = v.Template
	}
	var out bytes.Buffer
	entry := "base"
	if strings.HasSuffix(name, "-live") {
		entry = name
	}
	if err := p.all[strings.TrimSuffix(name, "-live")].ExecuteTemplate(&out, entry, v); err != nil {
		http.Error(w, "page can't be rendered", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// link is path with the query that is not empty.
func link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (p *paging) of(path, page, next string, pairs ...string) {
	if page != "" {
		p.FirstPage = link(path, pairs...)
	}
	if next != "" {
		p.NextPage = link(path, append(pairs, "page", next)...)
	}
}
