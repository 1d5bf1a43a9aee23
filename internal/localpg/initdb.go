package localpg

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// initialize creates the cluster in a temporary place and moves it to its own, so that a
// crash at any moment leaves no cluster or a complete one.
func (c cluster) initialize(ctx context.Context, programs binaries, runAs account) error {
	staging, err := os.MkdirTemp(c.dir, stagingPrefix)
	if err != nil {
		return fmt.Errorf("localpg: make the cluster: %w", err)
	}
	defer os.RemoveAll(staging)
	password := rand.Text()
	data := filepath.Join(staging, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), runAs.give(data),
		writeSynced(filepath.Join(staging, "password"), password+"\n")); err != nil {
		return fmt.Errorf("localpg: make the cluster: %w", err)
	}
	if err := c.initdb(ctx, programs, runAs, data, password); err != nil {
		return fmt.Errorf("localpg: make the cluster: %w", err)
	}
	if err := os.Remove(c.home()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("localpg: make room for the cluster: %w", err)
	}
	err = syncFolder(staging)
	if err == nil {
		err = os.Rename(staging, c.home())
	}
	if err == nil {
		err = syncFolder(c.dir)
	}
	if err != nil {
		return fmt.Errorf("localpg: put the cluster in place: %w", err)
	}
	return nil
}

// initdb runs initdb, and runs it again if this system lacks something: a name for the
// user, or the locale.
func (c cluster) initdb(ctx context.Context, programs binaries, runAs account, data, password string) error {
	locale := []string{"--locale=C.UTF-8"}
	if major, _ := strconv.Atoi(programs.major); major >= 17 {
		locale = []string{"--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"}
	}
	named := true
	for {
		cmd, err := c.initdbCommand(programs, runAs, data, password, locale)
		if err != nil {
			return err
		}
		if !named && !nameUser(cmd) {
			closeFiles(cmd)
			return errNameless
		}
		_, err = run(ctx, cmd)
		switch {
		case err == nil:
			return nil
		case named && strings.Contains(err.Error(), "could not look up effective user ID"):
			named = false
		case locale[0] != "--locale=C" && strings.Contains(err.Error(), "invalid locale name"):
			locale = []string{"--locale=C"}
		case !named:
			return fmt.Errorf("%w (%w)", errNameless, err)
		default:
			return err
		}
	}
}

var errNameless = errors.New("PostgreSQL's initdb asks for the user's name, and this one has none: " +
	"add it to /etc/passwd, start this as another user, or set DATABASE_URL")

func (c cluster) initdbCommand(programs binaries, runAs account, data, password string,
	locale []string) (*exec.Cmd, error) {
	args := append([]string{"--username=" + databaseName, "--pwfile=/dev/stdin", "--encoding=UTF8", "--data-checksums",
		"--no-instructions"}, locale...)
	if c.volatile {
		// Only this user can open the socket, and each proof of a password takes both sides 4,096 rounds of a hash
		// (RFC 7677, section 4).
		args = append(args, "--no-sync", "--auth=trust")
	} else {
		args = append(args, "--auth=scram-sha-256")
	}
	cmd, err := runAs.clusterCommand(syscall.SIGKILL, programs.initdb(), data, args...)
	if err != nil {
		return nil, err
	}
	// initdb opens the pipe again by its name, which only its owner may do.
	reader, writer, err := os.Pipe()
	if err != nil {
		closeFiles(cmd)
		return nil, err
	}
	cmd.Stdin = reader
	_, err = writer.WriteString(password + "\n")
	if err = errors.Join(err, writer.Close()); err == nil && runAs.switched {
		err = reader.Chown(runAs.uid, runAs.gid)
	}
	if err != nil {
		closeFiles(cmd)
		return nil, err
	}
	return cmd, nil
}

func writeSynced(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncFolder flushes the names in a folder, if the file system supports that.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
