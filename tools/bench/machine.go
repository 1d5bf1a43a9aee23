package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// machine describes the machine of a run.
type machine struct {
	cpu, memory, kernel string
	postgres, pgbench   string
	settings            []string // PostgreSQL's, name = value
}

// telling selects the settings of PostgreSQL that affect the measurements.
const telling = `SELECT name || ' = ' || current_setting(name) FROM pg_settings
	WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers', 'max_wal_size')
	ORDER BY name`

func describeMachine(ctx context.Context, s *site, p pgbench) (m machine, err error) {
	m.cpu = fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if model := firstMatch("/proc/cpuinfo", `(?m)^model name\s*: (.+)$`); model != "" {
		m.cpu += ", " + model
	}
	if kilobytes, err := strconv.Atoi(firstMatch("/proc/meminfo", `(?m)^MemTotal:\s+(\d+) kB$`)); err == nil {
		m.memory = fmt.Sprintf("%d GiB", (kilobytes+1<<19)>>20)
	}
	m.kernel = firstMatch("/proc/version", `^(\S+ \S+ [0-9.]+)`)
	m.pgbench = p.version
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return m, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&m.postgres); err != nil {
		return m, err
	}
	rows, err := conn.Query(ctx, telling)
	if err != nil {
		return m, err
	}
	m.settings, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return m, err
}

// firstMatch returns the first group of a pattern in a file, or "".
func firstMatch(path, pattern string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	match := regexp.MustCompile(pattern).FindSubmatch(text)
	if match == nil {
		return ""
	}
	return strings.TrimSpace(string(match[1]))
}
