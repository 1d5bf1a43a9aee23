package models

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errPooler tells the operator what to do about a pooler in transaction mode.
var errPooler = errors.New("the database address leads to a connection pooler in transaction or statement mode, " +
	"behind which LISTEN, locks and settings of a session do not work: " +
	"give the address of PostgreSQL itself, or of a pooler in session mode, " +
	"or name PostgreSQL itself in GAROUPA_DATABASE_DIRECT_URL")

// errOther reports two addresses of two databases.
var errOther = errors.New("DATABASE_URL and GAROUPA_DATABASE_DIRECT_URL lead to different databases")

const (
	// poolerRounds is how often each of two connections is asked for its server process.
	poolerRounds = 4
	// poolerWithin limits the time for all questions: behind some poolers the second
	// connection waits.
	poolerWithin = 15 * time.Second
)

// refusePooler returns an error if statements of one connection may go to several server
// processes, or those of several connections to one. It changes no setting, because the
// setting would stay for other clients of a pooler, and prepares no statement, because poolers
// mix them up.
func refusePooler(ctx context.Context, like *pgx.ConnConfig) error {
	ctx, cancel := context.WithTimeout(ctx, poolerWithin)
	defer cancel()
	var conns [2]*pgconn.PgConn
	for i := range conns {
		conn, err := pgconn.ConnectConfig(ctx, &like.Copy().Config)
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = conn.Close(ctx)
		}()
		conns[i] = conn
	}
	var first [2]string
	for round := range poolerRounds {
		for i, conn := range conns {
			process, err := serverProcess(ctx, conn)
			if err != nil {
				return fmt.Errorf("read the server process: %w", err)
			}
			if round == 0 {
				first[i] = process
			}
			if process != first[i] || i == 1 && process == first[0] {
				return errPooler
			}
		}
	}
	return nil
}

// refuseOther returns errOther unless both addresses lead to one database: a lock that is held at direct must be seen
// at the other.
func refuseOther(ctx context.Context, pooled, direct *pgx.ConnConfig) error {
	ctx, cancel := context.WithTimeout(ctx, poolerWithin)
	defer cancel()
	key := rand.Int64()
	var free [2]string
	for i, step := range []struct {
		at  *pgx.ConnConfig
		sql string
	}{
		{direct, "SELECT pg_try_advisory_lock(%d)"}, {pooled, "SELECT pg_try_advisory_xact_lock(%d)"},
	} {
		conn, err := pgconn.ConnectConfig(ctx, &step.at.Copy().Config)
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = conn.Close(ctx) // releases the lock
		}()
		if free[i], err = answer(ctx, conn, fmt.Sprintf(step.sql, key)); err != nil {
			return fmt.Errorf("compare the two addresses of the database: %w", err)
		}
	}
	if free != [2]string{"t", "f"} {
		return errOther
	}
	return nil
}

// serverProcess returns the id of the server process that answers now.
func serverProcess(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	return answer(ctx, conn, "SELECT pg_backend_pid()")
}

// answer returns the one value that a query returns, as text. It uses the simple protocol.
func answer(ctx context.Context, conn *pgconn.PgConn, sql string) (string, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 1 {
		return "", errors.New("an answer without a row")
	}
	return string(results[0].Rows[0][0]), nil
}
