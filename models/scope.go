package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Scope is what one API key or one dashboard page may see: a project in one
// environment. Every query over merchant data takes one, so it cannot be left
// out; nothing crosses environments (decisions, 1).
type Scope struct {
	ProjectID string
	Livemode  bool
}

// Querier runs hand-written statements: a pool, or the connection of a Tx.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Position is a place in the order of a list.
type Position struct {
	CreatedAt time.Time
	ID        string
}
