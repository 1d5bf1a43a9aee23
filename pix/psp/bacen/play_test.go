package bacen_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

const pixKey = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906"

var txID = pix.ChargeTxID("chk_0123456789abcdef0123")

// clock is time that passes only when the client waits.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	return ctx.Err()
}

func (c *clock) waited() (longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.waits {
		longest = max(longest, d)
	}
	return longest
}

// played is a bank that answers what a test wants, over TLS with client certificates.
type played struct {
	*bacen.Client
	Options bacen.Options
	Clock   *clock
	Log     *strings.Builder

	mu    sync.Mutex
	calls []string // method and path
	body  []byte   // of the last call with one
	asked int      // requests for tokens
	token http.HandlerFunc
}

// play starts the bank. handle answers everything but requests for tokens.
func play(t *testing.T, handle http.HandlerFunc, change ...func(*bacen.Options)) *played {
	t.Helper()
	p := &played{Clock: &clock{now: time.Now()}, Log: &strings.Builder{}}
	p.token = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"access_token":"secret-token","token_type":"Bearer","expires_in":3600}`)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.HasSuffix(r.URL.Path, "/token") {
			p.mu.Lock()
			p.asked++
			p.mu.Unlock()
			p.token(w, r)
			return
		}
		p.mu.Lock()
		p.calls = append(p.calls, r.Method+" "+r.URL.Path)
		if len(body) > 0 {
			p.body = body
		}
		p.mu.Unlock()
		handle(w, r)
	}))
	certificate, authorities := newCertificate(t, time.Now().Add(365*24*time.Hour))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authorities}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	p.Options = bacen.Options{
		Profile: profile(t, "generic"), BaseURL: server.URL + "/v2", Certificate: certificate, Roots: roots,
		ClientID: "loja", ClientSecret: "client-secret", PixKey: pixKey, Now: p.Clock.Now, Wait: p.Clock.Wait,
		Log: slog.New(slog.NewTextHandler(p.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&p.Options)
	}
	p.Client = open(t, p.Options)
	return p
}

func open(t *testing.T, o bacen.Options) *bacen.Client {
	t.Helper()
	client, err := bacen.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func profile(t *testing.T, name string) bacen.Profile {
	t.Helper()
	all, err := bacen.Profiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := bacen.Named(all, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newCertificate returns a client certificate and the authority that the bank trusts.
func newCertificate(t *testing.T, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loja"},
		NotBefore: time.Now().Add(-2000 * time.Hour), NotAfter: until, IsCA: true,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// seen returns the calls so far, without those for tokens.
func (p *played) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}

func (p *played) tokensAsked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// sent returns the body of the last call that had one.
func (p *played) sent(t *testing.T) (body map[string]any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal(p.body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// answer returns a handler with one answer.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// script answers each call with the next handler, and further ones with the last.
func script(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handlers[min(next, len(handlers)-1)]
		next++
		mu.Unlock()
		h(w, r)
	}
}

// lost ends the connection without an answer.
func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func charge() psp.Charge {
	return psp.Charge{TxID: txID, Amount: 37_00, ExpiresIn: time.Hour, MerchantName: "Ateliê Aurora",
		City: "São Paulo", Description: "Pedido 1"}
}

// code returns a dynamic code of an amount.
func code(t *testing.T, amount int64) string {
	t.Helper()
	text, err := pix.Encode(pix.Code{Location: "banco.example/qr/v2/1", Amount: amount, MerchantName: "LOJA",
		MerchantCity: "RIO"})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// cob returns a charge as banks write it, with members replaced.
func cob(t *testing.T, change map[string]any) string {
	t.Helper()
	members := map[string]any{
		"calendario": map[string]any{"criacao": "2026-11-23T20:15:00.358Z", "expiracao": 3600},
		"txid":       txID, "revisao": 0, "location": "banco.example/qr/v2/1", "status": "ATIVA",
		"valor": map[string]any{"original": "37.00"}, "chave": pixKey, "pixCopiaECola": code(t, 37_00),
	}
	for name, value := range change {
		if members[name] = value; value == nil {
			delete(members, name)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// kind fails the test unless err is of the kind.
func kind(t *testing.T, err error, want psp.Kind) *psp.Error {
	t.Helper()
	e, ok := err.(*psp.Error)
	if !ok || e.Kind != want {
		t.Fatalf("the error is %v, want kind %q", err, want)
	}
	if e.Op == "" {
		t.Errorf("%v has no operation", err)
	}
	return e
}

// kindOf returns the kind of an error, "" if it has none.
func kindOf(err error) psp.Kind {
	var e *psp.Error
	errors.As(err, &e)
	if e == nil {
		return ""
	}
	return e.Kind
}
