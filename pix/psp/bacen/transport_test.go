package bacen_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// Without a connection that is verified on both sides nothing was done, whatever TLS version finds
// that out.
func TestTLS(t *testing.T) {
	t.Parallel()
	other, _ := newCertificate(t, time.Now().Add(time.Hour))
	for name, change := range map[string]func(*bacen.Options){
		"the bank's authority is unknown": func(o *bacen.Options) { o.Roots = x509.NewCertPool() },
		"the bank does not trust ours":    func(o *bacen.Options) { o.Certificate = other },
		"another host": func(o *bacen.Options) {
			o.BaseURL = strings.Replace(o.BaseURL, "127.0.0.1", "localhost", 1)
		},
		"nobody there": func(o *bacen.Options) { o.BaseURL = "https://127.0.0.1:1/v2" },
	} {
		p := play(t, answer(201, cob(t, nil)))
		change(&p.Options)
		_, err := open(t, p.Options).PutCharge(t.Context(), charge())
		kind(t, err, psp.Unavailable)
		if strings.Contains(err.Error(), "https://") || len(p.seen()) > 0 {
			t.Errorf("%s: %v, calls %v", name, err, p.seen())
		}
	}
}

func TestAnswer_TooLong(t *testing.T) {
	t.Parallel()
	p := play(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"status":"`)
		io.Copy(w, io.LimitReader(endless{}, 8<<20))
		io.WriteString(w, `"}`)
	})
	_, err := p.Charge(t.Context(), txID)
	if e := kind(t, err, psp.Protocol); !strings.Contains(e.Detail, "bytes") {
		t.Errorf("%v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'A'
	}
	return len(b), nil
}

// An answer that ends early is no answer.
func TestAnswer_CutOff(t *testing.T) {
	t.Parallel()
	cutOff := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"status"`)
	}
	_, err := play(t, cutOff).Charge(t.Context(), txID)
	kind(t, err, psp.Unavailable)
	_, err = play(t, script(cutOff, answer(200, cob(t, nil)))).PutCharge(t.Context(), charge())
	if err != nil {
		t.Errorf("a creation whose answer was cut off: %v", err)
	}
}

// The test bank holds no money, so its answers count only where that is meant.
func TestTestBank(t *testing.T) {
	t.Parallel()
	handle := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Banco-De-Mentira", "sim")
		answer(201, cob(t, nil))(w, r)
	}
	_, err := play(t, handle).PutCharge(t.Context(), charge())
	kind(t, err, psp.Protocol)
	allowed := play(t, handle, func(o *bacen.Options) { o.AllowTestBank = true })
	if _, err := allowed.PutCharge(t.Context(), charge()); err != nil {
		t.Error(err)
	}
}

// The proxy is the configured one, asked by CONNECT, so that it sees no content.
func TestProxy(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	p := play(t, answer(200, ""), func(o *bacen.Options) { o.Proxy, _ = url.Parse(proxy.URL) })
	_, err := p.Charge(t.Context(), txID)
	kind(t, err, psp.Unavailable)
	bank, _ := url.Parse(p.Options.BaseURL)
	if got := <-asked; got != "CONNECT "+bank.Host {
		t.Errorf("the proxy was asked %s", got)
	}
}

// Errors come in many shapes. Each keeps the bank's name and words, if it has any.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status     int
		body       string
		kind       psp.Kind
		name, says string
	}{
		{404, `{"type":"https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado","title":"a","status":404,"detail":"b"}`,
			psp.NotFound, "CobNaoEncontrado", "b"},
		{410, `{"type":"about:blank","title":"gone","status":"410"}`, psp.NotFound, "about:blank", "gone"},
		{400, `{"nome":"valor_invalido","mensagem":"c"}`, psp.Invalid, "valor_invalido", "c"},
		{409, `{"nome":"txid_duplicado","mensagem":"d"}`, psp.Conflict, "txid_duplicado", "d"},
		{422, `{"erros":[{"codigo":4769,"versao":"1","mensagem":"e","ocorrencia":"f"}]}`, psp.Invalid, "4769", "e"},
		{403, `{"erros":{"codigo":"1","mensagem":"g"}}`, psp.Forbidden, "1", "g"},
		{403, `{"statusCode":403,"error":"Forbidden","message":"h"}`, psp.Forbidden, "Forbidden", "h"},
		{500, `{"error":"oops","error_description":"i"}`, psp.Unavailable, "oops", "i"},
		{502, `<html><title>Bad gateway</title></html>`, psp.Unavailable, "", ""},
		{408, ``, psp.Unavailable, "", ""},
		{404, `[]`, psp.NotFound, "", ""},
		{404, `"missing"`, psp.NotFound, "", ""},
		{400, `{"type":{"x":1},"detail":"j","violacoes":"none"}`, psp.Invalid, "", "j"},
		{418, ``, psp.Invalid, "", ""},
	} {
		t.Run(fmt.Sprint(tc.status, tc.name), func(t *testing.T) {
			t.Parallel()
			_, err := play(t, answer(tc.status, tc.body)).Charge(t.Context(), txID)
			if e := kind(t, err, tc.kind); e.Type != tc.name || e.Detail != tc.says || e.Status != tc.status {
				t.Errorf("type %q, detail %q, status %d", e.Type, e.Detail, e.Status)
			}
		})
	}
}
