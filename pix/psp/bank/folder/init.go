package folder

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// maxSocket is the longest path of a Unix socket that all systems can bind (macOS: 104 bytes with
// the NUL at the end).
const maxSocket = 103

// Init makes a folder with new certificates and an account. It refuses a folder that exists and is
// not empty, and leaves it as it was. bank.json appears last and whole, so that a crash leaves a
// folder that Open refuses, or a complete one.
func Init(dir string, now time.Time, address string) (Folder, error) {
	f := Folder{dir, Account{
		ClientID: "banco-" + randomHex(8), ClientSecret: rand.Text() + rand.Text(), PixKey: uuid.NewString(),
		HolderName: "LOJA TESTE", HolderDocument: "11222333000181", Address: address,
	}}
	if err := checkAddress(address); err != nil {
		return Folder{}, err
	}
	if len(f.Socket()) > maxSocket {
		return Folder{}, fmt.Errorf("bank folder: %s is too long a path for a socket: choose a shorter one", dir)
	}
	if err := makeEmpty(dir); err != nil {
		return Folder{}, err
	}
	if err := f.certify(now); err != nil {
		return Folder{}, err
	}
	if err := f.writeAccount(); err != nil {
		return Folder{}, err
	}
	return f, nil
}

// checkAddress checks that an address is host:port. Port 0 lets the system choose.
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil || host == "" {
		return fmt.Errorf("bank folder: %q is not an address such as localhost:8443", address)
	}
	return nil
}

// makeEmpty makes the folder, or takes an empty one, and closes it to other users.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	if files, err := os.ReadDir(dir); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	} else if len(files) > 0 {
		return fmt.Errorf("bank folder: %s is not empty", dir)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	return nil
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// writeAccount writes bank.json once the other files are on the disk.
func (f Folder) writeAccount() error {
	text, err := json.MarshalIndent(f.Account, "", "  ")
	if err != nil {
		return fmt.Errorf("bank folder: encode %s: %w", accountFile, err)
	}
	const unfinished = accountFile + ".new"
	if err := f.write(unfinished, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := syncFolder(f.Dir); err != nil {
		return err
	}
	if err := os.Rename(f.path(unfinished), f.path(accountFile)); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	return errors.Join(syncFolder(f.Dir), syncFolder(filepath.Dir(f.Dir)))
}

// write creates a file and returns once its contents are on the disk.
func (f Folder) write(name string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(f.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	return nil
}

// syncFolder returns once the names of the folder's files are on the disk.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	return nil
}
