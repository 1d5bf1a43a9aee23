package models_test

import (
	"sync/atomic"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// stray is a machine's clock that is ahead by a given time.
type stray struct{ ahead atomic.Int64 }

func (s *stray) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// about reports whether two times are equal except for the delay of a slow machine.
func about(a, b time.Time) bool { return a.Sub(b).Abs() < time.Minute }

// Now returns the database's time on every machine, whatever the machine's clock shows and
// however it is changed. Difference returns how far that clock is off.
func TestClock(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for _, ahead := range []time.Duration{0, time.Hour, -26 * time.Hour} {
		machine := &stray{}
		machine.ahead.Store(int64(ahead))
		clock, err := models.NewClock(t.Context(), db, machine.now)
		if err != nil {
			t.Fatal(err)
		}
		var database time.Time
		if err := db.Pool.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&database); err != nil {
			t.Fatal(err)
		}
		if now := clock.Now(); !about(now, database) {
			t.Errorf("with a clock %s ahead: Now is %s, the database's time %s", ahead, now, database)
		}
		if off := clock.Difference(); (off - ahead).Abs() > time.Minute {
			t.Errorf("with a clock %s ahead: the difference is %s", ahead, off)
		}
		machine.ahead.Add(int64(3 * time.Hour)) // the machine's clock is changed
		if err := clock.Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := clock.Now(); !about(now, database) {
			t.Errorf("with a clock %s ahead that was changed: Now is %s, the database's time %s", ahead, now, database)
		}
	}
}

// The clock continues while the database does not answer.
func TestClock_DatabaseGone(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	machine := &stray{}
	clock, err := models.NewClock(t.Context(), db, machine.now)
	if err != nil {
		t.Fatal(err)
	}
	before := clock.Now()
	db.Reserved.Close()
	machine.ahead.Add(int64(time.Hour)) // an hour passes
	if err := clock.Measure(t.Context()); err == nil {
		t.Error("Measure succeeded with a closed database")
	}
	if now := clock.Now(); !about(now, before.Add(time.Hour)) {
		t.Errorf("an hour after %s Now is %s", before, now)
	}
}
