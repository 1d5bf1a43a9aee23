package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"garoupa/internal/server/servertest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// noticedHouse is a house that receives notices of its bank, at url.
type noticedHouse struct {
	*house
	url string // with the token
}

// newNoticedHouse returns once the address for notices is registered at the bank.
func newNoticedHouse(t *testing.T, settings ...string) *noticedHouse {
	t.Helper()
	h := &noticedHouse{house: newHouse(t, settings...)}
	h.crash()
	_, port, _ := strings.Cut(servertest.Address(t), ":")
	url := "https://localhost:" + port
	h.env = append(h.env, "GAROUPA_BANK_LISTEN=127.0.0.1:"+port, "GAROUPA_BANK_URL="+url,
		"GAROUPA_BANK_TLS_CERT="+filepath.Join(h.bank.dir, "notices.crt"),
		"GAROUPA_BANK_TLS_KEY="+filepath.Join(h.bank.dir, "notices.key"))
	h.process = h.serve()
	h.registered(url)
	account, err := models.BankAccountByID(t.Context(), h.db.DB, h.accountID)
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.vault.Open(models.SealedNoticeToken.Place(account.ID), account.NoticeToken)
	if err != nil {
		t.Fatal(err)
	}
	h.url = url + "/bank/" + token
	return h
}

// registered waits until the bank was told to post notices below a URL.
func (h *noticedHouse) registered(url string) {
	h.t.Helper()
	h.until("the address is registered", func() bool {
		return modelstest.One[int](h.t, h.db.DB, "SELECT count(*) FROM bank_registrations WHERE address = $1", url) == 1
	})
}

