package machines

import (
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

	"garoupa/internal/guard"
)

// program is a program of the cluster, which can be ended and started again.
type program struct {
	name, folder string
	owner        owner
	env          []string
	args         []string // the program's path first
	cmd          *exec.Cmd
	ended        chan struct{}
}

// start starts the program. Its output goes to a file of its name in the folder.
func (p *program) start() error {
	log, err := os.OpenFile(filepath.Join(p.folder, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Dir = p.folder
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=" + p.folder}, p.env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = p.owner.attributes()
	p.ended = make(chan struct{})
	started := make(chan error)
	cmd, ended := p.cmd, p.ended
	guard.Go(p.name, func() {
		// The kernel ends the program with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(ended)
		}
	})
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	return nil
}

// runs reports whether the program was started and has not ended.
func (p *program) runs() bool {
	if p.ended == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// signal sends a signal to the program and, with group, to what it started in its group.
func (p *program) signal(s syscall.Signal, group bool) error {
	pid := p.cmd.Process.Pid
	if group {
		pid = -pid
	}
	return syscall.Kill(pid, s)
}

// Kill ends the program with SIGKILL and returns when it has ended.
func (p *program) Kill() {
	if p.runs() {
		_ = p.signal(syscall.SIGCONT, true)
		_ = p.signal(syscall.SIGKILL, true)
		<-p.ended
	}
}

// stopWithin is longer than any of the programs takes to end by itself.
const stopWithin = 30 * time.Second

// Stop ends the program in order, and returns when it has ended.
func (p *program) Stop() error {
	if !p.runs() {
		return nil
	}
	if err := p.signal(syscall.SIGTERM, false); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopWithin):
		p.Kill()
		return fmt.Errorf("%s did not end within %s", p.name, stopWithin)
	}
}

// log returns the end of the program's log.
func (p *program) log() string {
	f, err := os.Open(filepath.Join(p.folder, p.name+".log"))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	const end = 2 << 10
	if info, err := f.Stat(); err == nil && info.Size() > end {
		_, _ = f.Seek(-end, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	return string(text)
}

// postmaster returns the process id of the machine's PostgreSQL, which Patroni started in a group of its own.
func (m *Machine) postmaster() (int, error) {
	data := filepath.Join(m.disk, "data")
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0, err
	}
	// The file of a server that was killed stays, and its number may be another process's by now.
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !strings.Contains(string(command), data) {
		return 0, fmt.Errorf("no PostgreSQL runs on %s", data)
	}
	return pid, nil
}

// postgres sends a signal to every process of the machine's PostgreSQL.
func (m *Machine) postgres(s syscall.Signal) error {
	pid, err := m.postmaster()
	if err != nil {
		return err
	}
	children, err := childrenOf(pid)
	if err != nil {
		return err
	}
	for _, each := range append([]int{pid}, children...) { // the postmaster first, so that it starts no others
		if failed := syscall.Kill(each, s); failed != nil && !errors.Is(failed, syscall.ESRCH) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// childrenOf returns the processes that a process started.
func childrenOf(pid int) (children []int, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …; the name may have spaces.
		fields := strings.Fields(string(text)[strings.LastIndex(string(text), ")")+1:])
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if parent, err := strconv.Atoi(fields[1]); err == nil && parent == pid {
			children = append(children, child)
		}
	}
	return children, nil
}
