package group

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/groups"
)

func (c Config) reserve() chatops.Command {
	return chatops.Command{
		Name: "reserve", Usage: "GROUP for CUSTOMER[, …] [until TIME] [because …]",
		Brief: "keeps a group for customers", Role: policy.Operator, Effect: chatops.Repeats,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			r := groups.Reservation{}
			var err error
			if r.Group, err = c.group(&a); err != nil {
				return chatops.Call{}, err
			}
			if err = a.Expect("for", "the customers"); err != nil {
				return chatops.Call{}, err
			}
			if r.Customers, err = customers(a.Until("until", "because")); err != nil {
				return chatops.Call{}, err
			}
			if a.Accept("until") {
				if r.Until, err = a.When(a.Until("because")); err != nil {
					return chatops.Call{}, err
				}
			}
			if r.Note, err = a.Because(); err != nil {
				return chatops.Call{}, err
			}
			detail := "for " + strings.Join(r.Customers, ", ") + until(r.Until, a.Zone)
			return chatops.Call{Target: r.Group, Detail: detail, Reason: r.Note, Do: func(ctx context.Context, op chatops.Operation) (string, error) {
				r := r
				r.By = op.Actor
				live, err := c.Book.Reserve(ctx, op.ID, r)
				if err != nil {
					return "", explain(err, r.Group)
				}
				return done(live, r.Group, "is reserved for "+quoted(r.Customers)+until(r.Until, a.Zone)), nil
			}}, nil
		},
	}
}

// simple is a change that needs a group and takes a reason.
func (c Config) simple(name, brief, is string, do func(ctx context.Context, op, group, by, why string) (groups.Live, error)) chatops.Command {
	return chatops.Command{
		Name: name, Usage: "GROUP [because …]", Brief: brief, Role: policy.Operator, Effect: chatops.Repeats,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			group, err := c.group(&a)
			if err != nil {
				return chatops.Call{}, err
			}
			why, err := a.Because()
			if err != nil {
				return chatops.Call{}, err
			}
			return chatops.Call{Target: group, Reason: why, Do: func(ctx context.Context, op chatops.Operation) (string, error) {
				live, err := do(ctx, op.ID, group, op.Actor, why)
				if err != nil {
					return "", explain(err, group)
				}
				return done(live, group, is), nil
			}}, nil
		},
	}
}

func (c Config) release() chatops.Command {
	return c.simple("release", "ends a group's reservation", "is free for everybody", c.Book.Release)
}

func (c Config) drain() chatops.Command {
	return c.simple("drain", "lets a group take no new campaigns", "takes no new campaigns", c.Book.Drain)
}

func (c Config) undrain() chatops.Command {
	return c.simple("undrain", "lets a group take campaigns again", "takes campaigns again", c.Book.Undrain)
}

// group reads a group's ID as groups.yaml has it, whatever the case.
func (c Config) group(a *chatops.Args) (string, error) {
	name, err := a.Next("the group")
	if err != nil {
		return "", err
	}
	var known []string
	for _, g := range c.Groups.Groups {
		if g.ID == name {
			return g.ID, nil
		}
		known = append(known, g.ID)
	}
	for _, id := range known {
		if strings.EqualFold(id, name) {
			return id, nil
		}
	}
	return "", fmt.Errorf("there is no group %s; there are %s", chatops.Quote(name), strings.Join(known, ", "))
}

func customers(words []string) ([]string, error) {
	var all []string
	for _, name := range strings.Split(strings.Join(words, " "), ",") {
		if name = strings.TrimSpace(name); name == "" {
			return nil, errors.New("a customer is missing; write several with commas between them")
		}
		all = append(all, name)
	}
	return all, nil
}

// explain makes an answer of the errors that say that nothing changed.
func explain(err error, group string) error {
	switch {
	case errors.Is(err, groups.ErrReserved):
		return chatops.Refuse(fmt.Sprintf("%s is reserved for others. `release %s` first, or see `groups`.", group, group))
	case errors.Is(err, groups.ErrNotReserved):
		return chatops.Refuse(fmt.Sprintf("%s is not reserved.", group))
	case errors.Is(err, groups.ErrInvalid):
		return chatops.Refuse("That can't be done: the end is in the past, or no customer is named.")
	case errors.Is(err, groups.ErrUnknownGroup):
		return chatops.Refuse(fmt.Sprintf("There is no group %s any more.", group))
	}
	return chatops.Explain(err, "The state of the groups could not be changed just now.")
}

func done(live groups.Live, group, is string) string {
	text := fmt.Sprintf("*%s* %s.", group, is)
	if _, draining := live.Draining[group]; draining && is != "takes no new campaigns" {
		text += " It is still draining."
	}
	return text
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = chatops.Quote(n)
	}
	return strings.Join(all, ", ")
}

func until(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return " until " + t.In(zone).Format("2006-01-02 15:04 MST")
}
