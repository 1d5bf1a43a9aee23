package machines

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// mount gives the machine a disk of its own, in memory, for all that etcd, Patroni and PostgreSQL write.
func (c *Cluster) mount(m *Machine) error {
	what := fmt.Sprintf("size=%d,mode=0700,uid=%d,gid=%d", c.Disk, c.owner.uid, c.owner.gid)
	err := syscall.Mount("garoupa-cluster", m.disk, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, what)
	if err != nil {
		return fmt.Errorf("mount a disk for machine %s, which needs root or a user namespace, "+
			"as tools/faults/with-mounts.sh makes one: %w", m.Name, err)
	}
	m.mounted = true
	return nil
}

// unmount takes the machine's disk away.
func (m *Machine) unmount() error {
	if !m.mounted {
		return nil
	}
	// A process that was just killed may still be ending.
	return syscall.Unmount(m.disk, syscall.MNT_DETACH)
}

// FillDisk writes to a file until the machine's disk has no room left. The machine needs a disk of its own
// (Options.Disk).
func (m *Machine) FillDisk() error {
	if !m.mounted {
		return fmt.Errorf("machines: %s has no disk of its own", m.Name)
	}
	file, err := os.OpenFile(m.filling(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	block := make([]byte, 4<<10)
	for err == nil {
		_, err = file.Write(block)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

// FreeDisk removes what FillDisk wrote.
func (m *Machine) FreeDisk() error { return os.Remove(m.filling()) }

func (m *Machine) filling() string { return filepath.Join(m.disk, "filling") }
