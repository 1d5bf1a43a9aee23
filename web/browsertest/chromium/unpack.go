package chromium

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/andybalholm/brotli"
)

// unpackOnce creates folder from the archives in bin, unless it exists. Concurrent processes
// wait for the first one. The folder is complete as soon as it exists.
func unpackOnce(bin, folder string) (Browser, error) {
	lock, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return Browser{}, fmt.Errorf("unpack browser: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return Browser{}, fmt.Errorf("unpack browser: lock: %w", err)
	}
	if _, err := os.Stat(folder); err == nil {
		return at(filepath.Join(folder, executable)), nil
	}
	partial := folder + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return Browser{}, fmt.Errorf("unpack browser: %w", err)
	}
	if err := unpack(bin, partial); err != nil {
		return Browser{}, errors.Join(fmt.Errorf("unpack browser: %w", err), os.RemoveAll(partial))
	}
	if err := os.Rename(partial, folder); err != nil {
		return Browser{}, fmt.Errorf("unpack browser: %w", err)
	}
	return at(filepath.Join(folder, executable)), nil
}

func unpack(bin, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, archive := range []string{"al2023.tar.br", "fonts.tar.br"} {
		if err := decompress(filepath.Join(bin, archive),
			func(r io.Reader) error { return untar(r, root) }); err != nil {
			return err
		}
	}
	// After the archives: the fonts.conf in them names folders of another system.
	if err := root.WriteFile(fontConfig, []byte(fontsXML), 0o644); err != nil {
		return err
	}
	return decompress(filepath.Join(bin, "chromium.br"),
		func(r io.Reader) error { return write(root, executable, r, 0o755) })
}

func decompress(path string, use func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := use(brotli.NewReader(file)); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// untar writes an archive's folders and regular files. The root refuses names outside of it.
func untar(r io.Reader, root *os.Root) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(filepath.FromSlash(header.Name))
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			if err = root.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				err = write(root, name, archive, header.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, r io.Reader, mode fs.FileMode) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	return errors.Join(err, file.Close())
}
