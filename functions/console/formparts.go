package console

import "fmt"

// formParts is what every form carries: see parts.html.
type formParts struct {
	page
	Act  string // the group that a part is about, where it is about one
	Seen string // version of what the reader saw
}

// formOf gives a form's parts to its template. A page may hold several forms: each
// has the page's token, which only together with act and target names an operation.
func formOf(p page, act, seen string) formParts {
	return formParts{page: p, Act: act, Seen: seen}
}

func (f formParts) with(act, seen string) formParts {
	f.Act, f.Seen = act, seen
	return f
}

// navLink is one of the links at the head.
type navLink struct {
	Root, Path, Text string
	Current          bool
}

func navOf(p page, path, text string) navLink {
	return navLink{Root: p.Root, Path: path, Text: text, Current: p.Nav == path}
}

// candidatesTable is a campaign's candidates with the unit of their scores.
type candidatesTable struct {
	Campaign
	Mode string
}

func candidatesOf(c Campaign, mode string) candidatesTable { return candidatesTable{c, mode} }

func groupOf(g Groups, id string) *Group {
	for i := range g.Groups {
		if g.Groups[i].Group == id {
			return &g.Groups[i]
		}
	}
	return nil
}

// emptiest is the group with the lowest score among those that take campaigns of anybody.
func emptiest(g Groups) *Group {
	return extreme(g, func(a, b float64) bool { return a < b }, func(g Group) bool { return g.Why == "" })
}

// fullest is the group with the highest score.
func fullest(g Groups) *Group {
	return extreme(g, func(a, b float64) bool { return a > b }, func(Group) bool { return true })
}

func extreme(g Groups, better func(a, b float64) bool, counts func(Group) bool) (found *Group) {
	for i := range g.Groups {
		c := &g.Groups[i]
		if c.Score != nil && counts(*c) && c.Data != "never" && (found == nil || better(*c.Score, *found.Score)) {
			found = c
		}
	}
	return found
}

func total(g Groups) (sum float64) {
	for _, c := range g.Groups {
		sum += c.Total()
	}
	return sum
}

func toFloat(v any) (float64, error) {
	switch n := v.(type) {
	case int:
		return float64(n), nil
	case int64:
		return float64(n), nil
	}
	return 0, fmt.Errorf("%T is no number", v)
}
