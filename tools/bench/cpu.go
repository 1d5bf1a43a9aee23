package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// usage is CPU time, including the system's time for the process.
type usage struct {
	server, database, generator time.Duration
	others                      time.Duration // everything else on the machine
}

// tick is the unit of CPU times in /proc (USER_HZ, which is 100 wherever Go runs).
const tick = time.Second / 100

// process holds fields of /proc/<pid>/stat.
type process struct {
	parent int
	own    time.Duration
	reaped time.Duration // by its children that have ended
}

func readProcess(pid int) (process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseProcess(text)
}

// parseProcess reads proc(5)'s fields from the third on, because the second, the program's
// name, may contain any character.
func parseProcess(stat []byte) (p process, err error) {
	words := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(words) < 15 {
		return p, fmt.Errorf("%.80q is not a process", stat)
	}
	field := func(number int) time.Duration {
		n, fieldErr := strconv.ParseInt(string(words[number-3]), 10, 64)
		if fieldErr != nil {
			err = fieldErr
		}
		return time.Duration(n)
	}
	p.parent = int(field(4))
	p.own = (field(14) + field(15)) * tick
	p.reaped = (field(16) + field(17)) * tick
	return p, err
}

// meter reads the CPU time that the processes of a site have used.
type meter struct {
	server, postmaster int // process ids
}

// newMeter finds PostgreSQL's main process: the parent of any session's process.
func newMeter(ctx context.Context, s *site, v *server) (meter, error) {
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return meter{}, err
	}
	defer conn.Close(ctx)
	var session int
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&session); err != nil {
		return meter{}, err
	}
	backend, err := readProcess(session)
	if err != nil {
		return meter{}, fmt.Errorf("read CPU times, which needs Linux: %w", err)
	}
	return meter{server: v.cmd.Process.Pid, postmaster: backend.parent}, nil
}

// read returns the usage until now: by the server, by all processes of PostgreSQL, by this
// process, which generates the product's requests, and by everything else.
func (m meter) read() (u usage, err error) {
	server, err := readProcess(m.server)
	if err != nil {
		return usage{}, err
	}
	u.server = server.own
	if u.database, err = m.readDatabase(); err != nil {
		return usage{}, err
	}
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return usage{}, err
	}
	u.generator = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return usage{}, err
	}
	busy, err := parseBusy(stat)
	u.others = busy - u.server - u.database - u.generator
	return u, err
}

// parseBusy returns the time of all processors together, without idle and wait.
func parseBusy(stat []byte) (busy time.Duration, err error) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	words := bytes.Fields(line)
	if len(words) < 9 || string(words[0]) != "cpu" {
		return 0, fmt.Errorf("%.80q does not contain the times of the processors", line)
	}
	for _, i := range []int{1, 2, 3, 6, 7, 8} { // user, nice, system, irq, softirq, steal
		n, err := strconv.ParseInt(string(words[i]), 10, 64)
		if err != nil {
			return 0, err
		}
		busy += time.Duration(n) * tick
	}
	return busy, nil
}

// readDatabase adds up the time of the main process, of the open sessions and of those that
// have ended. A session that ends meanwhile could be missed or counted twice, so it repeats
// until none does.
func (m meter) readDatabase() (time.Duration, error) {
	for {
		before, err := readProcess(m.postmaster)
		if err != nil {
			return 0, err
		}
		sessions, err := children(m.postmaster)
		if err != nil {
			return 0, err
		}
		after, err := readProcess(m.postmaster)
		if err != nil {
			return 0, err
		}
		if before.reaped == after.reaped {
			return after.own + after.reaped + sessions, nil
		}
	}
}

// children adds up the time of a process's living children.
func children(parent int) (sum time.Duration, err error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, err := parseProcess(text); err == nil && p.parent == parent {
			sum += p.own
		}
	}
	return sum, nil
}

func (u usage) minus(earlier usage) usage {
	return usage{u.server - earlier.server, u.database - earlier.database, u.generator - earlier.generator,
		u.others - earlier.others}
}
