package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// errNoPgbench says how to get pgbench: it is in PostgreSQL's own packages, but not in the
// npm package.
var errNoPgbench = errors.New("pgbench was not found: install PostgreSQL (Debian and Ubuntu: apt-get install " +
	"postgresql; " +
	"macOS: brew install postgresql), or point GAROUPA_POSTGRES_BIN at a folder with pgbench")

// pgbench is the program.
type pgbench struct {
	path    string
	version string
}

// findPgbench searches the operator's folder, if there is one, then PATH, then Debian's
// folder.
func findPgbench(ctx context.Context, folder string) (pgbench, error) {
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench") // the pattern is valid
	slices.Reverse(debian)
	candidates := append([]string{"pgbench"}, debian...)
	if folder != "" {
		candidates = slices.Insert(candidates, 0, filepath.Join(folder, "pgbench"))
	}
	for _, candidate := range candidates {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		version, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			return pgbench{}, fmt.Errorf("%s: %w", path, err)
		}
		return pgbench{path: path, version: strings.TrimSpace(string(version))}, nil
	}
	return pgbench{}, errNoPgbench
}

var (
	tpsLine     = regexp.MustCompile(`(?m)^tps = ([0-9.]+) `)
	nothingLine = regexp.MustCompile(`(?m)^number of transactions actually processed: 0$`)
	failedLine  = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
)

// run runs a script for a number of seconds; one second may be too short for a first
// transaction on a busy machine. pgbench logs every transaction, which gives the quantiles.
// The CPU time is that of pgbench only.
func (p pgbench) run(ctx context.Context, s *site, work script, connections, seconds int) (result, error) {
	dir, err := os.MkdirTemp(s.dir, "pgbench-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	args := []string{"--no-vacuum", "--protocol=prepared", "--log", "--log-prefix=" + filepath.Join(dir, "log"),
		"--client=" + strconv.Itoa(connections), "--jobs=" + strconv.Itoa(min(connections, runtime.NumCPU())),
		"--time=" + strconv.Itoa(seconds)}
	for i, f := range work.files {
		path := filepath.Join(dir, fmt.Sprintf("%d.sql", i))
		if err := os.WriteFile(path, []byte(f.text()), 0o600); err != nil {
			return result{}, err
		}
		args = append(args, "--file="+path)
	}
	for _, variable := range append(slices.Clone(work.variables), "clients="+strconv.Itoa(connections)) {
		args = append(args, "--define="+variable)
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	if cmd.Env, err = connectionEnvironment(s.postgres.URL()); err != nil {
		return result{}, err
	}
	output, err := cmd.CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("pgbench: %w: %.2000s", err, output)
	}
	if nothingLine.Match(output) {
		return result{}, nil
	}
	rate := tpsLine.FindSubmatch(output)
	if failed := failedLine.FindSubmatch(output); rate == nil || failed != nil && string(failed[1]) != "0" {
		return result{}, fmt.Errorf("pgbench: %.2000s", output)
	}
	r := result{}
	if r.rate, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
		return result{}, fmt.Errorf("pgbench: %w", err)
	}
	latencies, err := readLatencies(filepath.Join(dir, "log.*"))
	if err != nil {
		return result{}, fmt.Errorf("pgbench: %w", err)
	}
	r.p50, r.p99 = latencies.quantile(0.50), latencies.quantile(0.99)
	r.cpu.generator = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, nil
}

// connectionEnvironment returns url as environment variables for libpq, so that the list of
// processes does not show the password.
func connectionEnvironment(url string) ([]string, error) {
	c, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	return append(os.Environ(), "PGHOST="+c.Host, "PGPORT="+strconv.Itoa(int(c.Port)), "PGUSER="+c.User,
		"PGPASSWORD="+c.Password, "PGDATABASE="+c.Database), nil
}

// readLatencies reads the logs of pgbench's threads: one line per transaction, with the
// duration in microseconds as the third word.
func readLatencies(pattern string) (*histogram, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	h := &histogram{}
	for _, path := range paths {
		log, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			words := strings.Fields(lines.Text())
			if len(words) < 3 {
				continue
			}
			n, err := strconv.ParseInt(words[2], 10, 64)
			if err != nil {
				log.Close()
				return nil, fmt.Errorf("read %q: %w", lines.Text(), err)
			}
			h.add(time.Duration(n) * time.Microsecond)
		}
		if err := errors.Join(lines.Err(), log.Close()); err != nil {
			return nil, err
		}
	}
	return h, nil
}
