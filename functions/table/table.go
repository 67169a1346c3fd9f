package table

import (
	"context"
	"net/http"

	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

// Entry is one function. It has either Push or HTTP.
type Entry struct {
	Name string // as FUNCTION_TARGET names it
	// Check names what is wrong with the configuration for this function.
	Check func(setting.Config, *setting.Faults)
	// Push makes a function for events: pushed to it, or pulled by the worker.
	Push func(context.Context, *App) (once.Receiver, error)
	// HTTP makes a function that is called.
	HTTP func(context.Context, *App) (http.Handler, error)
}

// Entries is every function there is.
func Entries() []Entry {
	return []Entry{
		{Name: "Chat", Check: checkChat, Push: newChat},
		{Name: "Campaigns", Check: checkCampaigns, Push: newCampaigns},
		{Name: "Relay", Check: checkRelay, Push: newRelay},
		{Name: "Letters", Check: checkLetters, Push: newLetters},
		{Name: "Score", Check: checkRouting, HTTP: newScore},
		{Name: "Assign", Check: checkRouting, HTTP: newAssign},
		{Name: "Sweep", Check: checkSweep, HTTP: newSweep},
		{Name: consoleName, Check: checkConsole, HTTP: newConsole},
	}
}

// Names lists the functions.
func Names() []string {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	return names
}

// Find answers with the function of that name.
func Find(name string) (Entry, bool) {
	for _, e := range Entries() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}
