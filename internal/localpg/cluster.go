package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	databaseName  = "garoupa" // of the database and of its superuser
	stagingPrefix = "postgres.new-"
)

// cluster is PostgreSQL's data in one of our folders.
type cluster struct {
	dir        string
	volatile   bool
	replicated bool
}

func (c cluster) home() string     { return filepath.Join(c.dir, "postgres") }
func (c cluster) data() string     { return filepath.Join(c.home(), "data") }
func (c cluster) password() string { return filepath.Join(c.home(), "password") }

// inspect returns the major version of the cluster, or "" if there is none yet. It changes
// nothing.
func (c cluster) inspect() (major string, err error) {
	info, err := os.Lstat(c.home())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", c.damaged(err)
	}
	entries, err := os.ReadDir(c.home())
	if err != nil {
		return "", c.damaged(err)
	}
	if len(entries) == 0 && info.IsDir() {
		return "", nil
	}
	if err := c.checkOwner(); err != nil {
		return "", err
	}
	version, err := os.ReadFile(filepath.Join(c.data(), "PG_VERSION"))
	if err != nil {
		return "", c.damaged(err)
	}
	major = strings.TrimSpace(string(version))
	if _, err := strconv.Atoi(major); err != nil {
		return "", c.damaged(fmt.Errorf("PG_VERSION says %.20q", major))
	}
	if _, err := os.Stat(filepath.Join(c.data(), "global", "pg_control")); err != nil {
		return "", c.damaged(err)
	}
	if _, err := c.readPassword(); err != nil {
		return "", err
	}
	return major, nil
}

// checkOwner fails if the server's account does not own the cluster. PostgreSQL would fail
// too, but the error of checkOwner says what to do.
func (c cluster) checkOwner() error {
	uid, _, err := owner(c.data())
	if err != nil {
		return c.damaged(err)
	}
	me := os.Geteuid()
	switch {
	case uid == 0:
		return c.damaged(errors.New("data belongs to root, and PostgreSQL refuses to run as root (chown -R it to " +
			"another user)"))
	case me != 0 && uid != me:
		return fmt.Errorf("localpg: %s belongs to the user with the number %d; start this as that user, or set "+
			"DATABASE_URL", c.data(), uid)
	}
	return nil
}

func (c cluster) damaged(cause error) error {
	return fmt.Errorf("localpg: %w: %s: %w; restore it from a copy, or move it away to start with an empty database",
		ErrDamaged, c.home(), cause)
}

func (c cluster) readPassword() (string, error) {
	content, err := os.ReadFile(c.password())
	if err != nil {
		return "", c.damaged(err)
	}
	password := strings.TrimSpace(string(content))
	if password == "" {
		return "", c.damaged(errors.New("the file password is empty"))
	}
	return password, nil
}

// removeLeftovers removes what killed processes left: incomplete clusters and the socket of
// the server at previous.
func (c cluster) removeLeftovers(previous string) {
	c.removeStaged()
	removeSocketOf(previous)
}

// removeStaged removes incomplete clusters that no process is writing.
func (c cluster) removeStaged() {
	for _, path := range c.staged() {
		_ = os.RemoveAll(path)
	}
}

// staged returns the incomplete clusters.
func (c cluster) staged() []string {
	var paths []string
	entries, _ := os.ReadDir(c.dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), stagingPrefix) {
			paths = append(paths, filepath.Join(c.dir, entry.Name()))
		}
	}
	return paths
}
