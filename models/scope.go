package models

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// Scope is the data that one API key or one dashboard page may access: a project in one
// environment. Every query over merchant data takes a Scope, so that no query can forget it:
// environments never mix (docs/rules.md, "Accounts and projects").
type Scope struct {
	ProjectID   string
	Environment Environment
}

// Changes is the id that streams watch to hear of new charges and events of the scope.
func (s Scope) Changes() string {
	if s.Environment == Live {
		return s.ProjectID + "/live"
	}
	return s.ProjectID
}

// Querier runs SQL text: a pool, or the connection of a Tx.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Handle gives access to GORM's builder: a *DB, or a *Tx.
type Handle interface {
	gorm(ctx context.Context) *gorm.DB
}

func (db *DB) gorm(ctx context.Context) *gorm.DB { return db.DB.WithContext(ctx) }
func (tx *Tx) gorm(ctx context.Context) *gorm.DB { return tx.DB.WithContext(ctx) }
