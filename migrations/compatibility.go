package migrations

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
)

// State says how a database's schema relates to this program's.
type State int

const (
	// Current is the schema of this program.
	Current State = iota
	// Behind lacks a migration of this program. Up applies it.
	Behind
	// Ahead has all of this program's migrations, and others that allow this program to
	// run.
	Ahead
	// TooNew has a migration that this program does not know and must not run with.
	TooNew
)

// ErrTooNew reports a database whose schema this program must not work with.
var ErrTooNew = errors.New("the database's schema is newer than this program: start the newer program")

// Compare compares the database's schema with this program's, including River's tables. It
// costs one query, and one more if the database is ahead.
func Compare(ctx context.Context, pool *pgxpool.Pool) (State, error) {
	var ours, river []int64
	err := pool.QueryRow(ctx, `SELECT ARRAY(SELECT version_id FROM goose_db_version WHERE is_applied),
		ARRAY(SELECT version FROM river_migration WHERE line = 'main')`).Scan(&ours, &river)
	if undefined(err) {
		return Behind, nil
	}
	if err != nil {
		return 0, fmt.Errorf("migrations: read the schema's version: %w", err)
	}
	unknown := lacking(lacking(ours, known()), []int64{0}) // goose writes a row 0 in a new database
	fits := len(lacking(river, knownRiver())) == 0
	if fits && len(unknown) > 0 {
		if fits, err = compatible(ctx, pool, unknown); err != nil {
			return 0, err
		}
	}
	switch {
	case !fits:
		return TooNew, nil
	case len(lacking(known(), ours))+len(lacking(knownRiver(), river)) > 0:
		return Behind, nil
	case len(unknown) > 0:
		return Ahead, nil
	}
	return Current, nil
}

// compatible reports whether this program may run with migrations that it does not know, as
// the newer programs that applied them have declared.
func compatible(ctx context.Context, pool *pgxpool.Pool, unknown []int64) (bool, error) {
	var allowed int
	err := pool.QueryRow(ctx, "SELECT count(*) FROM schema_compatibility WHERE version = ANY($1) AND needs = ANY($2)",
		unknown, known()).Scan(&allowed)
	if undefined(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("migrations: read the schema's compatibility: %w", err)
	}
	return allowed == len(unknown), nil
}

// declaration says that a program without migration version may run with it if the program
// has migration needs.
type declaration struct {
	version, needs int64
	reason         string
}

// declared matches the line in which a file declares itself compatible. A file without the
// line is breaking: programs that do not have the file refuse to work.
var declared = regexp.MustCompile(`(?m)^-- compatible with (\d{5}): (\S.*)$`)

// declarations returns what this program's files declare.
var declarations = sync.OnceValue(func() (all []declaration) {
	for _, name := range names() {
		match := declared.FindStringSubmatch(text(name))
		if match == nil {
			continue
		}
		version, _ := goose.NumericComponent(name)     // known has parsed it
		needs, _ := strconv.ParseInt(match[1], 10, 64) // five digits
		all = append(all, declaration{version, needs, match[2]})
	}
	return all
})

// declare stores this program's declarations for older programs. Before migration 48 there
// is no table for them, and no program that reads them.
func declare(ctx context.Context, pool *pgxpool.Pool) error {
	for _, d := range declarations() {
		_, err := pool.Exec(ctx, `INSERT INTO schema_compatibility (version, needs, reason)
			VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, d.version, d.needs, d.reason)
		if undefined(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("migrations: declare what is compatible: %w", err)
		}
	}
	return nil
}

// lacking returns the elements of a that b lacks.
func lacking(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(version int64) bool { return slices.Contains(b, version) })
}

// undefined reports whether a statement named a table that does not exist.
func undefined(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == "42P01"
}
