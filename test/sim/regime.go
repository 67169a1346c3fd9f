package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed regimes.yaml
var regimesFile []byte

// regime is one set of circumstances; see regimes.yaml for what each field means.
type regime struct {
	Name string `yaml:"-"`

	Seeds         int              `yaml:"seeds"`
	Warmup        float64          `yaml:"warmup"`
	Measure       float64          `yaml:"measure"`
	Routers       int              `yaml:"routers"`
	Rates         []float64        `yaml:"rates"`
	Fanout        []float64        `yaml:"fanout"`
	Factors       []float64        `yaml:"factors"`
	Rho           float64          `yaml:"rho"`
	Size          float64          `yaml:"size"`
	SizeSpread    float64          `yaml:"sizeSpread"`
	SizeKnown     bool             `yaml:"sizeKnown"`
	Burst         int              `yaml:"burst"`
	Chunk         int              `yaml:"chunk"`
	PublishDelay  float64          `yaml:"publishDelay"`
	PublishRate   float64          `yaml:"publishRate"`
	Slowdowns     float64          `yaml:"slowdowns"`
	SlowdownFor   float64          `yaml:"slowdownFor"`
	SlowdownTo    float64          `yaml:"slowdownTo"`
	Unrouted      float64          `yaml:"unrouted"`
	UnroutedBatch int              `yaml:"unroutedBatch"`
	RateError     float64          `yaml:"rateError"`
	BoundaryError float64          `yaml:"boundaryError"`
	SampleEvery   float64          `yaml:"sampleEvery"`
	LagMin        float64          `yaml:"lagMin"`
	LagMax        float64          `yaml:"lagMax"`
	ScoreEvery    float64          `yaml:"scoreEvery"`
	SamplesLost   float64          `yaml:"samplesLost"`
	Reserved      map[int][]string `yaml:"reserved"`
	Customers     map[string]int   `yaml:"customers"`
}

// sweep varies the age of figures.
type sweep struct {
	Regime   string    `yaml:"regime"`
	Ages     []float64 `yaml:"ages"`
	Policies []string  `yaml:"policies"`
}

// read answers with the regimes in the file's order, and the sweep.
func read(file []byte) ([]regime, sweep, error) {
	var outer struct {
		Base    regime        `yaml:"base"`
		Regimes yaml.MapSlice `yaml:"regimes"`
		Sweep   sweep         `yaml:"sweep"`
	}
	if err := yaml.Unmarshal(file, &outer); err != nil {
		return nil, sweep{}, fmt.Errorf("read regimes: %w", err)
	}
	var all []regime
	for _, item := range outer.Regimes {
		data, err := yaml.Marshal(item.Value)
		if err != nil {
			return nil, sweep{}, fmt.Errorf("read regime %v: %w", item.Key, err)
		}
		r := outer.Base
		// Maps are filled in, not replaced, by a decoder.
		r.Reserved, r.Customers = nil, nil
		if err := yaml.NewDecoder(bytes.NewReader(data), yaml.DisallowUnknownField()).Decode(&r); err != nil {
			return nil, sweep{}, fmt.Errorf("read regime %v: %w", item.Key, err)
		}
		if r.Customers == nil {
			r.Customers = outer.Base.Customers
		}
		r.Name = fmt.Sprint(item.Key)
		all = append(all, r)
	}
	return all, outer.Sweep, nil
}

// aged is the regime on figures whose age is the mean given.
func (r regime) aged(age float64) regime {
	r.Name = fmt.Sprintf("%s, figures %g s old", r.Name, age)
	r.BoundaryError = 0
	r.SampleEvery, r.ScoreEvery = 5, 5
	r.LagMin, r.LagMax = age-2.5, age-2.5
	return r
}

func named(all []regime, name string) (regime, bool) {
	i := slices.IndexFunc(all, func(r regime) bool { return r.Name == name })
	if i < 0 {
		return regime{}, false
	}
	return all[i], true
}
