// Package localpg runs a private PostgreSQL for development, the demo and
// tests. The server listens only on a Unix socket, keeps its data in one folder
// and ends with the process that started it.
//
// It creates these files in Options.Dir:
//
//	postgres/data      the cluster, mode 0700, owned by the account that runs the server
//	postgres/password  the password of the database user, mode 0600
//	postgres.lock      locked while a server runs; contains its process and URL, mode 0600
//	postgres.log       the server's log; postgres.log.1 is the previous one
//
// PostgreSQL refuses to run as root. If the process runs as root, which works
// only on Linux, the server runs as the owner of the cluster or as "postgres"
// or "nobody"; other accounts need no access to the folder's parents.
package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

var (
	// ErrInUse reports that another living process runs the server of this folder.
	// The error that wraps it names the process.
	ErrInUse = errors.New("the database folder is in use")
	// ErrNoBinaries reports that no usable PostgreSQL was found. The error that
	// wraps it says what the operator can do instead.
	ErrNoBinaries = errors.New("no PostgreSQL was found")
	// ErrDamaged reports that the folder contains something other than a complete
	// cluster of this package. Nothing in it was changed.
	ErrDamaged = errors.New("the database folder is damaged")
	// ErrVersion reports that the cluster needs a major version of PostgreSQL
	// that was not found. Nothing in the folder was changed.
	ErrVersion = errors.New("the database folder belongs to another version of PostgreSQL")
)

// Options configure the server.
type Options struct {
	// Dir is the folder that holds everything; it is created if absent. With Volatile it is
	// the parent of a new folder, "" for memory or the system's temporary folder.
	Dir string
	// Bin is a folder with postgres and initdb (GAROUPA_POSTGRES_BIN). If it is "", Start
	// searches for an installed server and the npm package's.
	Bin string
	// Volatile is for tests: a new folder each time, many connections, nothing flushed to
	// disk, everything removed by Stop or by the next start.
	Volatile bool
	// Replicated lets standbys follow the server, for tests of a failover. It must not be
	// combined with Volatile.
	Replicated bool
}

// Server is a running server that this process started.
type Server struct {
	url      string
	process  *process
	lock     *lock
	socket   socket
	volatile string // the folder to remove with the server, "" for none
	stopOnce sync.Once
	stopErr  error
}

// Start starts the server on o.Dir, after creating the cluster if there is none, and
// returns when it accepts connections. ctx bounds only the start: after Start has returned,
// only Stop or the end of the process ends the server.
func Start(ctx context.Context, o Options) (*Server, error) {
	find := newSearch(o.Bin)
	if o.Volatile {
		return startVolatile(ctx, o.Dir, find)
	}
	return startDurable(ctx, o, find)
}

// URL returns the address of the database "garoupa" for pgx, as its superuser. It contains
// the password.
func (s *Server) URL() string { return s.url }

// Stop ends the sessions, shuts the server down cleanly and returns when it has ended.
// Further calls return the result of the first.
func (s *Server) Stop() error {
	s.stopOnce.Do(func() {
		s.stopErr = s.process.stop()
		s.socket.remove()
		if s.volatile != "" {
			s.stopErr = errors.Join(s.stopErr, removeVolatile(s.volatile))
		}
		s.lock.release()
	})
	return s.stopErr
}

func startDurable(ctx context.Context, o Options, find search) (*Server, error) {
	if o.Dir == "" {
		return nil, errors.New("localpg: Options.Dir is empty")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("localpg: locate %s: %w", o.Dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("localpg: make the folder: %w", err)
	}
	held, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, cluster{dir: dir, replicated: o.Replicated}, find, held)
	if err != nil {
		held.release()
		return nil, err
	}
	return s, nil
}

// start runs the server of c. The caller holds the lock, and keeps it if start fails.
func start(ctx context.Context, c cluster, find search, held *lock) (*Server, error) {
	c.removeLeftovers(held.previous)
	version, err := c.inspect()
	if err != nil {
		return nil, err
	}
	runAs, err := serverAccount(c.data())
	if err != nil {
		return nil, err
	}
	if err := stopOrphans(ctx, c.data()); err != nil {
		return nil, err
	}
	programs, err := find.programs(ctx, runAs, version, c.home())
	if err != nil {
		return nil, err
	}
	if version == "" {
		if err := c.initialize(ctx, programs, runAs); err != nil {
			return nil, err
		}
	}
	s, err := c.serve(ctx, programs, runAs, held)
	if err == nil {
		c.removeStaged() // an initdb may outlive its killed process for a moment, and continue to write
	}
	return s, err
}

// serve starts the server process and waits until the database answers.
func (c cluster) serve(ctx context.Context, programs binaries, runAs account, held *lock) (*Server, error) {
	at, err := c.openSocket(runAs)
	if err != nil {
		return nil, err
	}
	p, err := c.startProcess(programs, runAs, at)
	if err != nil {
		at.remove()
		return nil, err
	}
	s := &Server{process: p, lock: held, socket: at}
	s.url, err = c.url(at)
	if err == nil {
		err = p.waitReady(ctx)
	}
	if err == nil {
		err = ensureDatabase(ctx, s.url)
	}
	if err == nil {
		err = held.publish(s.url)
	}
	if err != nil {
		_ = p.stop() // err says more
		at.remove()
		return nil, err
	}
	return s, nil
}
