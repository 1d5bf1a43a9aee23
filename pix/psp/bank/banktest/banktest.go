// Package banktest serves a bank to tests, over real TLS on the loopback.
package banktest

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/pix/psp/bank"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

// Bank is a bank that serves until the test ends.
type Bank struct {
	*bank.Server
	Folder  folder.Folder
	Control control.Client
	Clock   *Clock
	Log     *Log

	profile string
	stop    func()
}

// Log keeps what a bank logs. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns all lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Clock is the machine's clock, moved by what a test has added.
type Clock struct {
	mu    sync.Mutex
	moved time.Duration
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.moved)
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += d
}

// Serve makes a bank in a folder of its own and serves it with this profile.
func Serve(t testing.TB, profile string) *Bank {
	t.Helper()
	dir, err := os.MkdirTemp("", "bank") // the path of a socket has room for about 100 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	f, err := folder.Init(dir, time.Now(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Bank{Folder: f, Clock: &Clock{}, Log: &Log{}, profile: profile, stop: func() {}}
	b.Start(t)
	return b
}

// Start serves the folder again after Stop, at another port.
func (b *Bank) Start(t testing.TB) {
	t.Helper()
	s, err := bank.New(bank.Options{Folder: b.Folder, Profile: b.profile, Now: b.Clock.Now,
		Log: slog.New(slog.NewTextHandler(b.Log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(); err != nil {
		s.Close()
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Serve(ctx); err != nil {
			t.Errorf("the bank ended: %v", err)
		}
	}()
	b.Server, b.Control = s, control.Dial(b.Folder.Socket())
	b.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(b.stop)
}

// Stop ends the bank at once.
func (b *Bank) Stop() { b.stop() }

// Client returns a client with the certificate of the account's software.
func (b *Bank) Client(t testing.TB) *http.Client {
	t.Helper()
	certificate, err := b.Folder.Client()
	if err != nil {
		t.Fatal(err)
	}
	return b.ClientWith(t, certificate)
}

// ClientWith returns a client that trusts the bank and has these certificates, or none.
func (b *Bank) ClientWith(t testing.TB, certificates ...tls.Certificate) *http.Client {
	t.Helper()
	authorities, err := b.Folder.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: authorities, Certificates: certificates},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
