package models

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	// ClockTolerance is how far a process's clock may be from the database's before the
	// process logs it.
	ClockTolerance = 2 * time.Second
	// measureEvery is the interval between measurements of a clock.
	measureEvery = 5 * time.Second
	// measureWithin limits one measurement.
	measureWithin = 5 * time.Second
)

// Clock returns the database's time, so that processes on machines whose clocks differ agree
// on what is due. It reads the time from the database every few seconds and in between adds
// the machine's monotonic time. It is safe for concurrent use.
type Clock struct {
	db     *DB
	local  func() time.Time
	anchor atomic.Pointer[anchor]
	off    atomic.Bool // it is logged that the clocks differ
}

// anchor is the same moment on both clocks.
type anchor struct {
	local      time.Time
	database   time.Time
	difference time.Duration // of the machine's wall clock from the database's
}

// NewClock returns a clock of the database. local is the machine's own clock, time.Now outside
// of tests. NewClock fails if the database does not answer.
func NewClock(ctx context.Context, db *DB, local func() time.Time) (*Clock, error) {
	c := &Clock{db: db, local: local}
	return c, c.Measure(ctx)
}

// Now returns the database's time.
func (c *Clock) Now() time.Time {
	a := c.anchor.Load()
	return a.database.Add(c.local().Sub(a.local))
}

// Difference returns how far the machine's clock is ahead of the database's, as last measured.
// It is negative if the machine's clock is behind.
func (c *Clock) Difference() time.Duration { return c.anchor.Load().difference }

// Run measures at intervals until ctx ends.
func (c *Clock) Run(ctx context.Context) {
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = c.Measure(ctx) // the clock continues without it; readiness reports the database
		}
	}
}

// Measure reads the time from the database. It assumes that the answer was made in the middle
// of the round trip, so the error is at most half of the round trip. If the clock agrees
// within this error it is not changed, so that it does not jump at every measurement.
func (c *Clock) Measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, measureWithin)
	defer cancel()
	conn, err := c.db.Reserved.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("models: read the database's time: %w", err)
	}
	defer conn.Release()
	var database time.Time
	sent := c.local()
	if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&database); err != nil {
		return fmt.Errorf("models: read the database's time: %w", err)
	}
	half := c.local().Sub(sent) / 2
	middle := sent.Add(half)
	now := &anchor{local: middle, database: database, difference: middle.Round(0).Sub(database)}
	if before := c.anchor.Load(); before != nil {
		step := database.Sub(before.database.Add(middle.Sub(before.local)))
		if step.Abs() <= half {
			now.local, now.database = before.local, before.database
		}
	}
	c.anchor.Store(now)
	c.tell(ctx, now.difference)
	return nil
}

// tell logs when the clocks begin to differ and when they agree again.
func (c *Clock) tell(ctx context.Context, difference time.Duration) {
	off := difference.Abs() > ClockTolerance
	switch {
	case c.off.Swap(off) == off:
	case off:
		slog.WarnContext(ctx, "this machine's clock differs from the database's, whose time counts",
			"ahead", difference.Round(time.Millisecond))
	default:
		slog.InfoContext(ctx, "this machine's clock agrees with the database's again",
			"ahead", difference.Round(time.Millisecond))
	}
}
