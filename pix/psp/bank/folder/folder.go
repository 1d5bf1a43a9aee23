// Package folder is the folder of one bank on a developer's machine: its certificates, its one
// account and the places of its state and its control socket.
package folder

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// The files of a folder. The names of private keys end in .key.
const (
	accountFile = "bank.json" // is written last, so that a folder with it is whole
	authority   = "ca"
	server      = "server"  // the bank's own: serves the API, and posts notices
	client      = "client"  // of the account's software
	notices     = "notices" // for the address where the account's software receives notices
)

// Account is the only account of a bank.
type Account struct {
	ClientID       string `json:"clientId"`
	ClientSecret   string `json:"clientSecret"`
	PixKey         string `json:"pixKey"`
	HolderName     string `json:"holderName"`
	HolderDocument string `json:"holderDocument"` // a CNPJ
	Address        string `json:"address"`        // host:port where the bank serves
}

// Folder is the folder of a bank.
type Folder struct {
	Dir     string
	Account Account
}

// Init makes a folder with new certificates and an account. It refuses a folder that exists and is
// not empty.
func Init(dir string, now time.Time, address string) (Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Folder{}, fmt.Errorf("bank folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return Folder{}, fmt.Errorf("bank folder: %w", err)
	}
	if files, err := os.ReadDir(dir); err != nil {
		return Folder{}, fmt.Errorf("bank folder: %w", err)
	} else if len(files) > 0 {
		return Folder{}, fmt.Errorf("bank folder: %s is not empty", dir)
	}
	f := Folder{dir, Account{
		ClientID: "banco-" + randomHex(8), ClientSecret: rand.Text() + rand.Text(), PixKey: uuid.NewString(),
		HolderName: "LOJA TESTE", HolderDocument: "11222333000181", Address: address,
	}}
	if err := f.certify(now); err != nil {
		return Folder{}, err
	}
	text, err := json.MarshalIndent(f.Account, "", "  ")
	if err != nil {
		return Folder{}, fmt.Errorf("bank folder: encode %s: %w", accountFile, err)
	}
	if err := f.write(accountFile, append(text, '\n'), 0o600); err != nil {
		return Folder{}, err
	}
	return f, nil
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// Open reads a folder that Init has made.
func Open(dir string) (Folder, error) {
	text, err := os.ReadFile(filepath.Join(dir, accountFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Folder{}, fmt.Errorf("bank folder: %s has no %s: make the folder with garoupa bank init", dir,
			accountFile)
	}
	if err != nil {
		return Folder{}, fmt.Errorf("bank folder: %w", err)
	}
	f := Folder{Dir: dir}
	if err := json.Unmarshal(text, &f.Account); err != nil {
		return Folder{}, fmt.Errorf("bank folder: %s: %w", f.path(accountFile), err)
	}
	return f, nil
}

func (f Folder) path(name string) string { return filepath.Join(f.Dir, name) }

func (f Folder) write(name string, text []byte, mode fs.FileMode) error {
	if err := os.WriteFile(f.path(name), text, mode); err != nil {
		return fmt.Errorf("bank folder: %w", err)
	}
	return nil
}

// State returns the path of the bank's journal.
func (f Folder) State() string { return f.path("state.jsonl") }

// Socket returns the path of the control socket.
func (f Folder) Socket() string { return f.path("control.sock") }

// Certificate returns the bank's own certificate.
func (f Folder) Certificate() (tls.Certificate, error) { return f.pair(server) }

// Client returns the certificate of the account's software.
func (f Folder) Client() (tls.Certificate, error) { return f.pair(client) }

// Notices returns the certificate for the address where the account's software receives notices.
func (f Folder) Notices() (tls.Certificate, error) { return f.pair(notices) }

func (f Folder) pair(name string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(f.path(name+".crt"), f.path(name+".key"))
	if err != nil {
		return pair, fmt.Errorf("bank folder: certificate %s: %w", name, err)
	}
	return pair, nil
}

// Authorities returns the authority that has made all certificates of the folder.
func (f Folder) Authorities() (*x509.CertPool, error) {
	text, err := f.AuthorityPEM()
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("bank folder: %s.crt has no certificate", authority)
	}
	return pool, nil
}

// AuthorityPEM returns the certificate of the authority, as PEM.
func (f Folder) AuthorityPEM() ([]byte, error) {
	text, err := os.ReadFile(f.path(authority + ".crt"))
	if err != nil {
		return nil, fmt.Errorf("bank folder: %w", err)
	}
	return text, nil
}
