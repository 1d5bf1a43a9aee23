// Package folder is the folder of one bank on a developer's machine: its certificates, its one
// account and the places of its state and its control socket.
package folder

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a folder. The names of private keys end in .key.
const (
	accountFile = "bank.json" // is written last, so that a folder with it is whole
	authority   = "ca"
	server      = "server"  // the bank's own: serves the API, and posts notices
	client      = "client"  // of the account's software
	notices     = "notices" // for the address where the account's software receives notices
)

// CommonName is the name in the bank's own certificate.
const CommonName = "banco.teste"

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

// Open reads a folder that Init has made. It refuses one that is not whole with a sentence that
// names what is missing.
func Open(dir string) (Folder, error) {
	f := Folder{Dir: dir}
	text, err := os.ReadFile(f.path(accountFile))
	missing := f.missing()
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(missing) == len(certified()):
		return Folder{}, fmt.Errorf("bank folder: %s has no %s: run garoupa bank init %s", dir, accountFile, dir)
	case errors.Is(err, fs.ErrNotExist):
		return Folder{}, fmt.Errorf("bank folder: %s has no %s, so the bank there is not complete: "+
			"run garoupa bank init with a new folder", dir, accountFile)
	case err != nil:
		return Folder{}, fmt.Errorf("bank folder: %w", err)
	case len(missing) > 0:
		return Folder{}, fmt.Errorf("bank folder: %s lacks %s: put back what is missing, "+
			"or run garoupa bank init with a new folder", dir, strings.Join(missing, ", "))
	}
	if err := json.Unmarshal(text, &f.Account); err != nil {
		return Folder{}, fmt.Errorf("bank folder: %s: %w", f.path(accountFile), err)
	}
	if a := f.Account; slices.Contains([]string{a.ClientID, a.ClientSecret, a.PixKey, a.HolderName, a.HolderDocument,
		a.Address}, "") {
		return Folder{}, fmt.Errorf("bank folder: %s lacks a member of the account", f.path(accountFile))
	}
	return f, nil
}

// certified returns the names of the files that certify writes.
func certified() (names []string) {
	for _, name := range []string{authority, server, client, notices} {
		names = append(names, name+".crt", name+".key")
	}
	return names
}

// missing returns the files of certified that are not there.
func (f Folder) missing() []string {
	return slices.DeleteFunc(certified(), func(name string) bool {
		_, err := os.Stat(f.path(name))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

func (f Folder) path(name string) string { return filepath.Join(f.Dir, name) }

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
