package main

import (
	"fmt"
	"io"
)

// printDiff shows what would change: + is missing, ~ differs, ! is not ours to change,
// . waits.
func printDiff(out io.Writer, changes []change) {
	for _, c := range changes {
		sign := "+"
		switch {
		case c.waiting():
			sign = "."
		case c.args == nil:
			sign = "!"
		case len(c.diff) > 0:
			sign = "~"
		}
		fmt.Fprintf(out, "%s %s %s\n", sign, c.kind, c.name)
		for _, d := range c.diff {
			fmt.Fprintf(out, "    %s\n", d)
		}
		if c.note != "" {
			fmt.Fprintf(out, "    %s\n", c.note)
		}
	}
	summary(out, changes)
}

func printCommands(out io.Writer, changes []change) {
	for _, c := range changes {
		if c.args != nil {
			fmt.Fprintln(out, shown(c.args))
		}
	}
	for _, c := range changes {
		if c.args == nil {
			fmt.Fprintf(out, "# %s %s %s\n", c.kind, c.name, c.note)
		}
	}
}

func summary(out io.Writer, changes []change) {
	var made, changed, waiting, foreign int
	for _, c := range changes {
		switch {
		case c.waiting():
			waiting++
		case c.args == nil:
			foreign++
		case len(c.diff) > 0:
			changed++
		default:
			made++
		}
	}
	fmt.Fprintf(out, "%d missing, %d different, %d waiting for the first release, %d for others to look at\n", made, changed, waiting, foreign)
	for _, c := range changes {
		if c.args == nil && !c.waiting() {
			fmt.Fprintf(out, "! %s %s %s\n", c.kind, c.name, c.note)
		}
	}
}
