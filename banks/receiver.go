package banks

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	maxNotice     = 1 << 20 // bytes
	noticesAtOnce = 64
	noticeWithin  = 10 * time.Second
	// maxHints is how many hints of a notice are stored. Many fewer already make the gateway read the whole
	// list.
	maxHints = 100
	// accountsFor is how long a Receiver trusts what it knows of the accounts. For a token that it does not
	// know it looks again after unknownFor.
	accountsFor, unknownFor = readAgainAfter, time.Second
)

// ReceiverOptions configure a Receiver.
type ReceiverOptions struct {
	// CertHeader is the header in which a proxy that ends TLS passes the client certificate on; "" for none.
	// It is believed from Proxies alone.
	CertHeader string
	Proxies    []netip.Prefix
	// Received is called after a notice was written and answered. It must not block.
	Received func()
}

// Receiver is the handler of the address to which banks post notices: POST /bank/{token} and
// /bank/{token}/pix. A notice moves no money: the ids in it are stored, and the bank is read. It is safe for
// concurrent use.
type Receiver struct {
	ReceiverOptions
	banks  *Service
	routes *http.ServeMux
	places chan struct{}
	counts noticeCounts

	mu       sync.Mutex
	accounts map[[sha256.Size]byte]receiving // by the digest of the token
	found    time.Time
}

// receiving is an account whose bank posts notices.
type receiving struct {
	id    string
	proof proof
	err   error // why no request can prove to be the bank's
}

// Receiver returns the handler of notices.
func (s *Service) Receiver(o ReceiverOptions) *Receiver {
	r := &Receiver{ReceiverOptions: o, banks: s, routes: http.NewServeMux(), places: make(chan struct{}, noticesAtOnce)}
	r.routes.HandleFunc("POST "+noticePath+"{token}", r.receive)
	r.routes.HandleFunc("POST "+noticePath+"{token}/pix", r.receive)
	return r
}

// Server returns a server for the handler. It asks clients for certificates and takes any, because each
// bank proves itself in another way. certificate returns the server's own; it is nil behind a proxy that ends
// TLS.
func (r *Receiver) Server(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *http.Server {
	s := &http.Server{
		Handler: r, ReadTimeout: noticeWithin, WriteTimeout: 2 * noticeWithin, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(r.banks.Log.Handler(), slog.LevelDebug),
	}
	if certificate != nil {
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert,
			GetCertificate: certificate}
	}
	return s
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	select {
	case r.places <- struct{}{}:
	default:
		r.counts.add("", models.NoticeTooMany)
		busy(w)
		return
	}
	defer func() { <-r.places }()
	ctx, cancel := context.WithTimeout(request.Context(), noticeWithin)
	defer cancel()
	if err := guard.Call("receive a notice", func() error {
		r.routes.ServeHTTP(w, request.WithContext(ctx))
		return nil
	}); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// busy asks the bank to post the notice again.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "2")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// receive answers a notice. It is written before it is answered.
func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) {
	account, known, err := r.account(request.Context(), tokenDigest(request.PathValue("token")))
	switch {
	case err != nil:
		r.banks.DB.LogFailure(request.Context(), "receive a notice", err)
		busy(w)
		return
	case !known:
		r.refuse(w, http.StatusNotFound, "", models.NoticeUnknownToken)
		return
	case account.err != nil,
		!account.proof.holds(certificates(request, r.CertHeader, r.Proxies), r.banks.now()):
		r.refuse(w, http.StatusUnauthorized, account.id, models.NoticeUnproven)
		return
	}
	status, written := r.take(w, request, account.id)
	if status == http.StatusServiceUnavailable {
		busy(w)
		return
	}
	w.WriteHeader(status)
	if written && r.Received != nil {
		_ = http.NewResponseController(w).Flush() // a bank that is gone has told us all the same
		r.Received()
	}
}

// refuse answers a stranger. The body is not waited for.
func (r *Receiver) refuse(w http.ResponseWriter, status int, accountID string, why models.NoticeRefusal) {
	r.counts.add(accountID, why)
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// take reads a notice that is the bank's, and writes it.
func (r *Receiver) take(w http.ResponseWriter, request *http.Request, accountID string) (status int, written bool) {
	ctx := request.Context()
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxNotice))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		r.counts.add(accountID, models.NoticeTooLarge)
		return http.StatusRequestEntityTooLarge, false
	} else if err != nil {
		return http.StatusBadRequest, false // the bank has gone, or is slower than it may be
	}
	bank, err := r.banks.For(ctx, accountID)
	if err != nil {
		r.banks.DB.LogFailure(ctx, "receive a notice", err)
		return http.StatusServiceUnavailable, false
	}
	hints, err := bank.Hints(body)
	if err != nil {
		r.counts.add(accountID, models.NoticeGarbage)
		return http.StatusBadRequest, false
	}
	written, err = r.write(ctx, accountID, body, hints)
	if err != nil {
		r.banks.DB.LogFailure(ctx, "write a notice", err)
		return http.StatusServiceUnavailable, false
	}
	if !written {
		r.counts.add(accountID, models.NoticeTwice)
	}
	return http.StatusOK, written
}

func (r *Receiver) write(ctx context.Context, accountID string, body []byte, hints []psp.Hint) (bool, error) {
	n := &models.BankNotice{BankAccountID: accountID, ReceivedAt: r.banks.now()}
	for _, hint := range hints[:min(len(hints), maxHints)] {
		n.Hints = append(n.Hints, models.NoticeHint(hint))
	}
	digest := sha256.Sum256(body)
	written, err := models.InsertBankNotice(ctx, r.banks.DB.Pool, n, digest[:])
	if err != nil {
		return false, fmt.Errorf("banks: write a notice: %w", err)
	}
	return written, nil
}

// account returns the account of a token with this digest. Accounts are read together and kept for some
// seconds, so that strangers cost the database nothing.
func (r *Receiver) account(ctx context.Context, digest []byte) (a receiving, known bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	age := r.banks.Now().Sub(r.found).Abs()
	if a, known = r.accounts[[sha256.Size]byte(digest)]; age < unknownFor || known && age < accountsFor {
		return a, known, nil
	}
	all, err := models.ReceivingBankAccounts(ctx, r.banks.DB)
	if err != nil {
		return a, false, fmt.Errorf("banks: read the accounts: %w", err)
	}
	r.accounts, r.found = make(map[[sha256.Size]byte]receiving, len(all)), r.banks.Now()
	for i := range all {
		one := receiving{id: all[i].ID}
		profile, err := r.banks.profile(&all[i])
		if err == nil {
			one.proof, err = newProof(profile.NoticeProof)
		}
		one.err = err
		r.accounts[[sha256.Size]byte(all[i].NoticeDigest)] = one
	}
	a, known = r.accounts[[sha256.Size]byte(digest)]
	return a, known, nil
}
