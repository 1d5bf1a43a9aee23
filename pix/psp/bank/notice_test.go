package bank_test

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"garoupa/pix/psp/bank/control"
)

// listener is the account's software where it receives notices.
type listener struct {
	*httptest.Server
	got    chan notice
	closed chan struct{} // when a connection has ended
}

// notice is a request that the listener has received.
type notice struct {
	path   string
	proven bool // by the bank's certificate
	body   string
}

// listen serves an address for notices. answer says what it answers; nil is 200 always.
func (a *api) listen(answer func(notice) int) *listener {
	a.t.Helper()
	l := &listener{got: make(chan notice, 100), closed: make(chan struct{}, 100)}
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := notice{r.URL.Path, len(r.TLS.VerifiedChains) > 0, string(body)}
		w.Header().Set("Location", "/elsewhere") // for answers that redirect
		if answer != nil {
			w.WriteHeader(answer(n))
		}
		l.got <- n
	}))
	certificate, err := a.Folder.Notices()
	if err != nil {
		a.t.Fatal(err)
	}
	authorities, err := a.Folder.Authorities()
	if err != nil {
		a.t.Fatal(err)
	}
	l.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.VerifyClientCertIfGiven,
		ClientCAs: authorities}
	l.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			l.closed <- struct{}{}
		}
	}
	l.StartTLS()
	a.t.Cleanup(l.Close)
	return l
}

// register makes the bank post its notices to the listener.
func (a *api) register(l *listener) {
	a.t.Helper()
	got := a.must(http.StatusOK, "PUT", "/webhook/"+a.Folder.Account.PixKey, object{"webhookUrl": l.URL + "/aviso"})
	if got["webhookUrl"] != l.URL+"/aviso" {
		a.t.Errorf("registered %v", got)
	}
}

// ids returns the EndToEndIDs of a notice.
func (n notice) ids(t testing.TB) (ids []string) {
	t.Helper()
	var body struct {
		Pix []struct {
			EndToEndID string `json:"endToEndId"`
		} `json:"pix"`
	}
	if err := json.Unmarshal([]byte(n.body), &body); err != nil {
		t.Fatalf("%s: %v", n.body, err)
	}
	for _, p := range body.Pix {
		ids = append(ids, p.EndToEndID)
	}
	return ids
}

// A payment of a charge and the end of its return are told, with the bank's certificate, at the
// registered address and /pix. A payment without a TxID is not.
func TestNotice(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(nil)
	a.register(l)
	a.pay(control.PayRequest{Code: a.create(1, "1.00"), NoTxID: true})
	ids := a.pay(control.PayRequest{Code: a.create(2, "1.00")})
	n := <-l.got
	if got := n.ids(t); n.path != "/aviso/pix" || !n.proven || !slices.Equal(got, ids) {
		t.Errorf("the notice is %+v, not of %v", n, ids)
	}
	a.must(http.StatusCreated, "PUT", "/pix/"+ids[0]+"/devolucao/d1", object{"valor": "1.00"})
	if n := <-l.got; !slices.Equal(n.ids(t), ids) {
		t.Errorf("the notice of the return is %+v", n)
	}
}

// A notice that is not received is posted again, also by a bank that was started again.
func TestNotice_Again(t *testing.T) {
	t.Parallel()
	a := generic(t)
	answers := make(chan int, 100)
	answers <- http.StatusInternalServerError
	answers <- http.StatusTooManyRequests
	for range 90 {
		answers <- http.StatusOK
	}
	l := a.listen(func(notice) int { return <-answers })
	a.register(l)
	ids := a.pay(control.PayRequest{Code: a.create(1, "1.00")})
	first := <-l.got
	a.Stop()
	a.Start(t)
	second, third := <-l.got, <-l.got
	if !slices.Equal(first.ids(t), ids) || second.body == "" || !slices.Equal(third.ids(t), ids) {
		t.Errorf("the notices are %+v, %+v, %+v", first, second, third)
	}
	wait(t, func() bool {
		state, err := a.Control.State(t.Context())
		return err == nil && state.Notices == 0
	})
}

// The log reports a notice that failed, without its address, because the address may have a secret.
func TestNotice_Log(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.must(http.StatusOK, "PUT", "/webhook/"+a.Folder.Account.PixKey,
		object{"webhookUrl": "https://localhost:1/aviso?hmac=segredo"})
	a.pay(control.PayRequest{Code: a.create(1, "1.00")})
	wait(t, func() bool { return strings.Contains(a.Log.String(), "a notice was not received") })
	if log := a.Log.String(); strings.Contains(log, "segredo") {
		t.Errorf("the log says %s", log)
	}
}

// Notices can be withheld, doubled, bare, or forged.
func TestFault_Notices(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(nil)
	a.register(l)
	n := 0
	pay := func(fault string) []string {
		a.t.Helper()
		if err := a.Control.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.fault(control.Fault{Name: fault})
		n++
		return a.pay(control.PayRequest{Code: a.create(n, "1.00")})
	}
	pay("no-notices")
	ids := pay("double-notices")
	if first, second := <-l.got, <-l.got; !slices.Equal(first.ids(t), ids) || first.body != second.body {
		t.Errorf("doubled: %+v and %+v of %v", first, second, ids)
	}
	pay("array-notices")
	if bare := <-l.got; bare.body[0] != '[' {
		t.Errorf("bare: %+v", bare)
	}
	ids = pay("forged-notice")
	without, foreign, false_, true_ := <-l.got, <-l.got, <-l.got, <-l.got
	if without.proven || !foreign.proven || slices.Equal(foreign.ids(t), ids) || !slices.Equal(false_.ids(t), ids) ||
		false_.body == true_.body || !slices.Equal(true_.ids(t), ids) {
		t.Errorf("forged: %+v, %+v, %+v, %+v", without, foreign, false_, true_)
	}
}

// A webhook is registered, read, listed and removed. Its address is https, and its key the account's.
func TestWebhook(t *testing.T) {
	t.Parallel()
	a := generic(t)
	path := "/webhook/" + a.Folder.Account.PixKey
	a.refused(http.StatusNotFound, "WebhookNaoEncontrado", "GET", path, nil)
	for _, address := range []string{"http://localhost", "nada", ""} {
		a.refused(http.StatusBadRequest, "WebhookOperacaoInvalida", "PUT", path, object{"webhookUrl": address})
	}
	a.refused(http.StatusBadRequest, "WebhookOperacaoInvalida", "PUT", "/webhook/outra",
		object{"webhookUrl": "https://localhost"})
	a.must(http.StatusOK, "PUT", path, object{"webhookUrl": "https://localhost/aviso"})
	if w := a.must(http.StatusOK, "GET", path, nil); w["webhookUrl"] != "https://localhost/aviso" {
		t.Errorf("the webhook is %v", w)
	}
	if all := a.must(http.StatusOK, "GET", "/webhook", nil); len(all["webhooks"].([]any)) != 1 {
		t.Errorf("the webhooks are %v", all)
	}
	a.must(http.StatusNoContent, "DELETE", path, nil)
	a.refused(http.StatusNotFound, "WebhookNaoEncontrado", "DELETE", path, nil)
}
