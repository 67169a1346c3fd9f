package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"onceway.internal/shared/estate"
)

// Tags of revisions.
const (
	tagCandidate = "candidate" // the newest, to be tried without traffic
	tagPrevious  = "previous"  // what rollback goes back to
)

// share is one line of a service's traffic.
type share struct {
	Revision string
	Latest   bool
	Percent  int
	Tag      string
}

type variable struct{ Name, Value string }

type serviceData struct {
	Service  estate.Service
	Image    string
	Revision string
	Timeout  int
	Env      []variable
	Traffic  []share
}

// renderService is a service's YAML and the name of its revision, which is a hash of
// all that makes the revision: the same image and settings are the same revision, and
// deploying them again changes nothing. serving is the traffic as it is; nil for a
// service that is new, whose first revision has no predecessor and takes it.
func renderService(infra string, e estate.Estate, s estate.Service, image string, serving []share) ([]byte, string, error) {
	path := filepath.Join(infra, "run", "service.yaml.tmpl")
	data := serviceData{Service: s, Image: image, Revision: s.Name, Timeout: int(s.Timeout.Seconds())}
	for _, name := range sortedKeys(s.Env) {
		data.Env = append(data.Env, variable{name, s.Env[name]})
	}
	text, err := execute(path, 0, data)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	data.Revision = s.Name + "-" + hex.EncodeToString(sum[:5])
	data.Traffic = traffic(serving, data.Revision)
	text, err = execute(path, 0, data)
	return text, data.Revision, err
}

// traffic leaves what serves as it is and adds the candidate without traffic.
func traffic(serving []share, candidate string) []share {
	if len(serving) == 0 {
		return []share{{Latest: true, Percent: 100, Tag: tagCandidate}}
	}
	var out []share
	for _, s := range serving {
		if s.Percent > 0 || s.Tag == tagPrevious {
			if s.Tag == tagCandidate {
				s.Tag = ""
			}
			out = append(out, s)
		}
	}
	return append(out, share{Revision: candidate, Tag: tagCandidate})
}
