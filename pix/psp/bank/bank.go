// Package bank is a bank on a developer's machine. It speaks the central bank's API Pix over
// HTTPS with client certificates, keeps its state in a file, posts notices, and fails on
// request, so that a connector to real banks can be tried and tested. Nothing in it is money.
//
// It is one bank with one account, and knows nothing of the gateway: docs/bank.md shows how to
// test other software with it.
package bank

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/pix"
	"garoupa/pix/psp/bank/folder"
	"garoupa/pix/psp/bank/journal"
)

// ISPB identifies the bank in ids of payments. It is not assigned to an institution.
const ISPB = "99999999"

// Header and HeaderValue are in every answer, so that no software takes the answers for those of
// a real bank.
const (
	Header      = "X-Banco-De-Mentira"
	HeaderValue = "sim"
)

// Options say how a bank is served.
type Options struct {
	Folder     folder.Folder
	Profile    string           // a bank to imitate; "" is generic, which departs from nothing
	Address    string           // host:port to listen on; "" is the folder's
	AnyAddress bool             // whether the address may be another than the loopback's
	Now        func() time.Time // the bank's clock; nil is the machine's
	Log        *slog.Logger
}

// Server is a bank that is being served.
type Server struct {
	account folder.Account
	folder  folder.Folder
	profile profile
	address string

	profileName string
	now         func() time.Time
	log         *slog.Logger
	journal     *journal.Journal
	identity    tls.Certificate

	listener net.Listener
	control  net.Listener
	tokens   tokens
	post     *poster

	chance sync.Mutex
	dice   *rand.Rand // guarded by chance; made from the seed of the fault "random"
	seed   string     // guarded by chance
}

// New opens the folder's state. The caller must call Listen and Serve, or Close.
func New(o Options) (*Server, error) {
	if o.Profile == "" {
		o.Profile = "generic"
	}
	if o.Address == "" {
		o.Address = o.Folder.Account.Address
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p, err := profileNamed(o.Profile)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(o.Address, o.AnyAddress); err != nil {
		return nil, err
	}
	identity, err := o.Folder.Certificate()
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(o.Folder.State())
	if err != nil {
		return nil, err
	}
	s := &Server{account: o.Folder.Account, folder: o.Folder, profile: p, profileName: o.Profile, address: o.Address,
		now: o.Now, log: o.Log, journal: j, identity: identity}
	if s.post, err = newPoster(s); err != nil {
		j.Close()
		return nil, err
	}
	return s, nil
}

// checkAddress refuses an address that other machines can reach: the bank gives codes to
// whatever has its certificate, and its codes look real.
func checkAddress(address string, any bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("bank: address %q is not host:port", address)
	}
	if ip := net.ParseIP(host); any || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("bank: %s can be reached by other machines; a bank for tests serves on localhost "+
		"unless GAROUPA_DEMO=true", address)
}

// Listen binds the address and the control socket. Serve answers what arrives.
func (s *Server) Listen() (err error) {
	if s.listener, err = net.Listen("tcp", s.address); err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	if len(s.locationHost())+len(locationPath)+tokenLength > pix.MaxLocation {
		s.listener.Close()
		return fmt.Errorf("bank: the address %s is too long for a code", s.address)
	}
	if s.control, err = listenControl(s.folder.Socket()); err != nil {
		s.listener.Close()
		return err
	}
	return nil
}

// host returns the name and the port by which the bank is called.
func (s *Server) host() string {
	name, _, _ := net.SplitHostPort(s.address)
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return net.JoinHostPort(name, port)
}

// URL returns the address of the bank, without a path.
func (s *Server) URL() string { return "https://" + s.host() }

// Base returns the address before /pix and the other paths of the API.
func (s *Server) Base() string { return s.URL() + s.profile.base }

// ChargeBase returns the address before /cob/{txid}.
func (s *Server) ChargeBase() string { return s.URL() + s.profile.chargeBase }

// TokenURL returns where the account's software gets its access tokens.
func (s *Server) TokenURL() string { return s.URL() + s.profile.tokenPath }

// Serve answers calls, settles returns and posts notices until ctx ends or a listener fails. It
// closes the server.
func (s *Server) Serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	quiet := slog.NewLogLogger(slog.DiscardHandler, 0) // net/http logs what clients send
	api := &http.Server{Handler: s.handler(), TLSConfig: s.tlsConfig(), ErrorLog: quiet,
		ReadHeaderTimeout: 10 * time.Second}
	control := &http.Server{Handler: s.controlHandler(), ErrorLog: quiet, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 2)
	var work sync.WaitGroup
	start := func(name string, f func()) {
		work.Add(1)
		guard.Go(name, func() { defer work.Done(); f() })
	}
	start("bank: serve", func() { failed <- api.ServeTLS(s.listener, "", "") })
	start("bank: control", func() { failed <- control.Serve(s.control) })
	start("bank: settle", func() { s.settle(ctx) })
	start("bank: notices", func() { s.post.run(ctx) })
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop()
	api.Close() // cuts calls off, as a kill would: the journal has what was answered
	control.Close()
	work.Wait()
	s.post.close()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		s.Close()
		return fmt.Errorf("bank: serve: %w", err)
	}
	return s.Close()
}

// Close closes the files of a server that is not served.
func (s *Server) Close() error {
	for _, l := range []net.Listener{s.listener, s.control} {
		if l != nil {
			l.Close()
		}
	}
	return s.journal.Close()
}
