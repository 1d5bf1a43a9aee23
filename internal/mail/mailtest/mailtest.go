// Package mailtest is an SMTP server for tests, on a port of its own.
package mailtest

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// patience bounds the wait for a mail, including repeated attempts, and the duration of a
// connection.
const patience = 90 * time.Second

// Received is a mail that the server accepted.
type Received struct {
	From, To   string // of the envelope
	Header     mail.Header
	Subject    string
	Text, HTML string
	Login      string // "user password", "" without a log-in
	Encrypted  bool
}

// Options change what a server does besides accepting mails.
type Options struct {
	// TLS makes the server offer STARTTLS; nil means that it does not.
	TLS *tls.Config
	// Refuse returns the error for a recipient, or nil to accept it. Several connections may
	// call it at once.
	Refuse func(to string) *smtp.SMTPError
	// Hang, if not nil, is received from before a connection answers its first command.
	Hang <-chan struct{}
}

// Server accepts mails and keeps them for Next.
type Server struct {
	Address string // host:port

	options Options
	mails   chan Received
}

// New starts a server that ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String(), options: o, mails: make(chan Received, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		if o.Hang != nil {
			<-o.Hang
		}
		_, encrypted := c.TLSConnectionState()
		return &session{server: s, got: Received{Encrypted: encrypted}}, nil
	}))
	server.Domain, server.TLSConfig, server.AllowInsecureAuth = "mailtest", o.TLS, true
	server.ReadTimeout, server.WriteTimeout = patience, patience
	server.ErrorLog = log.New(io.Discard, "", 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until the test ends
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return s
}

// Next waits for a mail and returns it.
func (s *Server) Next(t testing.TB) Received {
	t.Helper()
	select {
	case m := <-s.mails:
		return m
	case <-time.After(patience):
		t.Fatal("no mail arrived")
		return Received{}
	}
}

// None fails the test if a mail arrived that the test did not receive from Next.
func (s *Server) None(t testing.TB) {
	t.Helper()
	select {
	case m := <-s.mails:
		t.Errorf("one more mail: %q to %s", m.Subject, m.To)
	default:
	}
}

// session receives the mails of one connection.
type session struct {
	server *Server
	got    Received
}

// AuthMechanisms implements smtp.AuthSession.
func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession and accepts every password.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.got.Login = user + " " + password
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.got.From = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.got.To = to
	if s.server.options.Refuse != nil {
		if refused := s.server.options.Refuse(to); refused != nil {
			return refused
		}
	}
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	if err := s.got.read(r); err != nil {
		return fmt.Errorf("mailtest: read a mail: %w", err)
	}
	s.server.mails <- s.got
	return nil
}

// Reset implements smtp.Session.
func (*session) Reset() {}

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }

// read parses a mail with a text part and an HTML part.
func (r *Received) read(raw io.Reader) error {
	m, err := mail.ReadMessage(raw)
	if err != nil {
		return err
	}
	r.Header = m.Header
	if r.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return err
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			r.HTML = string(body)
		} else {
			r.Text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}
