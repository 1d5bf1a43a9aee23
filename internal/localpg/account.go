package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the operating system's user that runs the server and owns the
// cluster's files.
type account struct {
	uid, gid int
	// switched: this process is root, and the account is another.
	switched bool
}

// accountNames are tried in this order when root creates a new cluster. A number without a
// name would not do, because initdb needs its user's name.
var accountNames = []string{"postgres", "nobody", "daemon", "bin"}

// serverAccount returns the account that runs the server on the cluster in data: this user;
// for root, the owner of the cluster, or an account of the list if there is no cluster yet.
func serverAccount(data string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{uid: uid, gid: os.Getegid()}, nil
	}
	if !canSwitch {
		return account{}, errors.New("localpg: PostgreSQL refuses to run as root; " +
			"start this as an ordinary user, or set DATABASE_URL")
	}
	uid, gid, err := owner(data)
	if err == nil {
		return account{uid: uid, gid: gid, switched: true}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return account{}, fmt.Errorf("localpg: find the owner of the cluster: %w", err)
	}
	for _, name := range accountNames {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{uid: uid, gid: gid, switched: true}, nil
		}
	}
	return account{},
		errors.New("localpg: PostgreSQL refuses to run as root and there is no account postgres or nobody; " +
			"add one, start this as an ordinary user, or set DATABASE_URL")
}

func owner(path string) (uid, gid int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("the owner of %s is unknown", path)
	}
	return int(stat.Uid), int(stat.Gid), nil
}

// give makes the account the owner of a file or folder that this process created.
func (a account) give(path string) error {
	if !a.switched {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// command prepares one of PostgreSQL's programs to run as the account, in a session of its
// own: an interrupt from the terminal must reach only this process, which then decides the
// order. If this process dies, the program gets onDeath.
//
// The environment is not passed on: it may hold secrets, and PGDATA or PGOPTIONS would
// change what the program does.
func (a account) command(onDeath syscall.Signal, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	if libraries, ok := os.LookupEnv("LD_LIBRARY_PATH"); ok {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+libraries)
	}
	cmd.SysProcAttr = a.attributes(onDeath)
	return cmd
}

// clusterCommand is command for a program that works on the cluster in data. The account
// may be unable to reach the folder by its path, so the program inherits the open folder.
// The caller calls closeFiles after the program has started.
func (a account) clusterCommand(onDeath syscall.Signal, program, data string, args ...string) (*exec.Cmd, error) {
	if !a.switched {
		return a.command(onDeath, program, append([]string{"-D", data}, args...)...), nil
	}
	folder, err := os.Open(data)
	if err != nil {
		return nil, err
	}
	cmd := a.command(onDeath, program, append([]string{"-D", inheritedFolder}, args...)...)
	cmd.ExtraFiles = []*os.File{folder}
	return cmd, nil
}

// inheritedFolder is the first of cmd.ExtraFiles as the program and its children see it.
const inheritedFolder = "/proc/self/fd/3"

// closeFiles closes this process's copies of the files that cmd inherits.
func closeFiles(cmd *exec.Cmd) {
	if f, ok := cmd.Stdin.(*os.File); ok {
		f.Close()
	}
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
}
