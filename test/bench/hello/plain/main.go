// Command plain is the least that the functions framework serves.
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
)

func main() {
	functions.HTTP("Hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	if err := funcframework.StartHostPort("127.0.0.1", os.Getenv("PORT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
