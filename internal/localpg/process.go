package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/guard"
)

// PostgreSQL's shutdown modes by signal.
const (
	fastShutdown      = syscall.SIGINT  // ends the sessions, flushes
	immediateShutdown = syscall.SIGQUIT // recovery at the next start
)

const (
	stopPatience = time.Minute
	logName      = "postgres.log"
	logMaxBytes  = 1 << 20 // checked at a start; the previous log is kept
)

// largePages lets the memory of a server for tests come in pages of 2 MB (glibc's manual, "Memory Allocation
// Tunables"). A test takes some new connections, and filling their memory in pages of 4 KB is a good part of its time.
const largePages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=8388608:" +
	"glibc.malloc.trim_threshold=1000000000:glibc.malloc.mmap_threshold=1000000000"

// process is the server as a child of this process.
type process struct {
	cmd     *exec.Cmd
	data    string
	log     string
	logFrom int64         // where this server's lines begin in the log
	done    chan struct{} // closed when it has ended
	err     error         // its result; valid after done
	release func()
}

// startProcess starts the server; waitReady waits until it serves.
func (c cluster) startProcess(programs binaries, runAs account, at socket) (*process, error) {
	cmd, err := runAs.clusterCommand(fastShutdown, programs.postgres(), c.data(), c.settings(at)...)
	if err != nil {
		return nil, fmt.Errorf("localpg: start the server: %w", err)
	}
	defer closeFiles(cmd)
	// The process named in an old note in the data cannot be a server, because no server
	// runs there. PostgreSQL cannot tell, but it trusts the number that is set here.
	if stale, _ := readPostmasterFile(c.data()); stale > 0 {
		cmd.Env = append(cmd.Env, "PG_GRANDPARENT_PID="+strconv.Itoa(stale))
	}
	if c.volatile {
		cmd.Env = append(cmd.Env, largePages)
	}
	log, err := openLog(filepath.Join(c.dir, logName))
	if err != nil {
		return nil, fmt.Errorf("localpg: open the server's log: %w", err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	p := &process{cmd: cmd, data: c.data(), log: log.Name(), done: make(chan struct{})}
	if info, err := log.Stat(); err == nil {
		p.logFrom = info.Size()
	}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("localpg: start the server: %w", err)
	}
	return p, nil
}

func (p *process) start() error {
	started := make(chan error)
	guard.Go("PostgreSQL", func() {
		// The kernel ends the server when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
	})
	if err := <-started; err != nil {
		return err
	}
	release, err := endWith(p.cmd.Process.Pid, fastShutdown)
	if err != nil {
		_ = p.cmd.Process.Signal(immediateShutdown)
		<-p.done
		return err
	}
	p.release = release
	return nil
}

// stop shuts the server down and returns when it has ended. An error means that it did not
// end cleanly; its data are safe nevertheless.
func (p *process) stop() error {
	p.release()
	for _, signal := range []syscall.Signal{fastShutdown, immediateShutdown} {
		_ = p.cmd.Process.Signal(signal)
		select {
		case <-p.done:
			if p.err != nil {
				return fmt.Errorf("localpg: stop the server on %s: %w", p.data, p.ended())
			}
			return nil
		case <-time.After(stopPatience):
		}
	}
	return fmt.Errorf("localpg: the server (process %d) does not stop; see %s", p.cmd.Process.Pid, p.log)
}

// waitReady returns when the server accepts connections, however long recovery from a crash
// takes.
func (p *process) waitReady(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if pid, ready := readPostmasterFile(p.data); ready && pid == p.cmd.Process.Pid {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("localpg: start the server on %s: %w", p.data, p.ended())
		case <-ctx.Done():
			return fmt.Errorf("localpg: start the server: %w", ctx.Err())
		}
	}
}

// ended returns how the server ended; valid after done.
func (p *process) ended() error {
	how := p.err
	if how == nil {
		how = errors.New("exit status 0")
	}
	return fmt.Errorf("it ended with %w: %s; see %s", how, p.lastWords(), p.log)
}

// lastWords returns the last lines that the server logged since its start.
func (p *process) lastWords() string {
	f, err := os.Open(p.log)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, p.logFrom, logMaxBytes))
	return lastLines(text, 3)
}

// readPostmasterFile reads the note that a server keeps in its data folder: its process id
// in the first line, its state in the eighth. pid is 0 if there is no note.
func readPostmasterFile(data string) (pid int, ready bool) {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, false
	}
	lines := strings.Split(string(content), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	return pid, len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"
}

// openLog opens the log for appending, a new one if it has grown large.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logMaxBytes {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// ensureDatabase creates the database if it does not exist. It runs at each start and not
// with the cluster, so that a crash between the two repairs itself.
func ensureDatabase(ctx context.Context, databaseURL string) error {
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("localpg: connect: %w", err)
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if missing, ok := errors.AsType[*pgconn.PgError](err); ok && missing.Code == "3D000" {
		config.Database = "postgres"
		if conn, err = pgconn.ConnectConfig(ctx, config); err == nil {
			_, err = conn.Exec(ctx, "CREATE DATABASE "+databaseName).ReadAll()
		}
	}
	if conn != nil {
		conn.Close(ctx)
	}
	if err != nil {
		return fmt.Errorf("localpg: open the database: %w", err)
	}
	return nil
}
