package main

import (
	"context"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"time"

	assigning "onceway.internal/functions/assign"
)

// serve has the function Assign answer on a port of its own.
func (d *desk) serve() (addr string, stop func(), err error) {
	h, err := assigning.New(assigning.Deps{Router: d.router, Advice: d.state, Rand: mathrand.Float64, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with stop
	return l.Addr().String(), func() { _ = server.Close() }, nil
}

// post has so many callers ask Assign for new campaigns, each over a connection of
// its own.
func (d *desk) post(ctx context.Context, addr string, callers int, length time.Duration) (round, error) {
	free := make(chan *wire, callers)
	for range callers {
		w, err := dial(addr)
		if err != nil {
			return round{}, err
		}
		defer func() { _ = w.close() }()
		free <- w
	}
	return crowdOf(ctx, callers, length, func() func(context.Context) error {
		w := <-free
		return func(context.Context) error {
			status, err := w.exchange(request("POST", "/v1/assignments", fmt.Sprintf(`{"campaign":%q,"customer":"acme","size":1000}`, d.ids.next())))
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("an assignment was answered %d", status)
			}
			return err
		}
	})
}
