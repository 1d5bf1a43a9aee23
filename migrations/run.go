package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// trim drops indexes of River's that this program does not use. Each would cost every job
// as much as the table itself, several times in its life (docs/decisions/0011).
const trim = "DROP INDEX IF EXISTS river_job_args_index, river_job_metadata_index, river_job_kind"

// mend creates indexes that a database from the product's first day lacks, because they were
// added to 00002 later. Migration 12 drops one of them.
const mend = `DO $$ BEGIN
	IF to_regclass('schema_compatibility') IS NULL AND to_regclass('checkouts') IS NOT NULL
		AND to_regclass('checkouts_self_paying') IS NULL THEN
		CREATE INDEX checkouts_self_paying ON checkouts (created_at)
			WHERE status = 'PENDING' AND NOT livemode AND amount % 100 = 7;
		IF NOT EXISTS (SELECT FROM goose_db_version WHERE version_id = 12) THEN
			CREATE INDEX IF NOT EXISTS checkouts_by_payment ON checkouts (livemode, paid_at)
				WHERE status = 'PAID' AND settlement_status = 'PENDING';
		END IF;
	END IF;
END $$`

// attempts is how often a step is tried while its tables are in use: six to eight minutes
// with the pauses.
const attempts = 60

// longestPause is the pause between two attempts, after the first few.
const longestPause = 5 * time.Second

// Up brings the database to this program's schema. It may run in several processes at once,
// beside serving programs, and changes nothing if the schema is current. The error is
// ErrTooNew if this program must not work with the schema at all.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	if state, err := Compare(ctx, pool); err != nil || state != Behind {
		return refuse(state, err)
	}
	alone, err := lock(ctx, pool)
	if err != nil {
		return err
	}
	defer alone.Close()                                                   // closing its connection releases the lock
	if state, err := Compare(ctx, alone); err != nil || state != Behind { // another process may have migrated
		return refuse(state, err)
	}
	if err := apply(ctx, alone, files); err != nil {
		return err
	}
	state, err := Compare(ctx, alone)
	return refuse(state, err)
}

// refuse returns ErrTooNew if the schema is too new.
func refuse(state State, err error) error {
	if err == nil && state == TooNew {
		return fmt.Errorf("migrations: %w", ErrTooNew)
	}
	return err
}

// apply applies what is missing: River's steps, then ours, which are files, in order of their
// numbers, even if the database has greater ones.
func apply(ctx context.Context, alone *pgxpool.Pool, files fs.FS) error {
	river, err := rivermigrate.New(riverpgxv5.New(alone), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("migrations: river: %w", err)
	}
	err = patiently(ctx, "river", func() error {
		_, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err != nil {
		return err
	}
	for _, sql := range []string{trim, mend} {
		err := patiently(ctx, "indexes", func() error {
			_, err := alone.Exec(ctx, sql)
			return err
		})
		if err != nil {
			return err
		}
	}
	ours, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(alone), files, goose.WithVerbose(false))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer ours.Close()
	return applyOurs(ctx, alone, ours)
}

// applyOurs applies our steps. After a deadlock it closes its connection, and takes the lock of
// migrations again with the next one: a program that waits for the lock in one statement holds
// up an index that is built concurrently, and would do so each time.
func applyOurs(ctx context.Context, alone *pgxpool.Pool, ours *goose.Provider) error {
	steps, err := ours.Status(ctx)
	if err != nil {
		return fmt.Errorf("migrations: read what is applied: %w", err)
	}
	// Declare before applying: otherwise older programs would stop working while the migration
	// runs.
	if err := declare(ctx, alone); err != nil {
		return err
	}
	level := slog.LevelInfo
	if steps[0].State == goose.StatePending { // a new database: apply all
		level = slog.LevelDebug
	}
	for _, step := range steps {
		if step.State == goose.StateApplied {
			continue
		}
		began := time.Now()
		err := patiently(ctx, step.Source.Path, func() error {
			if _, err := alone.Exec(ctx, session); err != nil { // the previous file may have changed it
				return err
			}
			_, err := ours.ApplyVersion(ctx, step.Source.Version, true)
			switch {
			case errors.Is(err, goose.ErrAlreadyApplied): // by the process that had the lock meanwhile
				return nil
			case aborted(err, deadlock):
				alone.Reset()
			}
			return err
		})
		if err != nil {
			return err
		}
		slog.Log(ctx, level, "migration applied", "migration", step.Source.Path, "took", time.Since(began))
	}
	return declare(ctx, alone) // again, in case the table has just been created
}

// patiently calls run again, after a pause, while its tables are in use. A failed run must
// have changed nothing, or be safe to repeat.
func patiently(ctx context.Context, step string, run func() error) error {
	for attempt := 1; ; attempt++ {
		err := run()
		if err == nil {
			return nil
		}
		if !aborted(err, lockNotAvailable, deadlock) || attempt == attempts {
			return fmt.Errorf("migrations: %s: %w", step, err)
		}
		slog.WarnContext(ctx, "a migration found its tables in use and is tried again",
			"migration", step, "attempt", attempt, "err", err)
		pause := min(time.Duration(attempt)*250*time.Millisecond, longestPause)
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrations: %s: %w", step, ctx.Err())
		case <-time.After(pause + rand.N(pause/2)):
		}
	}
}

// Codes of PostgreSQL for a statement that it aborted because of other transactions.
const (
	lockNotAvailable = "55P03"
	deadlock         = "40P01"
)

// aborted reports whether err has one of the codes.
func aborted(err error, codes ...string) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, pgErr.Code)
}
