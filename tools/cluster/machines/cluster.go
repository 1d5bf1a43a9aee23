// Package machines starts the cluster of deploy/cluster as processes on this machine: three members of etcd, three
// PostgreSQL with Patroni, HAProxy, and several processes of the program. It fills in the files of deploy/cluster, so
// that they are what is run. Debian's packages etcd-server, patroni, postgresql and haproxy must be installed.
package machines

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say what to start.
type Options struct {
	Program   string // the path of the built program
	Templates string // the folder deploy/cluster
	Pooled    bool   // pgbouncer in transaction mode stands between the processes and the database
	// Env has further settings for the processes, as NAME=value.
	Env []string
	// EtcdThrough may return another address under which a machine's Patroni reaches a member of etcd; nil: its own.
	EtcdThrough func(machine int, address string) string
	// DatabaseThrough may return another URL under which a process reaches the database; nil: its own.
	DatabaseThrough func(process int, url string) string
	// Disk is the size in bytes of a disk of its own for each machine, which can be filled; 0: none.
	Disk int64
}

// Cluster is a running cluster.
type Cluster struct {
	Options
	Machines    []*Machine
	Processes   []*Process
	PostgresBin string
	Database    string // HAProxy's address of the leading PostgreSQL
	Web         string // HAProxy's address of the processes of the web role
	Folder      string

	poolerAt string // pgbouncer's address
	pooler   *program
	owner    owner
	taken    map[string]bool
	secrets  struct{ garoupa, superuser, replicator, key string }
	balancer *program
}

// Machine has a member of etcd, and a PostgreSQL that Patroni runs.
type Machine struct {
	Name                 string
	Postgres             string // its address
	folder               string // of its files and logs
	disk                 string // of what etcd, Patroni and PostgreSQL write
	etcdPeer, etcd, rest string
	member, patroni      *program
	mounted              bool
}

// Process is one process of the program.
type Process struct {
	*program
	Role    string
	Address string
}

// machineNames are those of the files.
var machineNames = []string{"one", "two", "three"}

// roles are those of the processes.
var roles = []string{"web", "web", "jobs", "jobs"}

// needed are the programs, and Debian's packages that have them.
var needed = map[string]string{"etcd": "etcd-server", "patroni": "patroni", "patronictl": "patroni",
	"haproxy": "haproxy", "psql": "postgresql-client", "pgbouncer": "pgbouncer"}

// Start starts a cluster and returns when each process is ready. The caller calls Stop, also after an error.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{Options: o, taken: map[string]bool{}}
	for _, step := range []func(context.Context) error{
		c.prepare, c.startEtcd, c.startPatroni, c.startBalancer, c.startPooler, c.startProcesses,
	} {
		if err := step(ctx); err != nil {
			return c, fmt.Errorf("machines: %w", err)
		}
	}
	return c, nil
}

// prepare finds programs, addresses and folders.
func (c *Cluster) prepare(context.Context) (err error) {
	for program, of := range needed {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: install Debian's package %s", program, of)
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return errors.Join(errors.New("PostgreSQL is missing: install Debian's package postgresql"), err)
	}
	slices.Sort(found)
	c.PostgresBin = filepath.Dir(found[len(found)-1])
	if c.owner, err = findOwner(); err != nil {
		return err
	}
	if c.Folder, err = os.MkdirTemp("", "garoupa-cluster-"); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(c.Folder, 0o755), c.owner.give(c.Folder)); err != nil {
		return err
	}
	if err := c.copyProgram(); err != nil {
		return err
	}
	c.secrets.garoupa, c.secrets.superuser, c.secrets.replicator = rand.Text(), rand.Text(), rand.Text()
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	c.secrets.key = hex.EncodeToString(key)
	return errors.Join(c.chooseAddresses(), c.makeFolders())
}

// chooseAddresses gives each machine an address of its own, and every program a port.
func (c *Cluster) chooseAddresses() (err error) {
	choose := func(host string) string {
		address, failed := c.free(host)
		err = errors.Join(err, failed)
		return address
	}
	for i, name := range machineNames {
		host := fmt.Sprintf("127.0.0.%d", 11+i)
		c.Machines = append(c.Machines, &Machine{Name: name, folder: filepath.Join(c.Folder, name),
			Postgres: choose(host), etcdPeer: choose(host), etcd: choose(host), rest: choose(host)})
	}
	for _, role := range roles {
		c.Processes = append(c.Processes, &Process{Role: role, Address: choose("127.0.0.1")})
	}
	c.Database, c.Web, c.poolerAt = choose("127.0.0.1"), choose("127.0.0.1"), choose("127.0.0.1")
	return err
}

// copyProgram puts the program where the owner can reach it.
func (c *Cluster) copyProgram() error {
	content, err := os.ReadFile(c.Program)
	if err != nil {
		return err
	}
	c.Program = filepath.Join(c.Folder, "garoupa")
	return os.WriteFile(c.Program, content, 0o755)
}

func (c *Cluster) makeFolders() error {
	for _, m := range c.Machines {
		m.disk = filepath.Join(m.folder, "disk")
		for _, folder := range []string{m.folder, m.disk} {
			if err := errors.Join(os.Mkdir(folder, 0o700), c.owner.give(folder)); err != nil {
				return err
			}
		}
		if c.Disk > 0 {
			if err := c.mount(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// etcdOf returns the list of etcd's members as a machine's Patroni reaches them.
func (c *Cluster) etcdOf(m *Machine) string {
	var hosts []string
	for _, other := range c.Machines {
		address := other.etcd
		if c.EtcdThrough != nil {
			address = c.EtcdThrough(slices.Index(c.Machines, m), address)
		}
		hosts = append(hosts, address)
	}
	return strings.Join(hosts, ", ")
}

// DatabaseURL returns the address of the leading PostgreSQL through HAProxy, for the program's own role.
func (c *Cluster) DatabaseURL() string {
	return "postgres://garoupa:" + c.secrets.garoupa + "@" + c.Database + "/garoupa?sslmode=disable"
}

// SuperuserURL returns the address of a machine's own PostgreSQL, for its superuser.
func (c *Cluster) SuperuserURL(m *Machine) string {
	return "postgres://postgres:" + c.secrets.superuser + "@" + m.Postgres + "/postgres?sslmode=disable"
}

// SecretKey returns GAROUPA_SECRET_KEY of the cluster.
func (c *Cluster) SecretKey() string { return c.secrets.key }

// Stop ends everything and removes the folder.
func (c *Cluster) Stop() error {
	var err error
	for _, p := range c.Processes {
		if p.program != nil {
			p.Kill()
		}
	}
	for _, p := range []*program{c.pooler, c.balancer} {
		if p != nil {
			p.Kill()
		}
	}
	for _, m := range c.Machines {
		m.kill()
		err = errors.Join(err, m.unmount())
	}
	if c.Folder != "" {
		err = errors.Join(err, os.RemoveAll(c.Folder))
	}
	return err
}

// await asks until done returns true, and otherwise ends with an error after patience.
func await(ctx context.Context, what string, done func() bool) error {
	end := time.After(patience)
	for !done() {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-end:
			return fmt.Errorf("never: %s", what)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// patience is how long a step may take on a busy machine.
const patience = 3 * time.Minute
