// Package localpg runs a private PostgreSQL for development, the demo and
// tests: a server of one's own that listens on a Unix socket only, keeps its
// data in one folder and dies with the process that started it.
//
// What it leaves in Options.Dir:
//
//	postgres/data      the cluster, mode 0700, owned by the account that runs the server
//	postgres/password  the password of the database user, mode 0600
//	postgres.lock      locked while a server runs; who runs it, and its URL, mode 0600
//	postgres.log       the server's log; postgres.log.1 is the one before
//
// PostgreSQL refuses to run as root. A process of root therefore runs it as
// "postgres", "nobody" or whoever owns the cluster, on Linux only; the folder
// may lie where only root may enter.
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
	// ErrInUse says that another live process runs the server of this folder.
	// The error that wraps it names the process.
	ErrInUse = errors.New("the database folder is in use")
	// ErrNoBinaries says that no usable PostgreSQL was found. The error that
	// wraps it says what the operator can do instead.
	ErrNoBinaries = errors.New("no PostgreSQL was found")
	// ErrDamaged says that the folder holds something other than a whole
	// cluster of ours. Nothing in it was changed.
	ErrDamaged = errors.New("the database folder is damaged")
	// ErrVersion says that the cluster belongs to another major version of
	// PostgreSQL than any that was found. Nothing in it was changed.
	ErrVersion = errors.New("the database folder belongs to another version of PostgreSQL")
)

// Options say which server to start.
type Options struct {
	// Dir is the folder that holds everything; made if absent. With Volatile
	// it is the folder in which one is made, "" for memory or the system's
	// temporary folder.
	Dir string
	// Bin is a folder with postgres and initdb (GAROUPA_POSTGRES_BIN); "" to
	// search for an installed server and the npm package's.
	Bin string
	// Volatile is for tests: a new folder each time, many connections, nothing
	// flushed to disk, everything removed by Stop or else by the next start.
	Volatile bool
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

// Start starts the server on o.Dir, making the cluster first if there is none,
// and returns when it takes connections. ctx bounds the start alone: once Start
// has returned, only Stop or the end of the process ends the server.
func Start(ctx context.Context, o Options) (*Server, error) {
	find := newSearch(o.Bin)
	if o.Volatile {
		return startVolatile(ctx, o.Dir, find)
	}
	return startDurable(ctx, o.Dir, find)
}

// URL is how pgx connects to the database "garoupa" as its superuser. It
// contains the password.
func (s *Server) URL() string { return s.url }

// Stop ends the sessions, shuts the server down in order and returns when it is
// gone. Further calls return what the first one did.
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

func startDurable(ctx context.Context, dir string, find search) (*Server, error) {
	if dir == "" {
		return nil, errors.New("localpg: Options.Dir is empty")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("localpg: locate %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("localpg: make the folder: %w", err)
	}
	held, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, cluster{dir: dir}, find, held)
	if err != nil {
		held.release()
		return nil, err
	}
	return s, nil
}

// start runs the server of c, whose lock the caller holds and keeps on error.
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
		c.removeStaged() // an initdb may outlive its killed process for a moment, and write on
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
