package faulttest

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy is the network between a program and its PostgreSQL, over TCP on loopback. It
// forwards everything until one of its methods breaks something. It is safe for concurrent
// use.
type Proxy struct {
	listener net.Listener
	url      url.URL

	mu        sync.Mutex
	changed   *sync.Cond
	network   string // the server's network
	address   string
	silent    bool
	refusing  bool
	lose      int    // answers that remain to be lost
	losing    string // the text of their statements, in lower case
	lost      int
	closed    bool
	links     map[*link]struct{}
	forwarded sync.WaitGroup
}

// NewProxy starts a proxy in front of the PostgreSQL at databaseURL. It ends with the
// test.
func NewProxy(t testing.TB, databaseURL string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("faulttest: %v", err)
	}
	p := &Proxy{listener: listener, links: map[*link]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	if err := p.aim(databaseURL); err != nil {
		t.Fatal(err)
	}
	p.forwarded.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// aim sets the target of new connections.
func (p *Proxy) aim(databaseURL string) error {
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		return errors.New("faulttest: the database address is not a postgres:// URL") // err may contain the password
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	p.url = url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: p.listener.Addr().String(), Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return nil
}

// URL returns the address of the database through the proxy.
func (p *Proxy) URL() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url.String()
}

// Silence stops forwarding in both directions. Nothing is closed, new connections are
// accepted and silent too, and TCP acknowledges what is sent, as with a frozen host.
func (p *Proxy) Silence() { p.set(func() { p.silent = true }) }

// Restore ends Silence and Refuse. Data sent during a silence are delivered now.
func (p *Proxy) Restore() { p.set(func() { p.silent, p.refusing = false, false }) }

// Abandon silences the existing connections permanently, without closing them; new
// connections work. With Redirect it simulates a machine that vanished and whose name
// moved.
func (p *Proxy) Abandon() {
	p.set(func() {
		for l := range p.links {
			l.abandoned = true
		}
		p.silent = false
	})
}

// Refuse closes all connections, and each new one at once, as if the database were down.
func (p *Proxy) Refuse() {
	p.set(func() { p.refusing = true })
	p.Cut()
}

// Redirect sends new connections to another PostgreSQL, as a name that moved does. Existing
// connections stay.
func (p *Proxy) Redirect(t testing.TB, databaseURL string) {
	t.Helper()
	if err := p.aim(databaseURL); err != nil {
		t.Fatal(err)
	}
}

// LoseAnswers loses the answers to the next n statements whose SQL contains the text, in
// any case: the server executes the statement, and the client's connection is cut before
// the answer. "commit" is the end of a transaction.
func (p *Proxy) LoseAnswers(n int, text string) {
	p.set(func() { p.lose, p.losing = n, strings.ToLower(text) })
}

// Lost returns how many answers LoseAnswers has lost.
func (p *Proxy) Lost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// Cut closes all connections. New ones work.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Connections returns the number of open connections.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

func (p *Proxy) close() {
	p.set(func() { p.closed = true })
	_ = p.listener.Close()
	p.Cut()
	p.forwarded.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.forwarded.Go(func() { p.carry(client) })
	}
}

// carry connects the client to the server and returns when the connection ends.
func (p *Proxy) carry(client net.Conn) {
	defer client.Close()
	p.pass(nil)
	p.mu.Lock()
	network, address, refusing := p.network, p.address, p.refusing || p.closed
	p.mu.Unlock()
	if refusing {
		return
	}
	server, err := net.DialTimeout(network, address, 10*time.Second)
	if err != nil {
		return
	}
	l := &link{proxy: p, client: client, server: server, prepared: statements{}}
	p.mu.Lock()
	p.links[l] = struct{}{}
	if p.refusing || p.closed {
		l.close()
	}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(l.forward)
	both.Go(l.backward)
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// pass waits until bytes of the link may be forwarded. l is nil for a link that is not open
// yet.
func (p *Proxy) pass(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for (p.silent || l != nil && l.abandoned) && !p.closed && (l == nil || !l.closed) {
		p.changed.Wait()
	}
}

// takeLoss reports whether the answer to the statement is to be lost.
func (p *Proxy) takeLoss(sql string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	// This text begins a transaction, and must not match "commit".
	text := strings.ReplaceAll(strings.ToLower(sql), "read committed", "")
	if p.lose == 0 || sql == "" || !strings.Contains(text, p.losing) {
		return false
	}
	p.lose--
	return true
}

// link is one connection through the proxy.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	prepared       statements
	abandoned      bool // guarded by proxy.mu, as is closed
	closed         bool

	mu    sync.Mutex
	loses bool // whether the current answer is to be lost
}

// close ends the connection on both sides. The caller holds proxy.mu.
func (l *link) close() {
	l.closed = true
	_ = l.client.Close()
	_ = l.server.Close()
	l.proxy.changed.Broadcast()
}

// end is close, for a side that has ended.
func (l *link) end() {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	l.close()
}

// forward copies the client's messages.
func (l *link) forward() {
	defer l.end()
	read := readFirstFrame
	for {
		f, err := read(l.client)
		if err != nil {
			return
		}
		read = readFrame
		if sql := l.prepared.text(f); l.proxy.takeLoss(sql) {
			l.mu.Lock()
			l.loses = true
			l.mu.Unlock()
		}
		l.proxy.pass(l)
		if _, err := l.server.Write(f.raw); err != nil {
			return
		}
	}
}

// backward copies the server's messages. A lost answer ends where the server is ready for
// the next statement, and so does the connection.
func (l *link) backward() {
	defer l.end()
	for {
		f, err := readFrame(l.server)
		if err != nil {
			return
		}
		l.mu.Lock()
		loses := l.loses
		l.mu.Unlock()
		if loses && f.kind == frameReadyForQuery {
			l.proxy.set(func() { l.proxy.lost++ })
			return
		}
		if loses {
			continue
		}
		l.proxy.pass(l)
		if _, err := l.client.Write(f.raw); err != nil && !errors.Is(err, io.EOF) {
			return
		}
	}
}
