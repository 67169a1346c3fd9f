package main

import (
	"context"
	"fmt"
)

type rollbackCmd struct {
	Service []string `help:"Only these services."`
}

// Run gives all traffic back to the revisions that had it before. A second one undoes
// the first.
func (r rollbackCmd) Run(c *console) error {
	g, e, err := c.open()
	if err != nil {
		return err
	}
	services, err := chosen(e, r.Service)
	if err != nil {
		return err
	}
	return c.each(len(services), func(ctx context.Context, i int) error {
		name := services[i].Name
		l, err := g.service(ctx, e, name)
		if err != nil {
			return err
		}
		now, before := l.serving(), l.tagged(tagPrevious)
		if before == "" || before == now {
			fmt.Fprintf(c.out, "%s has no revision to go back to\n", name)
			return nil
		}
		if err := g.shift(ctx, e, name, before, now); err != nil {
			return err
		}
		fmt.Fprintf(c.out, "%s went back to %s\n", name, before)
		return nil
	})
}
