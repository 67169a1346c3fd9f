package main

import (
	"runtime/debug"
	"time"
)

// A start allocates about what the collector waits for before it first runs, and a
// collection in the middle of it takes a tenth of its time.
const (
	startPercent = 400 // of the least heap, 4 MiB
	starting     = 2 * time.Second
)

// collectLater holds the collector back until the process has started; then it is as
// GOGC says.
func collectLater() {
	usual := debug.SetGCPercent(startPercent)
	time.AfterFunc(starting, func() { debug.SetGCPercent(usual) })
}
