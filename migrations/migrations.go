// Package migrations holds the schema: numbered SQL files that goose applies,
// and after them River's own tables. A file that has landed is never edited.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed *.sql
var files embed.FS

// trim drops indexes of River's by which nothing here looks for jobs. Each costs every
// job as much as the table itself, several times in its life (docs/decisions/0011).
const trim = "DROP INDEX IF EXISTS river_job_args_index, river_job_metadata_index, river_job_kind"

// lockID is the advisory lock that processes starting together queue behind.
const lockID = 0x6761726f757061 // "garoupa"

// Up brings the database to the newest version. It may run in several processes
// at once and changes nothing when there is nothing to do.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	// Not one of the pool's: those who wait would hold what the first needs to finish.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("migrations: connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // and with it goes the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", lockID); err != nil {
		return fmt.Errorf("migrations: lock: %w", err)
	}

	ours, river, err := providers(pool)
	if err != nil {
		return err
	}
	defer ours.Close()
	if _, err := ours.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrations: river: %w", err)
	}
	if _, err := conn.Exec(ctx, trim); err != nil {
		return fmt.Errorf("migrations: trim River's indexes: %w", err)
	}
	return nil
}

// Current reports whether the database is at the newest version. It changes nothing.
func Current(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	var begun bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").Scan(&begun); err != nil {
		return false, fmt.Errorf("migrations: look for the schema: %w", err)
	}
	if !begun { // goose would make its table when asked
		return false, nil
	}
	ours, river, err := providers(pool)
	if err != nil {
		return false, err
	}
	defer ours.Close()
	pending, err := ours.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("migrations: read version: %w", err)
	}
	if pending {
		return false, nil
	}
	result, err := river.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("migrations: read River's version: %w", err)
	}
	return result.OK, nil
}

// Fingerprint identifies the schema that Up produces, so that tests can keep a
// ready-made database for as long as it stays the same.
func Fingerprint() string {
	h := sha256.New()
	names, _ := fs.Glob(files, "*.sql") // the pattern is right
	for _, name := range names {
		sql, _ := files.ReadFile(name) // embedded, so it is there
		fmt.Fprintf(h, "%s\n%s\n", name, sql)
	}
	if river, err := rivermigrate.New(riverpgxv5.New(nil), nil); err == nil {
		fmt.Fprintf(h, "river %d\n%s\n", len(river.AllVersions()), trim)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func providers(pool *pgxpool.Pool) (*goose.Provider, *rivermigrate.Migrator[pgx.Tx], error) {
	ours, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(pool), files, goose.WithVerbose(false))
	if err != nil {
		return nil, nil, fmt.Errorf("migrations: %w", err)
	}
	river, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, fmt.Errorf("migrations: river: %w", err)
	}
	return ours, river, nil
}
