package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"onceway.internal/functions/table"
	"onceway.internal/shared/audit"
	"onceway.internal/shared/estate"
)

// seed creates the initial reservations of groups.yaml where there never were any. It
// works on Firestore itself, with application credentials.
func seed(ctx context.Context, out io.Writer, e estate.Estate) error {
	initial := 0
	for _, g := range e.Groups.Groups {
		if g.Reservation != nil {
			initial++
		}
	}
	if initial == 0 {
		return nil
	}
	app, err := table.NewApp(ctx, e.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer app.Close()
	book, err := app.Book(ctx, audit.System)
	if err == nil {
		_, err = book.Seed(ctx, "provision")
	}
	if err != nil {
		return fmt.Errorf("seed reservations (gcloud auth application-default login gives the credentials; --no-groups leaves them alone): %w", err)
	}
	fmt.Fprintf(out, "%d reservations of the file are seeded\n", initial)
	return nil
}
