package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/iap"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/route"
	"onceway.internal/shared/settle"
)

// Router is a *route.Router.
type Router interface {
	View(ctx context.Context) (route.View, error)
	Preview(ctx context.Context, c route.Campaign) (route.Assignment, error)
}

// Settler is a *settle.Settler.
type Settler interface {
	SettleDone(ctx context.Context, rec claim.Stored, by, why string) (claim.Stored, error)
	SettleRetry(ctx context.Context, rec claim.Stored, by, why string) (claim.Stored, error)
	Replay(ctx context.Context, letterID string, how settle.Replay) error
}

// Proxy is an *iap.Verifier.
type Proxy interface {
	Verify(ctx context.Context, assertion string) (iap.Person, error)
}

// Fact is something about the installation that the page Health shows.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Deps are what the console works with.
type Deps struct {
	Groups  groups.Config
	Live    groups.Store
	Router  Router
	State   route.Store
	Claims  *claim.Machine
	Lister  claim.Lister
	Letters letter.Store
	Settler Settler
	Audit   audit.Log
	Policy  *policy.Policy

	// Proxy verifies who asks; nil serves loopback alone, as Identity.
	Proxy    Proxy
	Identity string

	Facts   []Fact
	Period  time.Duration // how often Score is called
	Horizon time.Duration // after which nothing redelivers a claim
	Now     func() time.Time
	Token   func() string // something never answered before
	Log     *slog.Logger
}

func (d Deps) validate() error {
	var errs []error
	need := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("console: needs "+what))
		}
	}
	need(len(d.Groups.Groups) > 0 && d.Live != nil, "groups and their live state")
	need(d.Router != nil && d.State != nil, "a router and its state")
	need(d.Claims != nil && d.Lister != nil && d.Settler != nil, "claims, their lister and a settler")
	need(d.Letters != nil, "letters")
	need(d.Audit != nil, "an audit log")
	need(d.Policy != nil, "a policy")
	need(d.Proxy != nil || d.Identity != "", "a proxy, or an identity for loopback")
	need(d.Period > 0 && d.Horizon > 0, "a scoring period and a horizon")
	need(d.Now != nil && d.Token != nil && d.Log != nil, "a clock, tokens and a log")
	return errors.Join(errs...)
}

// Handler serves pages and API.
type Handler struct {
	Deps
	acts  *acts
	pages *pages
	serve http.Handler
}

// New returns a Handler.
func New(d Deps) (*Handler, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	p, err := newPages()
	if err != nil {
		return nil, err
	}
	a, err := newActs()
	if err != nil {
		return nil, err
	}
	h := &Handler{Deps: d, acts: a, pages: p}
	h.serve = h.guard(h.routes())
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve.ServeHTTP(w, r) }
