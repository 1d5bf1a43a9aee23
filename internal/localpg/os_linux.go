package localpg

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// canSwitch: root can run the server as another account (see inheritedFolder).
const canSwitch = true

// attributes make the program run as the account, in its own session, and send it onDeath
// when the thread that started it ends: the caller keeps that thread locked until the
// program has ended.
func (a account) attributes(onDeath syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: onDeath}
	if a.switched {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// nameUser runs cmd in a user namespace where this process's user, which has no name (a
// container started with an arbitrary number), has the number of the user "nobody". Files keep their
// true owner. It returns false if there is no such name.
func nameUser(cmd *exec.Cmd) bool {
	nobody, err := user.Lookup("nobody")
	if err != nil || os.Geteuid() == 0 {
		return false
	}
	uid, uidErr := strconv.Atoi(nobody.Uid)
	gid, gidErr := strconv.Atoi(nobody.Gid)
	if uidErr != nil || gidErr != nil {
		return false
	}
	attr := cmd.SysProcAttr
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: os.Getegid(), Size: 1}}
	return true
}

// endWith does nothing: the kernel does it here, see attributes.
func endWith(int, syscall.Signal) (release func(), err error) {
	return func() {}, nil
}

// serverProcesses returns the PostgreSQL processes that work in the folder data: a server
// and its children, or children that outlived their server.
func serverProcesses(data string) []int {
	folder, err := os.Stat(data)
	if err != nil {
		return nil
	}
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	var pids []int
	for _, name := range names {
		proc := filepath.Dir(name)
		comm, err := os.ReadFile(name)
		if err != nil || strings.TrimSpace(string(comm)) != "postgres" {
			continue
		}
		cwd, err := os.Stat(filepath.Join(proc, "cwd"))
		if err != nil || !os.SameFile(folder, cwd) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