// notify posts a notice with the bank's certificate, unless it is unproven, and returns the answer's status.
func (h *noticedHouse) notify(url, body string, unproven ...bool) int {
	h.t.Helper()
	authorities, err := h.bank.folder.Authorities()
	if err != nil {
		h.t.Fatal(err)
	}
	config := &tls.Config{RootCAs: authorities}
	if len(unproven) == 0 {
		certificate, err := h.bank.folder.Certificate()
		if err != nil {
			h.t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// unswept prevents sweeps, so that only notices make payments known.
func (h *noticedHouse) unswept() {
	h.t.Helper()
	modelstest.Exec(h.t, h.db.DB, "UPDATE bank_sweeps SET swept_at = now() + interval '1 h'")
	modelstest.Exec(h.t, h.db.DB, "UPDATE bank_charges SET next_check_at = now() + interval '1 h'"+
		" WHERE next_check_at IS NOT NULL")
}

// done waits until no notice waits, and returns what became of them.
func (h *noticedHouse) done() []string {
	h.t.Helper()
	h.until("the notices are done", func() bool {
		return modelstest.One[int](h.t, h.db.DB, "SELECT count(*) FROM bank_notices WHERE done_at IS NULL") == 0
	})
	return modelstest.Column[string](h.t, h.db.DB, "SELECT DISTINCT outcome FROM bank_notices ORDER BY outcome")
}

// refusals stops the program, which writes its counts then, and returns how often requests were refused.
func (h *noticedHouse) refusals() map[models.NoticeRefusal]int64 {
	h.t.Helper()
	h.stop(h.process, syscall.SIGTERM)
	counts := map[models.NoticeRefusal]int64{}
	for _, what := range []models.NoticeRefusal{models.NoticeUnknownToken, models.NoticeUnproven, models.NoticeGarbage,
		models.NoticeTooLarge} {
		counts[what] = modelstest.One[int64](h.t, h.db.DB,
			"SELECT coalesce(sum(n), 0)::bigint FROM bank_notice_counts WHERE what = $1", what)
	}
	return counts
}

// The notice comes before the row of the checkout is there: the checkout is PAID afterwards.
func TestBank_F14_EarlyNotice(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	tx, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), "LOCK TABLE checkouts IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	created := make(chan string, 1)
	go func() {
		_, id := h.create(h.key, "pedido-1")
		created <- id
	}()
	var txIDs []string
	h.until("the charge is stored", func() bool {
		txIDs = modelstest.Column[string](t, h.db.DB, "SELECT txid FROM bank_charges")
		return len(txIDs) == 1
	})
	var code string
	h.until("the bank has the charge", func() bool {
		_, code = h.bank.charge(http.MethodGet, txIDs[0])
		return code != ""
	})
	h.pay(control.PayRequest{Code: code})
	h.until("the notice is tried", func() bool {
		return modelstest.One[int](t, h.db.DB, "SELECT coalesce(max(tries), 0) FROM bank_notices") > 0
	})
	if n := modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM payments"); n != 0 {
		t.Errorf("%d payments before the checkout", n)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := <-created
	h.awaits(id, "PAID")
	h.done()
	h.told(id, createdAndPaid...)
	if got := h.cases(); len(got) > 0 {
		t.Errorf("cases %v", got)
	}
	h.sound()
}

// No notice comes: the program finds the payment by itself.
func TestBank_F15_NoticeLost(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	c := h.charge("pedido-1")
	h.fault(control.Fault{Name: "no-notices"})
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.awaits(c.ID, "PAID")
	if n := modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM bank_notices"); n != 0 {
		t.Errorf("%d notices", n)
	}
	h.told(c.ID, createdAndPaid...)
	// A minute later, by the clock of the books.
	modelstest.Exec(t, h.db.DB, "ALTER TABLE payments DISABLE TRIGGER payments_final")
	modelstest.Exec(t, h.db.DB, `UPDATE payments SET paid_at = paid_at - interval '3 minutes',
		recorded_at = recorded_at - interval '3 minutes'`)
	modelstest.Exec(t, h.db.DB, "UPDATE bank_registrations SET registered_at = registered_at - interval '1 hour'")
	const silent = "Nenhum Pix chega com aviso do banco desde"
	h.opsSees(h.opsHealth(), "Precisa de atenção", silent)
	h.opsSees(h.opsBank("card-watch"), silent)
	h.sound()
}

// The notice comes twice, as a bare array, and 64 times in one body: one payment, one event.
func TestBank_F16_Repeated(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	var last, id string
	for i, fault := range []string{"double-notices", "array-notices"} {
		c := h.charge("pedido-" + string(rune('1'+i)))
		h.unswept()
		h.fault(control.Fault{Name: fault})
		id = h.pay(control.PayRequest{Code: c.Pix.CopyPaste})[0]
		h.awaits(c.ID, "PAID")
		h.told(c.ID, createdAndPaid...)
		h.heal()
		last = c.ID
	}
	items := slices.Repeat([]string{`{"endToEndId":"` + id + `","txid":"x","valor":"49.90"}`}, 64)
	if status := h.notify(h.url+"/pix", "["+strings.Join(items, ",")+"]"); status != http.StatusOK {
		t.Errorf("64 in one: %d", status)
	}
	h.done()
	h.told(last, createdAndPaid...)
	if n := modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM payments"); n != 2 {
		t.Errorf("%d payments", n)
	}
	h.sound()
}

// A body with false money, without proof, or for another's key changes nothing, and is counted.
func TestBank_F17_Forged(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	c, unpaid := h.charge("pedido-1"), h.charge("pedido-2")
	h.fault(control.Fault{Name: "forged-notice"})
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste, Amount: 4990})
	h.awaits(c.ID, "PAID")
	txID := modelstest.One[string](t, h.db.DB, "SELECT txid FROM checkouts WHERE id = $1", unpaid.ID)
	false49 := `{"pix":[{"endToEndId":"E9999999920261125120000000000001","txid":"` + txID + `","valor":"49.90"},` +
		`{"txid":"` + txID + `","valor":"49.90"}]}`
	stranger := "https://" + strings.Split(h.url, "/")[2] + "/bank/" + strings.Repeat("0", 64)
	for what, got := range map[string][2]int{
		"false money":     {h.notify(h.url, false49), http.StatusOK},
		"without proof":   {h.notify(h.url, false49, true), http.StatusUnauthorized},
		"another's token": {h.notify(stranger, false49), http.StatusNotFound},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d, want %d", what, got[0], got[1])
		}
	}
	h.done()
	if got := h.read(h.key, unpaid.ID).Status; got != "PENDING" {
		t.Errorf("the other checkout is %s", got)
	}
	h.told(c.ID, createdAndPaid...)
	h.told(unpaid.ID, models.EventCheckoutCreated)
	if n := modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
	h.opsSees(h.opsBank("card-bank"), "sem prova de ser do banco: 2", "em endereço desconhecido: 1")
	if got := h.refusals(); got[models.NoticeUnproven] != 2 || got[models.NoticeUnknownToken] != 1 {
		t.Errorf("refused %v", got)
	}
	h.sound()
}

