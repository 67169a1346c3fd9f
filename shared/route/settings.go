package route

import (
	"errors"
	"fmt"
	"slices"
)

// Mode is how a group's figures become a score.
type Mode string

// The modes.
const (
	ModeDrain    Mode = "drain"    // seconds until the group would be empty
	ModeWeighted Mode = "weighted" // the sum of backlogs times weights, in messages
	ModeSize     Mode = "size"     // the sum of backlogs, in messages
)

// Modes lists every mode.
func Modes() []Mode { return []Mode{ModeDrain, ModeWeighted, ModeSize} }

// Policy is how one group is chosen among those that may be.
type Policy string

// The policies.
const (
	Corrected          Policy = "corrected"            // lowest score corrected by the ledger
	TwoChoices         Policy = "two-choices"          // the lower of two at random, corrected
	RoundRobin         Policy = "round-robin"          // in turn
	WeightedRoundRobin Policy = "weighted-round-robin" // in turn, by capacity
	Lowest             Policy = "lowest"               // lowest score as it was sampled: herds, for comparison
	Static             Policy = "static"               // always Settings.Static while it may be used
)

// Policies lists every policy.
func Policies() []Policy {
	return []Policy{Corrected, TwoChoices, RoundRobin, WeightedRoundRobin, Lowest, Static}
}

// Settings are how routing is done. They stand in the live state, so that they
// change without a deployment.
type Settings struct {
	Policy Policy `json:"policy"`
	Mode   Mode   `json:"mode"`
	Static string `json:"static,omitempty"` // group ID of policy static
	// DrainTrust is how far the modelled drain since τ is believed, 0 to 1.
	DrainTrust float64 `json:"drainTrust"`
	// TypicalSize is what a campaign of unknown size counts as, in messages.
	TypicalSize int64 `json:"typicalSize"`

	By      string `json:"by,omitempty"` // who set them
	Version string `json:"-"`            // opaque; empty when never stored
}

// DefaultSettings are used while the state holds none.
func DefaultSettings() Settings {
	return Settings{Policy: Corrected, Mode: ModeDrain, DrainTrust: 0.75, TypicalSize: 1000}
}

// Validate names every fault.
func (s Settings) Validate() error {
	var errs []error
	if !slices.Contains(Policies(), s.Policy) {
		errs = append(errs, fmt.Errorf("policy: %q is none of %v", s.Policy, Policies()))
	}
	if s.Policy == Static && s.Static == "" {
		errs = append(errs, errors.New("static: policy static needs a group"))
	}
	if !slices.Contains(Modes(), s.Mode) {
		errs = append(errs, fmt.Errorf("mode: %q is none of %v", s.Mode, Modes()))
	}
	if !(s.DrainTrust >= 0 && s.DrainTrust <= 1) {
		errs = append(errs, fmt.Errorf("drainTrust: %v is not between 0 and 1", s.DrainTrust))
	}
	if s.TypicalSize < 1 || s.TypicalSize > MaxSize {
		errs = append(errs, fmt.Errorf("typicalSize: %d is not between 1 and %d", s.TypicalSize, int64(MaxSize)))
	}
	return errors.Join(errs...)
}
