package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"garoupa/internal/localpg"
)

// site is an installation of the product for one run: a PostgreSQL that flushes every
// commit to disk, the schema, and a merchant with live access.
type site struct {
	dir      string
	program  string
	listen   string
	postgres *localpg.Server
	merchant merchant
}

// merchant is the part of garoupa demo -json that we read.
type merchant struct {
	AccountID string `json:"accountId"`
	ProjectID string `json:"projectId"`
	Keys      struct {
		Test string `json:"test"`
		Live string `json:"live"`
	} `json:"keys"`
}

// openSite creates everything in a new folder in parent.
func openSite(ctx context.Context, parent, program string) (_ *site, err error) {
	program, err = filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s := &site{dir: dir, program: program}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	s.postgres, err = localpg.Start(ctx, localpg.Options{Dir: dir, Bin: os.Getenv("GAROUPA_POSTGRES_BIN")})
	if err != nil {
		return nil, err
	}
	if s.listen, err = freeAddress(); err != nil {
		return nil, err
	}
	if _, err := s.command(ctx, "migrate"); err != nil {
		return nil, err
	}
	answer, err := s.command(ctx, "demo", "--json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answer, &s.merchant); err != nil {
		return nil, fmt.Errorf("read the answer of garoupa demo: %w", err)
	}
	return s, nil
}

// close stops PostgreSQL and removes the folder.
func (s *site) close() error {
	var err error
	if s.postgres != nil {
		err = s.postgres.Stop()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// environment returns the settings of the product. The simulator is the institution of live
// charges, and there are no rate limits.
func (s *site) environment(databaseURL string) []string {
	return []string{
		"DATABASE_URL=" + databaseURL,
		"GAROUPA_LISTEN=" + s.listen,
		"GAROUPA_BASE_URL=http://" + s.listen,
		"GAROUPA_DATA_DIR=" + s.dir,
		"GAROUPA_LIVE_PROVIDER=simulator",
		"GAROUPA_DEMO=true",
		"GAROUPA_RATE_LIMIT=off",
		"GAROUPA_WEBHOOK_ALLOW_PRIVATE=true",
		"GAROUPA_LOG_LEVEL=warn",
	}
}

// command runs the program and returns its output.
func (s *site) command(ctx context.Context, args ...string) ([]byte, error) {
	return s.commandWith(ctx, nil, args...)
}

// commandWith is command with additional settings.
func (s *site) commandWith(ctx context.Context, settings []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env = append(s.environment(s.postgres.URL()), settings...)
	output, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("garoupa %s: %w: %s", args[0], err, failed.Stderr)
	}
	return output, err
}

// freeAddress returns an unused address. The program cannot let the system choose one,
// because it tells buyers its address.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
