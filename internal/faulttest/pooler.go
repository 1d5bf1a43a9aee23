package faulttest

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// NewPooler starts a pooler in transaction mode in front of the PostgreSQL at databaseURL
// and returns the database's address through it. For each transaction a client gets one of
// n connections to the server, preferably the one used last, with the settings and prepared
// statements that other clients left there. COPY and notifications are not supported.
func NewPooler(t testing.TB, databaseURL string, n int) string {
	t.Helper()
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal("faulttest: the database address is not a postgres:// URL")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("faulttest: %v", err)
	}
	p := &pooler{listener: listener, clients: map[net.Conn]struct{}{}}
	p.freed = sync.NewCond(&p.mu)
	for range n {
		conn, err := pgconn.ConnectConfig(context.Background(), config)
		if err != nil {
			t.Fatalf("faulttest: connect: %v", err)
		}
		// pgconn may still read in the background, after a slow write, and would keep the first answer.
		if err := conn.SyncConn(context.Background()); err != nil {
			t.Fatalf("faulttest: connect: %v", err)
		}
		server, err := conn.Hijack()
		if err != nil {
			t.Fatalf("faulttest: connect: %v", err)
		}
		p.free = append(p.free, server)
		p.servers = append(p.servers, server)
	}
	p.working.Go(p.accept)
	t.Cleanup(p.close)
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return through.String()
}

type pooler struct {
	listener net.Listener
	servers  []*pgconn.HijackedConn
	working  sync.WaitGroup

	mu      sync.Mutex
	freed   *sync.Cond
	free    []*pgconn.HijackedConn
	clients map[net.Conn]struct{}
	closed  bool
}

func (p *pooler) close() {
	p.mu.Lock()
	p.closed = true
	for client := range p.clients {
		_ = client.Close()
	}
	for _, server := range p.servers {
		_ = server.Conn.Close()
	}
	p.freed.Broadcast()
	p.mu.Unlock()
	_ = p.listener.Close()
	p.working.Wait()
}

func (p *pooler) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.clients[client] = struct{}{}
		p.mu.Unlock()
		p.working.Go(func() {
			defer client.Close()
			p.serve(client)
			p.mu.Lock()
			delete(p.clients, client)
			p.mu.Unlock()
		})
	}
}

// serve forwards a client's transactions until the client disconnects.
func (p *pooler) serve(client net.Conn) {
	if p.welcome(client) != nil {
		return
	}
	var server *pgconn.HijackedConn
	for {
		f, err := readFrame(client)
		if err != nil || f.kind == frameTerminate {
			if server != nil { // in the middle of a transaction: a real pooler closes it, too
				_ = server.Conn.Close()
			}
			return
		}
		if server == nil {
			if server = p.take(); server == nil {
				return
			}
		}
		if _, err := server.Conn.Write(f.raw); err != nil {
			return
		}
		if f.kind != frameQuery && f.kind != frameSync {
			continue
		}
		idle, err := answer(server, client)
		if err != nil {
			return
		}
		if idle {
			p.give(server)
			server = nil
		}
	}
}

// welcome accepts a client without a password and sends the server's parameters.
func (p *pooler) welcome(client net.Conn) error {
	backend := pgproto3.NewBackend(client, client)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return err
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	for name, value := range p.servers[0].ParameterStatuses {
		backend.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	return backend.Flush()
}

// answer forwards the server's answer and reports whether no transaction is open.
func answer(server *pgconn.HijackedConn, client net.Conn) (idle bool, err error) {
	for {
		f, err := readFrame(server.Conn)
		if err != nil {
			return false, err
		}
		if _, err := client.Write(f.raw); err != nil {
			return false, err
		}
		if f.kind == frameReadyForQuery {
			if len(f.body()) != 1 {
				return false, errors.New("faulttest: no transaction status")
			}
			return f.body()[0] == 'I', nil
		}
	}
}

// take waits for a connection to the server. It returns nil when the pooler closes.
func (p *pooler) take() *pgconn.HijackedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 && !p.closed {
		p.freed.Wait()
	}
	if p.closed {
		return nil
	}
	last := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return last
}

func (p *pooler) give(server *pgconn.HijackedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, server)
	p.freed.Signal()
}
