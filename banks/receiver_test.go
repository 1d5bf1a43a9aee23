package banks_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// issued returns another certificate of the bank's authority.
func issued(t *testing.T, h *bankstest.House, commonName string, until time.Time) tls.Certificate {
	t.Helper()
	certificate, key, err := h.Bank.Folder.Issue(commonName, time.Now().Add(-time.Hour), until,
		x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// counts returns how often requests were refused.
func counts(t *testing.T, h *bankstest.House, n *bankstest.Notices) map[models.NoticeRefusal]int64 {
	t.Helper()
	n.WriteCounts(t.Context())
	counted, err := models.NoticeCounts(t.Context(), h.DB.Pool, h.AccountID, time.Now().Add(-2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return counted
}

// Only the bank's certificate on the account's own path is heard, and nothing else is served.
func TestReceiver_Proof(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	path, bank := h.Path(t), h.Certificate(t)
	other := bankstest.New(t) // with another authority
	soon, ended := time.Now().Add(time.Hour), time.Now().Add(-time.Minute)
	for what, tc := range map[string]struct {
		path   string
		with   []tls.Certificate
		status int
	}{
		"the bank":                       {path, []tls.Certificate{bank}, 200},
		"the bank, as banks post":        {path + "/pix", []tls.Certificate{bank}, 200},
		"no certificate":                 {path, nil, 401},
		"another name":                   {path, []tls.Certificate{issued(t, h, "loja", soon)}, 401},
		"a certificate that has ended":   {path, []tls.Certificate{issued(t, h, "banco.teste", ended)}, 401},
		"the same name, another company": {path, []tls.Certificate{other.Certificate(t)}, 401},
		"an unknown token":               {"/bank/" + strings.Repeat("a", 64), []tls.Certificate{bank}, 404},
		"an empty token":                 {"/bank/", []tls.Certificate{bank}, 404},
		"the digest of the token": {"/bank/" + modelstest.One[string](t, h.DB,
			"SELECT encode(notice_digest, 'hex') FROM bank_accounts"), []tls.Certificate{bank}, 404},
		"another path": {path + "/recs", []tls.Certificate{bank}, 404},
		"the root":     {"/", []tls.Certificate{bank}, 404},
		"the health":   {"/healthz", []tls.Certificate{bank}, 404},
	} {
		if got := h.Post(t, n.URL+tc.path, "{}", tc.with...); got != tc.status {
			t.Errorf("%s: %d, want %d", what, got, tc.status)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if got := h.Send(t, method, n.URL+path, nil, "", bank).StatusCode; got != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, got)
		}
	}
	if got := counts(t, h, n); got[models.NoticeUnproven] != 4 || got[models.NoticeUnknownToken] != 2 {
		t.Errorf("counted %v", got)
	}
	if rows := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_notices"); rows != 2 {
		t.Errorf("%d notices are stored, want 2", rows)
	}
}

// An object, a bare array and an empty body are notices. A body that is no JSON, or is too long, is refused.
// Only ids are stored.
func TestReceiver_F18_Garbage(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	address, bank := n.URL+h.Path(t), h.Certificate(t)
	for body, want := range map[string]int{
		"": 200, " ": 200, "{}": 200, "[]": 200, `{"evento":"teste_webhook"}`: 200,
		`{"pix":[{"endToEndId":"E1","txid":"t1","valor":"1.00","pagador":{"cpf":"52998224725"}}]}`: 200,
		`[{"endToEndId":"E2","devolucoes":[{"id":"d1"}],"infoPagador":"segredo"}]`:                 200,
		"garbage": 400, "{": 400, "<html>": 400, "1": 400, "\x00": 400, `{"pix":"x"}`: 400,
		strings.Repeat(" ", 1<<20):            200,
		strings.Repeat(" ", 1<<20+1):          413,
		`{"x":"` + strings.Repeat("y", 2<<20): 413,
	} {
		if got := h.Post(t, address, body, bank); got != want {
			t.Errorf("%.40q: %d, want %d", body, got, want)
		}
	}
	if got := counts(t, h, n); got[models.NoticeGarbage] != 6 || got[models.NoticeTooLarge] != 2 {
		t.Errorf("counted %v", got)
	}
	rows := modelstest.Column[string](t, h.DB, "SELECT n::text FROM bank_notices n")
	for _, secret := range []string{"52998224725", "segredo", "1.00"} {
		if strings.Contains(strings.Join(rows, " "), secret) {
			t.Errorf("%q is stored", secret)
		}
	}
	const waiting = "SELECT string_agg(hints::text, ' ' ORDER BY id) FROM bank_notices WHERE done_at IS NULL"
	got := modelstest.One[string](t, h.DB, waiting)
	for _, want := range []string{`{"txid": "t1", "endToEndId": "E1"}`, `{"returnId": "d1", "endToEndId": "E2"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the hints are %s, without %s", got, want)
		}
	}
}

// The same body is stored once while it waits, however many post it at the same time.
func TestReceiver_Repeated(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	address, bank := n.URL+h.Path(t), h.Certificate(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := h.Post(t, address, `{"pix":[{"endToEndId":"E1"}]}`, bank); got != 200 {
				t.Errorf("%d", got)
			}
		})
	}
	all.Wait()
	if rows := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_notices"); rows != 1 {
		t.Errorf("%d rows", rows)
	}
	if got := counts(t, h, n); got[models.NoticeTwice] != 7 {
		t.Errorf("counted %v", got)
	}
}

// A request beyond 64 is asked to come again.
func TestReceiver_TooMany(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	address, bank := n.URL+h.Path(t), h.Certificate(t)
	bodies := make([]*io.PipeWriter, 64)
	var all sync.WaitGroup
	client := h.Bank.ClientWith(t, bank)
	transport := client.Transport.(*http.Transport)
	transport.ForceAttemptHTTP2, transport.ExpectContinueTimeout = false, time.Minute
	for i := range bodies {
		var body *io.PipeReader
		body, bodies[i] = io.Pipe()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Expect", "100-continue") // the body is sent once the server reads it
		all.Go(func() {
			answer, err := client.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != 200 {
				t.Errorf("a slow one: %d", answer.StatusCode)
			}
		})
	}
	for _, body := range bodies { // what is written was asked for, so all are being answered
		if _, err := body.Write([]byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	busy := h.Send(t, http.MethodPost, address, nil, "{}", bank)
	if busy.StatusCode != http.StatusServiceUnavailable || busy.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d", busy.StatusCode)
	}
	for _, body := range bodies {
		_, _ = body.Write([]byte("}"))
		body.Close()
	}
	all.Wait()
	if got := h.Post(t, address, "{}", bank); got != 200 {
		t.Errorf("afterwards: %d", got)
	}
	if got := counts(t, h, n); got[models.NoticeTooMany] != 1 {
		t.Errorf("counted %v", got)
	}
}

// Behind a proxy that ends TLS, the certificate in its header counts, in each form that proxies write, and
// that in a header of any other peer does not.
func TestReceiver_Header(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	certificate := h.Certificate(t)
	der := certificate.Certificate[0]
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	other := issued(t, h, "loja", time.Now().Add(time.Hour)).Certificate[0]
	const header = "X-Client-Cert"
	behind := func(proxies ...string) *bankstest.Notices {
		o := banks.ReceiverOptions{CertHeader: header}
		for _, p := range proxies {
			o.Proxies = append(o.Proxies, netip.MustParsePrefix(p))
		}
		return h.ReceiveBy(t, o, nil)
	}
	trusted, strange := behind("127.0.0.0/8", "::1/128"), behind("192.0.2.0/24")
	for what, values := range map[string][]string{
		"percent-encoded PEM, as nginx": {url.QueryEscape(text)},
		"PEM with its own signs, as AWS": {strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(
			url.PathEscape(text), "%2B", "+"), "%2F", "/"), "%3D", "=")},
		"DER in base64, as HAProxy": {base64.StdEncoding.EncodeToString(der)},
	} {
		value := strings.ReplaceAll(values[0], "+CERT", "%20CERT")
		sent := http.Header{header: {value}}
		if got := h.Send(t, http.MethodPost, trusted.URL+h.Path(t), sent, "{}").StatusCode; got != 200 {
			t.Errorf("%s: %d", what, got)
		}
		if got := h.Send(t, http.MethodPost, strange.URL+h.Path(t), sent, "{}").StatusCode; got != 401 {
			t.Errorf("%s, of a stranger: %d", what, got)
		}
	}
	good := base64.StdEncoding.EncodeToString(der)
	for what, values := range map[string][]string{
		"none": nil, "empty": {""}, "no certificate": {"(null)"}, "garbage": {"%zz"}, "a name": {"CN=banco.teste"},
		"another's":                  {base64.StdEncoding.EncodeToString(other)},
		"one beside the client's":    {base64.StdEncoding.EncodeToString(other), good},
		"the client's beside an own": {good, base64.StdEncoding.EncodeToString(other)},
	} {
		sent := http.Header{header: values}
		if got := h.Send(t, http.MethodPost, trusted.URL+h.Path(t), sent, "{}").StatusCode; got != 401 {
			t.Errorf("%s: %d", what, got)
		}
	}
	own := h.Receive(t) // the header means nothing where the listener ends TLS itself
	if got := h.Send(t, http.MethodPost, own.URL+h.Path(t), http.Header{header: {good}}, "{}").StatusCode; got != 401 {
		t.Errorf("at the listener itself: %d", got)
	}
}

// A bank without client certificates proves itself by the token alone.
func TestReceiver_Secret(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	modelstest.Exec(t, h.DB, `UPDATE bank_accounts SET overrides = overrides || '{"notice_proof": {"kind": "secret"}}'`)
	n := h.Receive(t)
	if got := h.Post(t, n.URL+h.Path(t), "{}"); got != 200 {
		t.Errorf("with the token: %d", got)
	}
	if got := h.Post(t, n.URL+"/bank/"+strings.Repeat("a", 64), "{}"); got != 404 {
		t.Errorf("with another one: %d", got)
	}
}

// A profile by which anyone could prove to be the bank is not heard, and not registered.
func TestReceiver_NoProof(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET overrides = overrides - 'notice_proof'")
	n := h.Receive(t)
	if got := h.Post(t, n.URL+h.Path(t), "{}", h.Certificate(t)); got != 401 {
		t.Errorf("heard: %d", got)
	}
	h.Register(t)
	got, err := models.BankRegistrationOf(t.Context(), h.DB.Pool, h.AccountID)
	if err != nil || got.Address != "" || !strings.Contains(got.Failure, "notice_proof") {
		t.Errorf("registered %+v, %v", got, err)
	}
}

// An account that retires is still heard, and one that is closed is not.
func TestReceiver_Retiring(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	for _, step := range []struct {
		status string
		want   int
	}{{"RETIRING", 200}, {"CLOSED", 404}} {
		modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = $1", step.status)
		h.Later(time.Minute)
		if got := h.Post(t, n.URL+h.Path(t), "{}", h.Certificate(t)); got != step.want {
			t.Errorf("%s: %d, want %d", step.status, got, step.want)
		}
	}
}