// Garbage and 2 MiB are refused and counted, and notices go on.
func TestBank_F18_Garbage(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	c := h.charge("pedido-1")
	h.unswept()
	if status := h.notify(h.url, "garbage"); status != http.StatusBadRequest {
		t.Errorf("garbage: %d", status)
	}
	if status := h.notify(h.url+"/pix", strings.Repeat(" ", 2<<20)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("2 MiB: %d", status)
	}
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.awaits(c.ID, "PAID")
	if got := h.done(); !slices.Equal(got, []string{"RECORDED"}) {
		t.Errorf("outcomes %v", got)
	}
	h.told(c.ID, createdAndPaid...)
	h.opsSees(h.opsBank("card-bank"), "ilegíveis: 1", "grandes demais: 1")
	if got := h.refusals(); got[models.NoticeGarbage] != 1 || got[models.NoticeTooLarge] != 1 {
		t.Errorf("refused %v", got)
	}
	h.sound()
}

// The program is killed after it has answered a notice and before it has read the bank. Another process
// reads it.
func TestBank_NoticeKill(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	c := h.charge("pedido-1")
	h.unswept()
	h.fault(control.Fault{Name: "hang", On: "/pix/E"})
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.until("the notice is followed", func() bool {
		return modelstest.One[int](t, h.db.DB, "SELECT coalesce(max(tries), 0) FROM bank_notices") > 0
	})
	h.crash()
	h.heal()
	// The lease of the killed process is over.
	modelstest.Exec(t, h.db.DB, "UPDATE bank_notices SET next_try_at = now() WHERE done_at IS NULL")
	h.process = h.serve()
	h.awaits(c.ID, "PAID")
	if got := h.done(); !slices.Equal(got, []string{"RECORDED"}) {
		t.Errorf("outcomes %v", got)
	}
	if n := modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM events WHERE type = 'checkout.paid'"); n != 1 {
		t.Errorf("%d events", n)
	}
	h.sound()
}

// A stop is not delayed by a notice that never ends, and is no failure.
func TestBank_NoticeStop(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t)
	authorities, err := h.bank.folder.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := h.bank.folder.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(h.url, "https://"), "/")
	conn, err := tls.Dial("tcp", host, &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{certificate}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /"+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n"+
		"Expect: 100-continue\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, " 100 ") { // the body is being read
		t.Fatalf("the answer is %q, %v", line, err)
	}
	h.stop(h.process, syscall.SIGTERM)
}

// Neither the log at its most talkative nor the database has the token in the clear, also if the bank
// refuses the address and repeats it.
func TestBank_NoticeSecret(t *testing.T) {
	t.Parallel()
	h := newNoticedHouse(t, "GAROUPA_LOG_LEVEL=debug")
	c := h.charge("pedido-1")
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.awaits(c.ID, "PAID")
	h.notify(h.url, "garbage")
	h.notify(h.url, "{}", true)
	h.notify(h.url+"/pix", "{")
	token := h.url[strings.LastIndex(h.url, "/")+1:]
	h.stop(h.process, syscall.SIGTERM)
	said := h.process.log.String() + h.process.out.String()
	if !strings.Contains(said, "requests to the address for notices were refused") {
		t.Errorf("the log says nothing of refusals: %s", said)
	}
	if strings.Contains(said, token) || bytes.Contains([]byte(dumped(t, h.databaseURL())), []byte(token)) {
		t.Error("the log or the database has the token")
	}
}

// databaseURL returns the URL of the program's database.
func (p *program) databaseURL() string {
	for _, line := range p.env {
		if url, found := strings.CutPrefix(line, "DATABASE_URL="); found {
			return url
		}
	}
	return ""
}
