// Command pushed serves one of the functions that the bench push compares, named by
// FUNCTION_TARGET: each takes the same Pub/Sub push and does nothing with it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"github.com/cloudevents/sdk-go/v2/event"
)

func main() {
	if err := realMain(context.Background(), os.Getenv("FUNCTION_TARGET"), os.Getenv("PORT")); err != nil {
		fmt.Fprintln(os.Stderr, "pushed:", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context, target, port string) error {
	const host = "127.0.0.1"
	switch target {
	case "Once":
		return guarded(ctx, host+":"+port)
	case "HTTP":
		functions.HTTP(target, decoded)
	case "CloudEvent":
		functions.CloudEvent(target, func(context.Context, event.Event) error { return nil })
	case "Bare":
		s := &http.Server{Addr: host + ":" + port, ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(nothing)}
		return s.ListenAndServe()
	default:
		return fmt.Errorf("FUNCTION_TARGET %q is none of Once, HTTP, CloudEvent, Bare", target)
	}
	return funcframework.StartHostPort(host, port)
}

// push is what a function that reads its Pub/Sub push by hand declares.
type push struct {
	Message struct {
		Data        []byte            `json:"data"`
		Attributes  map[string]string `json:"attributes"`
		MessageID   string            `json:"messageId"`
		PublishTime time.Time         `json:"publishTime"`
		OrderingKey string            `json:"orderingKey"`
	} `json:"message"`
	Subscription    string `json:"subscription"`
	DeliveryAttempt int    `json:"deliveryAttempt"`
}

// decoded only reads and decodes the body.
func decoded(w http.ResponseWriter, r *http.Request) {
	var p push
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || p.Message.MessageID == "" {
		http.Error(w, "no push", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func nothing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
