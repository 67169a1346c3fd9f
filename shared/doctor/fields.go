package doctor

import (
	"context"
	"fmt"
	"strings"
)

type field struct {
	Name      string
	TTLConfig *struct{ State string }
	// IndexConfig is there for fields with settings of their own.
	IndexConfig *struct {
		Indexes            []any
		UsesAncestorConfig bool
	}
}

// fieldSettings reads what Firestore was told about fields, by COLLECTION.FIELD.
func (x *exam) fieldSettings(ctx context.Context) (map[string]field, error) {
	return x.fields.get(func() (map[string]field, error) {
		path := "projects/" + x.Estate.Project.ID + "/databases/" + x.Estate.File.Database.Name + "/collectionGroups/-/fields"
		out := map[string]field{}
		for _, text := range []string{"indexConfig.usesAncestorConfig:false", "ttlConfig:*"} {
			all, err := list[field](ctx, x.Cloud, Firestore, path, "fields", filter(text))
			if err != nil {
				return nil, err
			}
			for _, f := range all {
				out[short(f.Name)] = f
			}
		}
		return out, nil
	})
}

func short(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) != 8 {
		return name
	}
	return parts[5] + "." + parts[7]
}

func ttlPolicy(ctx context.Context, x *exam) ([]Finding, error) {
	have, err := x.fieldSettings(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, f := range x.Estate.Fields {
		if !f.TTL {
			continue
		}
		name := f.Collection + "." + f.Name
		fix := x.gcloud("firestore fields ttls update %s --collection-group=%s --enable-ttl --database=%s --async", f.Name, f.Collection, quote(x.Estate.File.Database.Name))
		switch got := have[name]; {
		case got.TTLConfig == nil:
			out = append(out, Finding{Status: Error, Subject: name, What: "there is no TTL policy: documents are never cleaned up", Fix: fix})
		case got.TTLConfig.State != "ACTIVE":
			out = append(out, Finding{Status: Warning, Subject: name, What: fmt.Sprintf("the TTL policy is %s, not active yet", got.TTLConfig.State), Fix: fix})
		}
	}
	return out, nil
}

func indexExemption(ctx context.Context, x *exam) ([]Finding, error) {
	have, err := x.fieldSettings(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, f := range x.Estate.Fields {
		name := f.Collection + "." + f.Name
		got := have[name].IndexConfig
		exempt := got != nil && !got.UsesAncestorConfig && len(got.Indexes) == 0
		at := fmt.Sprintf("--collection-group=%s --database=%s --async", f.Collection, quote(x.Estate.File.Database.Name))
		if f.Unindexed && !exempt {
			out = append(out, Finding{
				Status: Warning, Subject: name, What: "it is indexed, which no query needs: a growing index caps writes, and costs",
				Fix: x.gcloud("firestore indexes fields update %s --disable-indexes %s", f.Name, at),
			})
		}
		if f.Needed && exempt {
			out = append(out, Finding{
				Status: Error, Subject: name, What: "it is not indexed, and a query needs it",
				Fix: x.gcloud("firestore indexes fields update %s --clear-exemption %s", f.Name, at),
			})
		}
	}
	return out, nil
}
