// Package mailtest is an SMTP server for tests, on a port of its own.
package mailtest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a mail may take to come, repeated attempts and all, and how long
// a talk may last.
const patience = 90 * time.Second

// Received is a mail that the server took.
type Received struct {
	From, To   string // of the envelope
	Header     mail.Header
	Subject    string
	Text, HTML string
	Login      string // "user password", "" if nobody logged in
	Encrypted  bool
}

// Options are what a server does besides taking mails.
type Options struct {
	// TLS makes the server offer STARTTLS; nil: it does not.
	TLS *tls.Config
	// Refuse answers a recipient, "" takes it: "550 5.1.1 no such mailbox". It may be
	// called by several connections at once.
	Refuse func(to string) string
	// Hang makes every connection wait for it before the greeting.
	Hang <-chan struct{}
}

// Server takes mails.
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
	var talks sync.WaitGroup
	talks.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			talks.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(patience))
				s.talk(t, conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		talks.Wait()
	})
	return s
}

// Next waits for a mail.
func (s *Server) Next(t testing.TB) Received {
	t.Helper()
	select {
	case m := <-s.mails:
		return m
	case <-time.After(patience):
		t.Fatal("no mail came")
		return Received{}
	}
}

// None reports a mail that nobody waited for.
func (s *Server) None(t testing.TB) {
	t.Helper()
	select {
	case m := <-s.mails:
		t.Errorf("one more mail: %q to %s", m.Subject, m.To)
	default:
	}
}

// talk is one connection, RFC 5321 as far as clients use it.
func (s *Server) talk(t testing.TB, conn net.Conn) {
	if s.options.Hang != nil {
		<-s.options.Hang
	}
	var (
		got Received
		in  = bufio.NewReader(conn)
	)
	say := func(format string, args ...any) { fmt.Fprintf(conn, format+"\r\n", args...) }
	say("220 mailtest")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-mailtest")
			if s.options.TLS != nil && !got.Encrypted {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN")
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			secured := tls.Server(conn, s.options.TLS)
			if err := secured.Handshake(); err != nil {
				return
			}
			conn, in, got.Encrypted = secured, bufio.NewReader(secured), true
		case "AUTH":
			raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			got.Login = strings.Join(strings.Split(string(raw), "\x00")[1:], " ")
			say("235 welcome")
		case "MAIL":
			got.From = within(rest)
			say("250 ok")
		case "RCPT":
			got.To = within(rest)
			if s.options.Refuse != nil {
				if answer := s.options.Refuse(got.To); answer != "" {
					say("%s", answer)
					continue
				}
			}
			say("250 ok")
		case "DATA":
			say("354 go on")
			if err := got.read(in); err != nil {
				t.Errorf("mailtest: read a mail: %v", err)
			}
			s.mails <- got
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func within(text string) string {
	_, text, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, ">")
	return text
}

// read takes the mail until the line with a dot alone.
func (r *Received) read(in *bufio.Reader) error {
	var raw bytes.Buffer
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		if line == ".\r\n" {
			break
		}
		raw.WriteString(strings.TrimPrefix(line, "."))
	}
	m, err := mail.ReadMessage(&raw)
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
