// Command clients is a hello-world with Google's clients that Onceway's binary has,
// linked as in a function that makes them when it needs them, and never made here.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"cloud.google.com/go/firestore"
	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/pubsub/v2"
	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"google.golang.org/api/chat/v1"
	"google.golang.org/api/idtoken"
)

func main() {
	functions.HTTP("Hello", func(w http.ResponseWriter, r *http.Request) {
		if project := r.Header.Get("Connect"); project != "" {
			if err := connect(r.Context(), project); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		fmt.Fprintln(w, "hello")
	})
	if err := funcframework.StartHostPort("127.0.0.1", os.Getenv("PORT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// connect is what nobody asks for: it keeps the linker from leaving the clients out.
func connect(ctx context.Context, project string) error {
	f, err := firestore.NewClient(ctx, project)
	if err == nil {
		_, err = f.Collection("c").Doc("d").Create(ctx, map[string]any{"n": 1})
	}
	p, perr := pubsub.NewClient(ctx, project)
	if perr == nil {
		_, perr = p.Publisher("t").Publish(ctx, &pubsub.Message{}).Get(ctx)
	}
	m, merr := monitoring.NewMetricClient(ctx)
	if merr == nil {
		merr = m.CreateTimeSeries(ctx, nil)
	}
	_, terr := idtoken.NewTokenSource(ctx, project)
	_, jerr := (&chat.Message{}).MarshalJSON()
	return errors.Join(err, perr, merr, terr, jerr)
}
