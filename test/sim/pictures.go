package main

import (
	"fmt"
	"image/color"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are the policies' colours, the same in every picture.
var hues = map[string]color.Color{
	"corrected":            color.RGBA{0x1b, 0x7f, 0x5c, 0xff},
	"two-choices":          color.RGBA{0x2f, 0x6f, 0xb3, 0xff},
	"weighted-round-robin": color.RGBA{0x8a, 0x6b, 0xb8, 0xff},
	"round-robin":          color.RGBA{0xb8, 0x9b, 0xd6, 0xff},
	"lowest":               color.RGBA{0xd0, 0x4a, 0x35, 0xff},
	"capacity-random":      color.RGBA{0xa0, 0x8a, 0x4f, 0xff},
	"random":               color.RGBA{0xcb, 0xbb, 0x8a, 0xff},
}

// pictures makes the pictures, as SVG and PNG.
func pictures(dir string, r *results) error {
	bars, err := policiesPicture(r)
	if err != nil {
		return err
	}
	lines, err := agesPicture(r)
	if err != nil {
		return err
	}
	for name, p := range map[string]*plot.Plot{"policies": bars, "ages": lines} {
		for _, form := range []string{"svg", "png"} {
			if err := p.Save(9*vg.Inch, 4.5*vg.Inch, filepath.Join(dir, name+"."+form)); err != nil {
				return fmt.Errorf("draw %s: %w", name, err)
			}
		}
	}
	return nil
}

func canvas(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = font.Points(13)
	p.Title.Padding, p.Legend.Top, p.Legend.Padding = vg.Points(8), true, vg.Points(3)
	p.Legend.Left, p.Legend.XOffs = true, vg.Points(12)
	p.BackgroundColor = color.White
	return p
}

// policiesPicture is the main one: how much longer than the oracle each policy takes.
func policiesPicture(r *results) (*plot.Plot, error) {
	p := canvas("Time to finish a campaign, over the oracle's", "", "ratio of means (logarithmic)")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, ratioTicks{}
	shown := []string{"corrected", "two-choices", "weighted-round-robin", "round-robin", "lowest", "capacity-random"}
	regimes := slices.DeleteFunc([]string{"balanced", "heavy", "realistic", "realistic-2x-slowdowns", "realistic-counters"}, func(n string) bool { return r.Regimes[n] == nil })
	top := 1.0
	const width = 0.13
	for i, policy := range shown {
		for k, name := range regimes {
			x := r.Regimes[name][policy]
			left := float64(k) + (float64(i)-float64(len(shown))/2)*width
			bar, err := plotter.NewPolygon(plotter.XYs{{X: left, Y: 1}, {X: left, Y: max(x.Ratio, 1.004)}, {X: left + width*0.9, Y: max(x.Ratio, 1.004)}, {X: left + width*0.9, Y: 1}})
			if err != nil {
				return nil, fmt.Errorf("draw bar: %w", err)
			}
			bar.Color, bar.Width = hues[policy], 0
			p.Add(bar)
			if k == 0 {
				p.Legend.Add(policy, bar)
			}
			top = max(top, x.CI[1])
		}
	}
	ticks := make([]plot.Tick, len(regimes))
	for k, name := range regimes {
		ticks[k] = plot.Tick{Value: float64(k) - width/2, Label: name}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Width = 0
	p.Add(guides())
	p.X.Min, p.X.Max = -0.6, float64(len(regimes))-0.4
	p.Y.Min, p.Y.Max = 1, top*1.6
	return p, nil
}

// agesPicture shows what fresher figures are worth.
func agesPicture(r *results) (*plot.Plot, error) {
	p := canvas("What fresher figures are worth, realistic regime", "age of the figures, seconds", "ratio of means (logarithmic)")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, ratioTicks{}
	p.X.Tick.Marker = minuteTicks{}
	top := 2.0
	for _, policy := range []string{"corrected", "two-choices", "weighted-round-robin", "lowest"} {
		var at plotter.XYs
		bars := plotter.YErrors{}
		for _, point := range r.Sweep {
			x := point.Policies[policy]
			at = append(at, plotter.XY{X: point.Age, Y: x.Ratio})
			bars = append(bars, struct{ Low, High float64 }{x.Ratio - max(x.CI[0], 1), x.CI[1] - x.Ratio})
			top = max(top, x.CI[1])
		}
		line, dots, err := plotter.NewLinePoints(at)
		if err != nil {
			return nil, fmt.Errorf("draw line: %w", err)
		}
		line.Color, dots.Color, dots.Shape = hues[policy], hues[policy], draw.CircleGlyph{}
		line.Width = vg.Points(2)
		whiskers, err := plotter.NewYErrorBars(struct {
			plotter.XYer
			plotter.YErrorer
		}{at, bars})
		if err != nil {
			return nil, fmt.Errorf("draw intervals: %w", err)
		}
		whiskers.Color = hues[policy]
		p.Add(line, dots, whiskers)
		p.Legend.Add(policy, line, dots)
	}
	p.Add(guides())
	p.X.Min = 0
	p.Y.Min, p.Y.Max = 1, top*1.4
	return p, nil
}

func guides() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Width = 0
	g.Horizontal.Color = color.Gray{0xdd}
	return g
}

// minuteTicks label an axis of seconds.
type minuteTicks struct{}

func (minuteTicks) Ticks(_, high float64) []plot.Tick {
	var ticks []plot.Tick
	for v := 0.0; v <= high; v += 60 {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
	}
	return ticks
}

// ratioTicks label a logarithmic axis that begins at 1.
type ratioTicks struct{}

func (ratioTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range []float64{1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if v >= low && v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
		}
	}
	return ticks
}
