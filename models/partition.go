package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// MakeTables makes the tables of months and weeks into which rows of now and soon go, unless they exist. Every program
// calls it when it starts, and a job does from then on. If tables are in use for too long, it makes the others and
// inUse reports true.
func MakeTables(ctx context.Context, q Querier, now time.Time) (inUse bool, err error) {
	for _, table := range []struct {
		of    string
		makes func(ctx context.Context, q Querier, now time.Time) (inUse bool, err error)
	}{{"events", MakeEventMonths}, {"calls", MakeCallWeeks}} {
		waits, err := table.makes(ctx, q, now)
		if err != nil {
			return false, fmt.Errorf("models: make the tables of %s: %w", table.of, err)
		}
		inUse = inUse || waits
	}
	return inUse, nil
}

// firstOfMonth returns the first moment, in UTC, of the month in which t lies, or of the month that is later by a
// number of months.
func firstOfMonth(t time.Time, later int) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
}

// eachMonth calls drop with the suffix of each partition of a table whose month ended before a time, and of the
// partition "before". It goes on after one that is in use.
func eachMonth(ctx context.Context, q Querier, table string, before time.Time, drop func(suffix string) error) error {
	suffixes, err := partitions(ctx, q, table)
	if err != nil {
		return err
	}
	for _, suffix := range suffixes {
		month, err := time.Parse("2006_01", suffix)
		if suffix != "before" && (err != nil || firstOfMonth(month, 1).After(before)) {
			continue
		}
		if _, err := gaveUp(drop(suffix)); err != nil {
			return err
		}
	}
	return nil
}

// partitions returns what the names of the partitions of a table have after its own and an underscore, in order.
func partitions(ctx context.Context, q Querier, table string) (suffixes []string, err error) {
	rows, err := q.Query(ctx, `SELECT substr(relname, length($1) + 2)
		FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1::regclass ORDER BY relname`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// gaveUp reports whether err says that a table was in use for too long, and otherwise returns err.
func gaveUp(err error) (inUse bool, other error) {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "55P03" { // lock_not_available
		return true, nil
	}
	return false, err
}
