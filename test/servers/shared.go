package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Firestore returns the address of this test binary's Firestore emulator.
func Firestore(t testing.TB) (addr string) {
	t.Helper()
	return binary.server(t, "Firestore", StartFirestore).Addr
}

// PubSub returns the address of this test binary's Pub/Sub emulator.
func PubSub(t testing.TB) (addr string) {
	t.Helper()
	return binary.server(t, "PubSub", StartPubSub).Addr
}

// Redis returns the URL of this test binary's redis-server.
func Redis(t testing.TB) (url string) {
	t.Helper()
	return binary.server(t, "Redis", func(ctx context.Context) (*Server, error) { return StartRedis(ctx) }).URL
}

// Postgres returns the URL of this test binary's PostgreSQL.
func Postgres(t testing.TB) (url string) {
	t.Helper()
	return binary.server(t, "Postgres", StartPostgres).URL
}

// Main runs the tests of a binary, stops the servers that they started, and
// exits. Call it from TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a TestMain that has something to clear up: it answers with the
// status to exit with.
func Run(m *testing.M) int {
	binary.open()
	code := m.Run()
	if err := binary.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop servers:", err)
		code = 1
	}
	return code
}

// binary is what the tests of one binary share: TestMain has no other way to
// reach what tests start.
var binary = &fleet{}

type fleet struct {
	mu     sync.Mutex
	byName map[string]*member // nil outside Main
}

type member struct {
	once   sync.Once
	server *Server
	err    error
}

func (f *fleet) open() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byName = map[string]*member{}
}

func (f *fleet) server(t testing.TB, name string, start func(context.Context) (*Server, error)) *Server {
	t.Helper()
	m := f.member(name)
	if m == nil {
		t.Fatal("servers: call servers.Main or servers.Run in TestMain, which stops what tests start")
	}
	// Not the test's context: the server outlives the test that came first.
	m.once.Do(func() { m.server, m.err = start(context.Background()) })
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m.server
}

func (f *fleet) member(name string) *member {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byName == nil {
		return nil
	}
	if f.byName[name] == nil {
		f.byName[name] = &member{}
	}
	return f.byName[name]
}

func (f *fleet) stop() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, m := range f.byName {
		if m.server != nil {
			errs = append(errs, m.server.Stop())
		}
	}
	return errors.Join(errs...)
}
