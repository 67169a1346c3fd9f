package main

import (
	"context"

	"onceway.internal/shared/estate"
)

// live is a service as it is deployed; the zero value is none.
type live struct {
	Metadata struct{ Name string }
	Status   struct {
		Traffic []struct {
			RevisionName, Tag, URL string
			Percent                int
		}
	}
}

// service reads a service. A list by name tells "not there" from "not allowed", which
// describe does only in words.
func (g *gcloud) service(ctx context.Context, e estate.Estate, name string) (live, error) {
	var all []live
	if err := g.read(ctx, &all, "run", "services", "list", "--region="+e.File.Region); err != nil {
		return live{}, err
	}
	for _, s := range all {
		if s.Metadata.Name == name {
			return s, nil
		}
	}
	return live{}, nil
}

func (l live) shares() []share {
	var out []share
	for _, t := range l.Status.Traffic {
		out = append(out, share{Revision: t.RevisionName, Percent: t.Percent, Tag: t.Tag})
	}
	return out
}

// serving is the revision with the most traffic.
func (l live) serving() string {
	best, name := 0, ""
	for _, t := range l.Status.Traffic {
		if t.Percent > best {
			best, name = t.Percent, t.RevisionName
		}
	}
	return name
}

func (l live) url(tag string) string {
	for _, t := range l.Status.Traffic {
		if t.Tag == tag {
			return t.URL
		}
	}
	return ""
}

func (l live) tagged(tag string) string {
	for _, t := range l.Status.Traffic {
		if t.Tag == tag {
			return t.RevisionName
		}
	}
	return ""
}
