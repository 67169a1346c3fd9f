package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what a run came to.
type report struct {
	Figures  []figure          `json:"figures"`
	Machine  machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Took     string            `json:"took"`
	Command  string            `json:"command"`
}

// missed lists the figures that miss their goal.
func (r report) missed() []string {
	var names []string
	for _, f := range r.Figures {
		if !f.met() {
			names = append(names, f.Name)
		}
	}
	return names
}

// closing says in a line whether the goals are met.
func (r report) closing() string {
	goals := 0
	for _, f := range r.Figures {
		if f.Goal != 0 {
			goals++
		}
	}
	missed := r.missed()
	if len(missed) == 0 {
		return fmt.Sprintf("%d of %d goals met, in %s", goals, goals, r.Took)
	}
	return fmt.Sprintf("%d of %d goals met, in %s; missed: %s", goals-len(missed), goals, r.Took, strings.Join(missed, ", "))
}

func (r report) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tratio\tgoal\tmet\t")
	for _, f := range r.Figures {
		fmt.Fprintf(t, "%s\t%.2f\t%s\t%s\t%s\n", f.Name, f.Ratio, f.goal(), f.mark(), f.Says)
	}
	_ = t.Flush() // its writer's errors are the terminal's
	fmt.Fprintf(w, "\n%s\n%s\n", r.Machine, r.closing())
}

func (f figure) goal() string {
	switch {
	case f.Goal == 0:
		return "–"
	case f.Most:
		return fmt.Sprintf("≤ %g", f.Goal)
	}
	return fmt.Sprintf("≥ %g", f.Goal)
}

func (f figure) mark() string {
	switch {
	case f.Goal == 0:
		return "–"
	case f.met():
		return "yes"
	}
	return "no"
}

// markdown is the report as it stands in RESULTS.md.
func (r report) markdown(w io.Writer) {
	fmt.Fprintf(w, "`%s`, %s.\n\n%s.\n\n", r.Command, time.Now().UTC().Format("2 January 2006"), r.Machine)
	fmt.Fprintln(w, "| figure | ratio | goal | met | both sides |")
	fmt.Fprintln(w, "| --- | ---: | ---: | --- | --- |")
	for _, f := range r.Figures {
		fmt.Fprintf(w, "| %s | %.2f | %s | %s | %s |\n", f.Name, f.Ratio, f.goal(), f.mark(), strings.ReplaceAll(f.Says, "|", `\|`))
	}
	fmt.Fprintf(w, "\n%s.\n\nVersions: ", r.closing())
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		all = append(all, name+" "+r.Versions[name])
	}
	fmt.Fprintf(w, "%s.\n", strings.Join(all, "; "))
}

// rounded keeps three digits after the point: the rest is noise.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
