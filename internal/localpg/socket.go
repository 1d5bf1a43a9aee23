package localpg

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketName   = ".s.PGSQL.5432" // PostgreSQL's own, for port 5432
	socketParent = "/tmp"
	socketPrefix = "garoupa-"
)

// socket is the folder of the server's Unix socket.
type socket struct {
	dir   string // the path for clients
	name  string // the path for the server, which runs in the cluster's data
	apart bool   // in a folder of its own and not among the data
}

// openSocket chooses the folder: among the data, which only the server's account and root
// can enter. If that path is too long for a socket (107 bytes on Linux, 103 on macOS),
// holds a comma, which separates hosts, or is on a file system without sockets, it creates
// a private folder with a short name.
func (c cluster) openSocket(runAs account) (socket, error) {
	removeSocketFiles(c.data())
	if !strings.Contains(c.data(), ",") && holdsSockets(c.data()) {
		return socket{dir: c.data(), name: "."}, nil
	}
	dir, err := os.MkdirTemp(socketParent, socketPrefix)
	if err != nil {
		return socket{}, fmt.Errorf("localpg: make a folder for the socket: %w", err)
	}
	if err := runAs.give(dir); err != nil {
		return socket{}, errors.Join(fmt.Errorf("localpg: make a folder for the socket: %w", err), os.Remove(dir))
	}
	return socket{dir: dir, name: dir, apart: true}, nil
}

func holdsSockets(dir string) bool {
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// remove removes the folder if it belongs to the socket alone.
func (s socket) remove() {
	if s.apart {
		removeSocketFiles(s.dir)
		_ = os.Remove(s.dir)
	}
}

func removeSocketFiles(dir string) {
	_ = os.Remove(filepath.Join(dir, socketName))
	_ = os.Remove(filepath.Join(dir, socketName+".lock"))
}

// removeSocketOf removes the socket folder that the server at a URL left behind.
func removeSocketOf(serverURL string) {
	u, err := url.Parse(serverURL)
	if err != nil {
		return
	}
	dir := u.Query().Get("host")
	if filepath.Dir(dir) == socketParent && strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		socket{dir: dir, apart: true}.remove()
	}
}

// url returns the address of the database for pgx and for libpq, which reads "+" in a query
// as a plus sign.
func (c cluster) url(at socket) (string, error) {
	password, err := c.readPassword()
	if err != nil {
		return "", err
	}
	query := "host=" + strings.ReplaceAll(url.QueryEscape(at.dir), "+", "%20") + "&port=5432"
	u := url.URL{Scheme: "postgres", User: url.UserPassword(databaseName, password), Path: "/" + databaseName,
		RawQuery: query}
	return u.String(), nil
}
