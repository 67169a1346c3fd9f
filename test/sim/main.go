package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := realMain(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "sim:", err)
		}
		os.Exit(1)
	}
}

func realMain(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("sim", flag.ContinueOnError)
	flags.SetOutput(progress)
	asJSON := flags.Bool("json", false, "print the results as JSON instead of a table")
	only := flags.String("regime", "", "simulate only these regimes, separated by commas, and no sweep")
	seeds := flags.Int("seeds", 0, "seeds for each regime (default: as regimes.yaml says)")
	first := flags.Int("first-seed", 1, "the first of the seeds; worlds that nobody looked at lie beyond the default ones")
	dir := flags.String("out", "", "write table, JSON and pictures into this directory")
	redraw := flags.String("draw", "", "only draw the pictures again from the results in this directory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *redraw != "" {
		return drawAgain(*redraw)
	}
	regimes, sw, err := read(regimesFile)
	if err != nil {
		return err
	}
	plan, err := planned(regimes, sw, *only, *seeds, *first)
	if err != nil {
		return err
	}
	began := time.Now()
	results, err := runAll(plan, progress)
	if err != nil {
		return err
	}
	fmt.Fprintf(progress, "done in %s\n", time.Since(began).Round(time.Second))
	if *dir != "" {
		if err := save(*dir, results, *only == ""); err != nil {
			return err
		}
	}
	if *asJSON {
		return json.NewEncoder(out).Encode(results)
	}
	_, err = io.WriteString(out, results.table())
	return err
}

// planned lists what to simulate.
func planned(all []regime, sw sweep, only string, seeds, first int) ([]task, error) {
	var plan []task
	for _, r := range all {
		if only == "" || contains(only, r.Name) {
			plan = append(plan, task{regime: r, policies: policies()})
		}
	}
	base, ok := named(all, sw.Regime)
	if !ok {
		return nil, fmt.Errorf("the sweep's regime %q does not exist", sw.Regime)
	}
	if only == "" {
		for _, age := range sw.Ages {
			plan = append(plan, task{regime: base.aged(age), policies: append([]string{oracle}, sw.Policies...), age: age, swept: true})
		}
	}
	if len(plan) == 0 {
		return nil, fmt.Errorf("there is no regime %q", only)
	}
	for i := range plan {
		plan[i].firstSeed = first
		if seeds > 0 {
			plan[i].regime.Seeds = seeds
		}
	}
	return plan, nil
}

func contains(list, name string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(one) == name {
			return true
		}
	}
	return false
}

func drawAgain(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return fmt.Errorf("draw again: %w", err)
	}
	var r results
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("draw again: %w", err)
	}
	return pictures(dir, &r)
}

// save writes everything into dir; pictures only of a whole run.
func save(dir string, results *results, whole bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("save results: %w", err)
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("save results: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.md"), []byte(results.table()), 0o644); err != nil {
		return fmt.Errorf("save results: %w", err)
	}
	if !whole {
		return nil
	}
	return pictures(dir, results)
}
