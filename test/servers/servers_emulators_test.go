//go:build emulators

package servers_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
)

func TestMain(m *testing.M) {
	if os.Getenv("ONCEWAY_TEST_CRASH") != "" {
		crash()
	}
	servers.Main(m)
}

func TestEveryServerServesAndIsGoneAfterStop(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(context.Context) (*servers.Server, error){
		"firestore": servers.StartFirestore,
		"pubsub":    servers.StartPubSub,
		"postgres":  servers.StartPostgres,
		"redis":     func(ctx context.Context) (*servers.Server, error) { return servers.StartRedis(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := dial(s.Addr); err != nil {
				t.Errorf("it does not listen: %v", err)
			}
			for range 2 { // stopping again is harmless
				if err := s.Stop(); err != nil {
					t.Fatal(err)
				}
			}
			if err := dial(s.Addr); err == nil {
				t.Error("it still listens after Stop")
			}
			if syscall.Kill(-s.PID(), 0) == nil {
				t.Error("its process group is still there after Stop")
			}
		})
	}
}

func TestTestsOfOneBinaryShareAServer(t *testing.T) {
	t.Parallel()
	if a, b := servers.Redis(t), servers.Redis(t); a != b {
		t.Errorf("two servers: %s and %s", a, b)
	}
}

func TestErrorOfAServerThatEndsSaysWhatItPrinted(t *testing.T) {
	t.Parallel()
	_, err := servers.StartRedis(t.Context(), "--no-such-setting", "1")
	if err == nil || !strings.Contains(err.Error(), "no-such-setting") {
		t.Errorf("got %v, want the server's own words", err)
	}
}

// TestServerDiesWithACrashedTestBinary runs this binary again; that one starts
// a server and is killed without a chance to stop it.
func TestServerDiesWithACrashedTestBinary(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ONCEWAY_TEST_CRASH=1", "TMPDIR="+t.TempDir())
	out, err := cmd.Output() // ends by a signal, so err is set
	pid, convErr := strconv.Atoi(strings.TrimSpace(string(out)))
	if err == nil || convErr != nil {
		t.Fatalf("the other binary ended with %v and printed %q", err, out)
	}
	defer func() {
		if running(pid) {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
	}()
	wait.Until(t, 10*time.Second, "the server ends with the binary that started it", func() bool { return !running(pid) })
}

func crash() {
	s, err := servers.StartRedis(context.Background())
	if err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString(strconv.Itoa(s.PID()))
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// running is false for a zombie that nobody has reaped yet.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func dial(addr string) error {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	return conn.Close()
}
