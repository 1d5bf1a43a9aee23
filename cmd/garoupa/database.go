package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/guard"
	"garoupa/internal/localpg"
	"garoupa/migrations"
	"garoupa/models"
)

// database is an open database and, in the embedded mode, the server behind it.
type database struct {
	*models.DB
	server *localpg.Server // nil unless the server is ours
}

// openDatabase connects to DATABASE_URL or to the embedded server. A command that runs
// beside a serving process uses the server of that process; serving starts and stops it.
func openDatabase(ctx context.Context, s settings, serving bool) (*database, error) {
	if !s.embedded() {
		db, err := models.OpenPooled(ctx, s.DatabaseURL, s.DatabaseDirectURL)
		if err != nil {
			return nil, err
		}
		return &database{DB: db}, nil
	}
	d := &database{}
	running, ok := "", false
	if !serving {
		running, ok = localpg.Running(s.DataDir)
	}
	address := running
	if !ok {
		server, err := localpg.Start(ctx, localpg.Options{Dir: s.DataDir, Bin: s.PostgresBin})
		if err != nil {
			return nil, err
		}
		d.server, address = server, server.URL()
	}
	var err error
	if d.DB, err = models.Open(ctx, address); err != nil {
		return nil, errors.Join(err, d.stopServer())
	}
	return d, nil
}

// openMigrated is openDatabase for commands that write: it also brings the schema up to
// this program's.
func openMigrated(ctx context.Context, s settings, serving bool) (*database, error) {
	d, err := openDatabase(ctx, s, serving)
	if err != nil {
		return nil, err
	}
	if err := migrations.Up(ctx, d.Background); err != nil {
		return nil, errors.Join(asOwner(err), d.Close())
	}
	if err := models.BeginEventEpoch(ctx, d.DB); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := makeTables(ctx, d.DB); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// makeTables makes the tables for the rows of this month and week and the next. If others use the tables all the
// time, it leaves that to a job.
func makeTables(ctx context.Context, db *models.DB) error {
	for range 10 {
		inUse, err := models.MakeTables(ctx, db.Pool, time.Now())
		if err != nil {
			return err
		}
		if !inUse {
			return nil
		}
	}
	slog.Warn("tables of events or calls are in use; those of now will be made later")
	return nil
}

// asOwner adds what to do if a migration failed because the program connects as a role that does
// not own the tables.
func asOwner(err error) error {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("%w: run garoupa migrate with the DATABASE_URL of the role that owns the tables", err)
	}
	return err
}

// lookEvery is how often a serving process checks whether it may still work with the
// schema.
const lookEvery = 5 * time.Second

// whileFit calls serve, and ends its context when a newer program has changed the schema so
// that this program must not work with it any more. It then returns migrations.ErrTooNew
// together with the result of serve.
func (d *database) whileFit(ctx context.Context, serve func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	guard.Go("watch the schema", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(lookEvery):
			}
			if state, err := migrations.Compare(ctx, d.Reserved); err == nil && state == migrations.TooNew {
				end(migrations.ErrTooNew)
			}
		}
	})
	err := serve(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, migrations.ErrTooNew) {
		err = errors.Join(err, cause)
	}
	return err
}

// Close closes the connections, and stops the server if it is ours.
func (d *database) Close() error {
	d.DB.Close()
	return d.stopServer()
}

// closeSoon is Close, but does not wait for connections that a hung server keeps: they end
// with the process.
func (d *database) closeSoon() error {
	closed := make(chan struct{})
	guard.Go("close the database", func() {
		defer close(closed)
		d.DB.Close()
	})
	select {
	case <-closed:
	case <-time.After(closeWithin):
		slog.Warn("closing the database connections took too long; they end with the process")
	}
	return d.stopServer()
}

func (d *database) stopServer() error {
	if d.server == nil {
		return nil
	}
	if err := d.server.Stop(); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	return nil
}
