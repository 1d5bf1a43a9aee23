//go:build !linux

package localpg

import (
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// canSwitch: there is no way here to pass the account a folder that it cannot reach by its
// path.
const canSwitch = false

// attributes make the program run in its own session. The kernel does not support onDeath
// here: see endWith.
func (a account) attributes(syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// nameUser returns false: there is no way here to give a user a name.
func nameUser(*exec.Cmd) bool { return false }

// endWith sends sig to pid if this process ends before release is called: a shell waits for
// the end of a pipe that only this process can write to.
func endWith(pid int, sig syscall.Signal) (release func(), err error) {
	cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("read -r word; [ -n \"$word\" ] || kill -%d %d", int(sig), pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_, _ = io.WriteString(stdin, "released\n")
		_ = cmd.Wait()
	}, nil
}

// serverProcesses returns the server that works in the folder data, according to its own
// note there, if it lives.
func serverProcesses(data string) []int {
	pid, _ := readPostmasterFile(data)
	if pid <= 0 {
		return nil
	}
	command, err := exec.Command("ps", "-o", "command=", "-ww", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(string(command), "-D "+data+" ") {
		return nil
	}
	return []int{pid}
}
