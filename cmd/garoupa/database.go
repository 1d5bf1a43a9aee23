package main

import (
	"context"
	"errors"
	"fmt"

	"garoupa/localpg"
	"garoupa/migrations"
	"garoupa/models"
)

// database is an open database and, in the embedded mode, the server behind it.
type database struct {
	*models.DB
	server *localpg.Server // nil: somebody else's
}

// openDatabase connects to DATABASE_URL or to the embedded server. A command that
// runs beside a serving process shares the server of that one; serving alone owns it.
func openDatabase(ctx context.Context, s settings, serving bool) (*database, error) {
	d := &database{}
	address := s.DatabaseURL
	if s.embedded() {
		running, ok := "", false
		if !serving {
			running, ok = localpg.Running(s.DataDir)
		}
		if address = running; !ok {
			server, err := localpg.Start(ctx, localpg.Options{Dir: s.DataDir, Bin: s.PostgresBin})
			if err != nil {
				return nil, err
			}
			d.server, address = server, server.URL()
		}
	}
	var err error
	if d.DB, err = models.Open(ctx, address); err != nil {
		return nil, errors.Join(err, d.stopServer())
	}
	return d, nil
}

// openMigrated is openDatabase with the schema brought up to this program's.
func openMigrated(ctx context.Context, s settings, serving bool) (*database, error) {
	d, err := openDatabase(ctx, s, serving)
	if err != nil {
		return nil, err
	}
	if err := migrations.Up(ctx, d.Pool); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close returns the connections and stops the server, if it is ours.
func (d *database) Close() error {
	d.DB.Close()
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
