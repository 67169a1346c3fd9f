package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

var (
	// ErrStopping is the cause with which requests' contexts end after the grace period.
	ErrStopping = errors.New("server is stopping")
	// ErrUnsettled says that handlers were still at work when the settle period ended.
	ErrUnsettled = errors.New("requests were cut off")
)

// Run serves h until a signal or the end of ctx, and then ends as the package
// comment says. It answers nil when every request was answered. Requests' contexts
// hold ctx's values but don't end with it.
func Run(ctx context.Context, cfg Config, h http.Handler) error {
	cfg, err := cfg.complete()
	if err != nil {
		return fmt.Errorf("configure server: %w", err)
	}
	if h == nil {
		return errors.New("configure server: handler is nil")
	}
	stop, release := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer release()
	lis := cfg.Listener
	if lis == nil {
		if lis, err = (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}

	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(ErrStopping)
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()

	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-stop.Done():
		release() // a second signal kills
	}
	err = wind(srv, cfg, func() {
		cancel(ErrStopping)
		cfg.Stopping()
	})
	if serr := <-served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// wind lets requests finish, then ends their contexts, then cuts them off.
func wind(srv *http.Server, cfg Config, cancel func()) error {
	// From here on net/http drops what still arrives on open connections, unread by
	// any handler: the sender tries again, elsewhere.
	grace, done := context.WithTimeout(context.Background(), cfg.Grace)
	defer done()
	if srv.Shutdown(grace) == nil {
		return nil
	}
	cancel()
	settle, done := context.WithTimeout(context.Background(), cfg.Settle)
	defer done()
	if srv.Shutdown(settle) == nil {
		return nil
	}
	return errors.Join(ErrUnsettled, srv.Close())
}
