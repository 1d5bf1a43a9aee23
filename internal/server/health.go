package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/migrations"
	"garoupa/models"
)

const (
	// readyTimeout bounds how long a readiness check waits for the database.
	readyTimeout = 2 * time.Second
	// starvedAfter is the wait for a connection after which the pool counts as starved, and
	// watchEvery is how often the wait is measured.
	starvedAfter = 2 * time.Second
	watchEvery   = time.Second
)

// HealthOptions are what Health checks. All except DB may be nil, and are then not checked.
type HealthOptions struct {
	DB        *models.DB
	Clock     *models.Clock
	Listening func() bool   // whether the process receives changes in the database
	Timeout   time.Duration // bounds a check of the database, two seconds if it is 0
}

// Health reports whether a process should get requests. It is safe for concurrent use.
type Health struct {
	HealthOptions
	draining atomic.Bool
	starved  atomic.Bool

	mu   sync.Mutex
	said string // the result of the last check, as logged
}

// NewHealth returns the health of a process that starts to serve.
func NewHealth(o HealthOptions) *Health {
	o.Timeout = cmp.Or(o.Timeout, readyTimeout)
	return &Health{HealthOptions: o}
}

// Drain announces that the process is stopping, so that balancers send new requests
// elsewhere and clients close their connections. Requests are still answered.
func (h *Health) Drain() { h.draining.Store(true) }

// Watch checks, until ctx ends, whether the pool is starved. While it is, requests are
// refused.
func (h *Health) Watch(ctx context.Context) {
	for ctx.Err() == nil {
		h.starved.Store(h.waitsInVain(ctx))
		select {
		case <-ctx.Done():
		case <-time.After(watchEvery):
		}
	}
}

// waitsInVain reports whether every connection of the pool is in use and none became free
// for starvedAfter. The wait joins the queue of all other waits, so it is as long as
// theirs.
func (h *Health) waitsInVain(ctx context.Context) bool {
	waiting, cancel := context.WithTimeout(ctx, starvedAfter)
	defer cancel()
	conn, err := h.DB.Pool.Acquire(waiting)
	if err == nil {
		conn.Release()
		return false
	}
	stat := h.DB.Pool.Stat()
	return ctx.Err() == nil && waiting.Err() != nil && stat.AcquiredConns()+stat.ConstructingConns() >= stat.MaxConns()
}

// ready handles GET /readyz: 200 when the process can work, otherwise 503 and a line for
// each reason.
func (h *Health) ready(c *fiber.Ctx) error {
	problems := h.problems(c.UserContext())
	h.tell(c.UserContext(), strings.Join(problems, "; "))
	if len(problems) > 0 {
		return c.Status(fiber.StatusServiceUnavailable).SendString(strings.Join(problems, "\n") + "\n")
	}
	return c.SendString("ok\n")
}

// tell logs the result of a check if it differs from the one before.
func (h *Health) tell(ctx context.Context, found string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if found == h.said {
		return
	}
	if h.said = found; found == "" {
		slog.InfoContext(ctx, "ready again")
		return
	}
	slog.WarnContext(ctx, "not ready", "because", found)
}

// problems returns the reasons why the process should get no requests.
func (h *Health) problems(ctx context.Context) (problems []string) {
	if h.draining.Load() {
		problems = append(problems, "the process is stopping")
	}
	found := h.databaseProblems(ctx)
	problems = append(problems, found...)
	if h.starved.Load() || len(found) == 0 && h.waitsInVain(ctx) {
		problems = append(problems, fmt.Sprintf("no database connection was free for %s", starvedAfter))
	}
	if h.Listening != nil && !h.Listening() {
		problems = append(problems, "the connection that hears of changes in the database is lost")
	}
	if h.Clock != nil {
		if off := h.Clock.Difference(); off.Abs() > models.ClockTolerance {
			side := "ahead of"
			if off < 0 {
				side = "behind"
			}
			problems = append(problems, fmt.Sprintf(
				"this machine's clock is %s %s the database's", off.Abs().Round(time.Millisecond), side,
			))
		}
	}
	return problems
}

// databaseProblems returns the problems of the database. It uses a connection that requests
// do not use.
func (h *Health) databaseProblems(ctx context.Context) (problems []string) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	readOnly, err := models.IsReadOnly(ctx, h.DB.Reserved)
	if err != nil {
		return []string{"the database does not answer"}
	}
	if readOnly {
		problems = append(problems, "the database is read-only")
	}
	state, err := migrations.Compare(ctx, h.DB.Reserved)
	switch {
	case err != nil:
		problems = append(problems, "the database does not answer")
	case state == migrations.Behind:
		problems = append(problems, "the database's schema is older than this program: run garoupa migrate")
	case state == migrations.TooNew:
		problems = append(problems, "the database's schema is newer than this program: start the newer program")
	}
	return problems
}
