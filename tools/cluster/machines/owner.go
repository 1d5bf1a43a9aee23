package machines

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// owner is the user that runs everything: PostgreSQL and Patroni refuse to run as root.
type owner struct {
	uid, gid int
	switched bool // this process is root, and the owner is another
}

// findOwner returns this user or, for root, the user postgres, which Debian's packages create.
func findOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return owner{}, fmt.Errorf("PostgreSQL refuses to run as root, and there is no user postgres: %w", err)
	}
	o := owner{switched: true}
	if o.uid, err = strconv.Atoi(u.Uid); err != nil {
		return owner{}, err
	}
	o.gid, err = strconv.Atoi(u.Gid)
	return o, err
}

// give makes the owner the owner of a file or folder.
func (o owner) give(path string) error {
	if !o.switched {
		return nil
	}
	return os.Chown(path, o.uid, o.gid)
}

// attributes start a program as the owner, in a group of its own. The program ends with this one.
func (o owner) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if o.switched {
		a.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
	}
	return a
}
