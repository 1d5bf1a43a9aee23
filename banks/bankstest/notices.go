package bankstest

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"garoupa/banks"
	"garoupa/internal/guard"
	"garoupa/models"
)

// Notices is an address to which the house's bank posts notices, over real TLS.
type Notices struct {
	*banks.Receiver
	URL      string        // without the token
	Received chan struct{} // gets a value for each notice that was written and answered
}

// Receive gives the house an address for notices, which is not registered yet. Its certificate is the one that
// the bank's folder has for it.
func (h *House) Receive(t testing.TB) *Notices {
	t.Helper()
	certificate, err := h.Bank.Folder.Notices()
	if err != nil {
		t.Fatal(err)
	}
	n := h.ReceiveBy(t, banks.ReceiverOptions{}, func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &certificate, nil
	})
	h.Banks.NoticesURL = n.URL
	return n
}

// ReceiveBy serves notices with some options and certificate, nil for none.
func (h *House) ReceiveBy(t testing.TB, o banks.ReceiverOptions,
	certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *Notices {
	t.Helper()
	n := &Notices{Received: make(chan struct{}, 1000)}
	o.Received = func() { n.Received <- struct{}{} }
	n.Receiver = h.Banks.Receiver(o)
	server := n.Server(certificate)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	serve := func() error { return server.Serve(listener) }
	if n.URL = "http://localhost:" + port; certificate != nil {
		n.URL = "https://localhost:" + port
		serve = func() error { return server.ServeTLS(listener, "", "") }
	}
	ended := make(chan struct{})
	guard.Go("serve notices", func() {
		defer close(ended)
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the address for notices ended: %v", err)
		}
	})
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return n
}

// Register tells the bank where to post notices.
func (h *House) Register(t testing.TB) {
	t.Helper()
	if err := h.Banks.RegisterNotices(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
}

// Follow follows the notices that are due.
func (h *House) Follow(t testing.TB) {
	t.Helper()
	if _, err := h.FollowNotices(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
}

// Path returns the path to which the house's bank posts, before "/pix".
func (h *House) Path(t testing.TB) string {
	t.Helper()
	account, err := models.BankAccountByID(t.Context(), h.DB, h.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Vault.Open(models.SealedNoticeToken.Place(account.ID), account.NoticeToken)
	if err != nil {
		t.Fatal(err)
	}
	return "/bank/" + token
}

// Post posts a body, with the bank's certificate or another one, and returns the answer's status.
func (h *House) Post(t testing.TB, url, body string, certificates ...tls.Certificate) int {
	t.Helper()
	return h.Send(t, http.MethodPost, url, nil, body, certificates...).StatusCode
}

// Certificate returns the bank's certificate.
func (h *House) Certificate(t testing.TB) tls.Certificate {
	t.Helper()
	certificate, err := h.Bank.Folder.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// Send sends a request, on a connection of its own.
func (h *House) Send(t testing.TB, method, url string, header http.Header, body string,
	certificates ...tls.Certificate) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	request.Close = true
	answer, err := h.Bank.ClientWith(t, certificates...).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}
