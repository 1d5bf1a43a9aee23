package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"garoupa/banks"
	"garoupa/internal/guard"
)

// checkBankListen checks what makes the address for notices useful: without an own certificate, or a proxy
// that passes on that of the bank, no bank could prove itself.
func (s *settings) checkBankListen() error {
	if s.BankListen == "" {
		if s.BankURL+s.BankTLSCert+s.BankTLSKey+s.BankCertHeader != "" {
			return errors.New("must be set if another setting of notices is: the program listens there")
		}
		return nil
	}
	if s.BankTLSCert == "" && s.BankCertHeader == "" {
		return errors.New("needs GAROUPA_BANK_TLS_CERT and GAROUPA_BANK_TLS_KEY, or GAROUPA_BANK_CERT_HEADER behind " +
			"a proxy that ends TLS")
	}
	return checkListen(s.BankListen)
}

// maxBankURL is the room that the database has for the URL.
const maxBankURL = 200

// checkBankURL cuts a slash at the end. Banks accept https alone.
func (s *settings) checkBankURL() error {
	if s.BankListen == "" {
		return nil
	}
	s.BankURL = strings.TrimSuffix(s.BankURL, "/")
	u, err := url.Parse(s.BankURL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
		len(s.BankURL) > maxBankURL {
		return fmt.Errorf("must be https://host, under which banks reach GAROUPA_BANK_LISTEN, without user and query, "+
			"of up to %d characters", maxBankURL)
	}
	return nil
}

func (s *settings) checkBankTLS() error {
	if (s.BankTLSCert == "") != (s.BankTLSKey == "") {
		return errors.New("and GAROUPA_BANK_TLS_KEY must be set together")
	}
	return nil
}

func (s *settings) checkBankCertHeader() error {
	switch {
	case s.BankCertHeader == "":
		return nil
	case s.BankTLSCert != "":
		return errors.New("must not be set beside GAROUPA_BANK_TLS_CERT: the certificate comes from the bank itself, " +
			"or from a proxy")
	case s.TrustedProxies == "":
		return errors.New("needs GAROUPA_TRUSTED_PROXIES: it is believed from those proxies alone")
	case !httpguts.ValidHeaderFieldName(s.BankCertHeader):
		return errors.New("is not the name of a header")
	}
	return nil
}

// bankListener is the address for notices of banks. It is nil if the gateway receives none.
type bankListener struct {
	listener net.Listener
	files    *banks.CertificateFiles // nil behind a proxy that ends TLS
	receiver *banks.Receiver
	server   *http.Server
}

// listenForBanks begins to listen. The error names the setting.
func listenForBanks(s settings) (*bankListener, error) {
	if s.BankListen == "" {
		return nil, nil
	}
	b := &bankListener{}
	var err error
	if s.BankTLSCert != "" {
		if b.files, err = banks.OpenCertificateFiles(s.BankTLSCert, s.BankTLSKey, slog.Default()); err != nil {
			return nil, fmt.Errorf("GAROUPA_BANK_TLS_CERT: %w", err)
		}
	}
	if b.listener, err = net.Listen("tcp", s.BankListen); err != nil {
		return nil, fmt.Errorf("GAROUPA_BANK_LISTEN: %w", err)
	}
	return b, nil
}

// close ends an address that was never served.
func (b *bankListener) close() error {
	if b == nil {
		return nil
	}
	if err := b.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// serve receives notices until stop. failed gets the error of a server that ends by itself. received is
// called after each notice.
func (b *bankListener) serve(ctx context.Context, s settings, services *services, received func(),
	failed chan<- error) {
	if b == nil {
		return
	}
	b.receiver = services.banks.Receiver(banks.ReceiverOptions{CertHeader: s.BankCertHeader, Proxies: s.proxies,
		Received: received})
	guard.Go("count notices", func() { guard.Keep(ctx, "count notices", b.receiver.KeepCounts) })
	var certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	if b.files != nil {
		certificate = b.files.Certificate
	}
	b.server = b.receiver.Server(certificate)
	guard.Go("receive notices", func() {
		err := guard.Call("receive notices", func() error {
			if certificate != nil {
				return b.server.ServeTLS(b.listener, "", "")
			}
			return b.server.Serve(b.listener)
		})
		if !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("receive notices: %w", err)
		}
	})
}

// noticesEndWithin is how long a stop waits for notices in progress. The bank posts again what was not
// answered.
const noticesEndWithin = 2 * time.Second

// stop lets notices in progress finish.
func (b *bankListener) stop(ctx context.Context) error {
	if b == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, noticesEndWithin)
	defer cancel()
	err := b.server.Shutdown(soon)
	if errors.Is(err, context.DeadlineExceeded) {
		err = b.server.Close()
	}
	b.receiver.WriteCounts(ctx)
	if err != nil {
		return fmt.Errorf("stop receiving notices: %w", err)
	}
	return nil
}
