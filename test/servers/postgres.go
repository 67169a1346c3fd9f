package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// StartPostgres starts the newest PostgreSQL that Debian installed, on an empty
// cluster that doesn't wait for its disk. As root it runs as the user postgres.
func StartPostgres(ctx context.Context) (*Server, error) {
	s, err := startPostgres(ctx)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return s, nil
}

func startPostgres(ctx context.Context) (*Server, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	as, err := postgresUser()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "onceway-postgres-")
	if err != nil {
		return nil, err
	}
	if err := initCluster(ctx, bin, dir, as); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return start(ctx, spec{
		name: "PostgreSQL",
		stop: syscall.SIGQUIT, // immediate shutdown: nothing here is kept
		dirs: []string{dir},
		cmd: func(port string) *exec.Cmd {
			cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", dir, "-p", port,
				"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
				"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200")
			cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
			return cmd
		},
		url:   postgresURL,
		ready: acceptsSession,
	})
}

func postgresURL(addr string) string {
	return "postgres://postgres@" + addr + "/postgres?sslmode=disable"
}

func initCluster(ctx context.Context, bin, dir string, as *syscall.Credential) error {
	if as != nil {
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", dir, "-U", "postgres",
		"-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func postgresBin() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return "", errors.New("find its programs: none under /usr/lib/postgresql: apt-get install postgresql")
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // not a number: oldest
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

// postgresUser is whom to run as: PostgreSQL refuses root. Nil means as we are.
func postgresUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("find the user to run as, since it refuses root: %w", err)
	}
	uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(errUID, errGID)
}

func acceptsSession(ctx context.Context, addr string) error {
	conn, err := pgx.Connect(ctx, postgresURL(addr))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
