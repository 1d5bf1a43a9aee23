package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/server/servertest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// house is the served program, which charges at a bank that is a process too, with a merchant whose server
// receives the events of live. The tests TestBank_Fnn use it:
//
//   - newHouse starts all; fault, heal, pay and h.control act as the bank and as payers; h.bank.kill and
//     h.bank.start, h.crash and h.serve end and begin the processes.
//   - charge, post, refused and h.read act as the merchant's backend; page is what the buyer reads, and opsSees
//     what staff do.
//   - awaits waits for a status as long as the product takes by itself; hurried lets it look at the bank at
//     once.
//   - told, cases, chargeIs and sound check what is left: events, exceptions, the charge's row, the books.
//   - h.payments, h.merchants, h.banks and h.db are in this process, on the same database. They run no jobs.
type house struct {
	*program
	*services
	*postbox
	bank    *servedBank
	control control.Client // acts as the bank and as payers
	db      *database
	process *process

	account   *models.Account
	owner     models.Actor
	live      models.Scope
	keyID     string
	key       string // of live, with all permissions
	accountID string // of the bank account

	staff *http.Client // signed in; nil before the first opsSees
}

// createdAndPaid is told of a checkout that was created and paid.
var createdAndPaid = []string{models.EventCheckoutCreated, models.EventCheckoutPaid}

// eventsPath is where the merchant's server receives events.
const eventsPath = "/events"

// newHouse starts the bank and then the program. settings override the program's.
func newHouse(t *testing.T, settings ...string) *house {
	t.Helper()
	return newHouseAt(t, "", settings...)
}

// newHouseAt is newHouse with a bank that imitates the bank of a profile.
func newHouseAt(t *testing.T, profile string, settings ...string) *house {
	t.Helper()
	h := &house{bank: anotherBank(t, profile), postbox: newPostbox()}
	h.control = control.Dial(h.bank.folder.Socket())
	h.program = newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t), append([]string{"GAROUPA_DEMO=true",
		"GAROUPA_LIVE_PROVIDER=bank"}, settings...)...)
	h.db, h.services = h.open()
	h.accountID = h.addBank(h.bank)
	h.settle(t)
	h.process = h.serve()
	return h
}

// anotherBank starts a bank that has the same address when it is started again.
func anotherBank(t *testing.T, profile string) *servedBank {
	t.Helper()
	_, port, _ := strings.Cut(servertest.Address(t), ":")
	b := newServedBankAt(t, "localhost:"+port)
	b.profile = profile
	b.start()
	return b
}

// addBank adds the account of a served bank, which becomes the active one, and returns its id.
func (h *house) addBank(b *servedBank) string {
	h.t.Helper()
	account, err := servedAccount(h.t.Context(), b.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	id, findings, err := h.banks.AddHere(h.t.Context(), account)
	if err != nil {
		h.t.Fatalf("%v: %+v", err, findings)
	}
	return id
}

// settle adds the merchant with its key and its server.
func (h *house) settle(t *testing.T) {
	t.Helper()
	made, err := h.merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Marina Prado", Business: "Ateliê Aurora",
		Email: "dona@example.com", Password: demoPassword(), Verified: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := approve(t.Context(), h.merchants, made.AccountID); err != nil {
		t.Fatal(err)
	}
	h.owner = models.Actor{UserID: made.UserID, AccountID: made.AccountID}
	h.live = models.Scope{ProjectID: made.ProjectID, Environment: models.Live}
	if h.account, err = models.AccountByID(t.Context(), h.db.DB, made.AccountID); err != nil {
		t.Fatal(err)
	}
	key, secret, err := h.merchants.CreateKey(t.Context(), h.owner, h.live, merchants.NewKey{Name: "Loja",
		Permissions: models.Permissions})
	if err != nil {
		t.Fatal(err)
	}
	h.keyID, h.key = key.ID, secret
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { h.note(r) }))
	t.Cleanup(server.Close)
	types := slices.Concat(models.EventTypes, models.OptionalEventTypes)
	_, h.secrets[eventsPath], err = h.merchants.CreateEndpoint(t.Context(), h.owner, h.live,
		merchants.NewEndpoint{URL: server.URL + eventsPath, Types: types})
	if err != nil {
		t.Fatal(err)
	}
}

// post sends a JSON body with the merchant's key, and an idempotency key unless it is "".
func (h *house) post(path, body, idempotencyKey string) (status int, answer string) {
	h.t.Helper()
	request, err := http.NewRequest(http.MethodPost, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+h.key)
	request.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := h.client.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// order is the body of a checkout of R$ 49.90 that expires after some seconds.
func order(expiresIn int) string {
	return fmt.Sprintf(`{"amount":4990,"description":"Vaso","externalId":"pedido","expiresIn":%d}`, expiresIn)
}

// charge creates a checkout of R$ 49.90 that the API must answer with 201.
func (h *house) charge(idempotencyKey string) liveCheckout {
	h.t.Helper()
	return h.chargeFor(1800, idempotencyKey)
}

// chargeFor is charge for a checkout that expires after some seconds.
func (h *house) chargeFor(expiresIn int, idempotencyKey string) (c liveCheckout) {
	h.t.Helper()
	status, answer := h.post("/v1/checkouts", order(expiresIn), idempotencyKey)
	if err := json.Unmarshal([]byte(answer), &c); err != nil || status != http.StatusCreated ||
		c.Pix.CopyPaste == "" {
		h.t.Fatalf("a charge: %d %s %v", status, answer, err)
	}
	return c
}

// refused creates a checkout that the API must refuse as provider_unavailable, and returns the message.
func (h *house) refused(idempotencyKey string) string {
	h.t.Helper()
	status, answer := h.post("/v1/checkouts", order(1800), idempotencyKey)
	var said struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil || status != http.StatusServiceUnavailable ||
		said.Error.Code != "provider_unavailable" {
		h.t.Errorf("want 503 provider_unavailable, not %d %s %v", status, answer, err)
	}
	return said.Error.Message
}

// pay pays at the bank and returns the ids of the Pix.
func (h *house) pay(r control.PayRequest) []string {
	h.t.Helper()
	paid, err := h.control.Pay(h.t.Context(), r)
	if err != nil {
		h.t.Fatal(err)
	}
	return paid.EndToEndIDs
}

// fault makes the bank fail; heal ends all faults.
func (h *house) fault(f control.Fault) {
	h.t.Helper()
	if err := h.control.SetFault(h.t.Context(), f); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) heal() {
	h.t.Helper()
	if err := h.control.ClearFaults(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// state sums up what the bank has.
func (h *house) state() control.State {
	h.t.Helper()
	state, err := h.control.State(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return state
}

// hurry lets the program look at the bank now: at its list of Pix, and at each charge that it knows.
func (h *house) hurry() {
	h.t.Helper()
	modelstest.Exec(h.t, h.db.DB, "UPDATE bank_sweeps SET swept_at = NULL")
	h.due("bank_charges", "txid", "next_check_at", "status IN ('OPEN', 'REMOVING')")
}

// due makes what a table puts off due, except rows that the program works on. In a deadlock with the program it
// does nothing; its caller calls it again.
func (h *house) due(table, id, column, where string) {
	h.t.Helper()
	_, err := h.db.Pool.Exec(h.t.Context(), fmt.Sprintf(`UPDATE %[1]s SET %[3]s = now() WHERE %[2]s IN (
		SELECT %[2]s FROM %[1]s WHERE %[3]s > now() AND %[4]s FOR UPDATE SKIP LOCKED)`, table, id, column, where))
	const deadlock = "40P01"
	if failed, ok := errors.AsType[*pgconn.PgError](err); err != nil && !(ok && failed.Code == deadlock) {
		h.t.Fatal(err)
	}
}

// awaits reads a checkout until it has a status.
func (h *house) awaits(id, status string) {
	h.t.Helper()
	h.becomes(h.key, id, status)
}

// hurried is awaits while the program looks at the bank each second.
func (h *house) hurried(id, status string) {
	h.t.Helper()
	h.hurriedUntil(id+" is "+status, func() bool { return h.read(h.key, id).Status == status })
}

// paid pays a checkout and waits until the program knows.
func (h *house) paid(c liveCheckout) {
	h.t.Helper()
	h.pay(control.PayRequest{Code: c.Pix.CopyPaste})
	h.hurried(c.ID, "PAID")
	h.told(c.ID, createdAndPaid...)
}

// hurriedUntil waits until holds returns true, while the program looks at the bank each second.
func (h *house) hurriedUntil(what string, holds func() bool) {
	h.t.Helper()
	var last time.Time
	h.until(what, func() bool {
		if time.Since(last) > time.Second {
			last = time.Now()
			h.hurry()
		}
		return holds()
	})
}

// looksAtBank waits until the program has read the bank's list once more.
func (h *house) looksAtBank() {
	h.t.Helper()
	h.hurry()
	const read = "SELECT swept_at IS NOT NULL FROM bank_sweeps WHERE bank_account_id = $1"
	h.until("the list is read", func() bool { return modelstest.One[bool](h.t, h.db.DB, read, h.accountID) })
}

// told checks that exactly these types of events of a checkout were written, in this order, and that each
// arrives at the merchant's server once.
func (h *house) told(checkoutID string, types ...string) {
	h.t.Helper()
	const of = " FROM events WHERE checkout_id = $1 ORDER BY created_at, id"
	if got := modelstest.Column[string](h.t, h.db.DB, "SELECT type"+of, checkoutID); !slices.Equal(got, types) {
		h.t.Errorf("events %s, want %s", got, types)
	}
	for _, id := range modelstest.Column[string](h.t, h.db.DB, "SELECT id"+of, checkoutID) {
		p := parcel{id, eventsPath}
		h.until(id+" arrives", func() bool { return h.seen()[p] > 0 })
		if n := h.seen()[p]; n != 1 {
			h.t.Errorf("%s arrived %d times", id, n)
		}
	}
}

// page returns the text of the hosted page of a checkout, in Portuguese.
func (h *house) page(id string) string {
	h.t.Helper()
	response, err := h.client.Get(h.url + "/pay/" + id)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		h.t.Fatalf("the page is %d, %v", response.StatusCode, err)
	}
	code, _ := page.Find("#code").Attr("value")
	return strings.Join(strings.Fields(page.Find("main").Text()+" "+code), " ")
}

// over lets the time of a checkout and of its charge end now, by the program's clock. The bank takes payments
// as before. Both end in one statement: between two the program would expire a checkout whose charge is still
// payable, without a word of the bank.
func (h *house) over(checkoutID string) {
	h.t.Helper()
	modelstest.Exec(h.t, h.db.DB, `WITH ended AS (UPDATE checkouts SET expires_at = now() WHERE id = $1 RETURNING id)
		UPDATE bank_charges b SET payable_until = now() FROM ended WHERE b.checkout_id = ended.id`, checkoutID)
}

// crash kills the program (SIGKILL) and ends its hold on the bank account, which otherwise lasts a minute.
func (h *house) crash() {
	h.t.Helper()
	h.kill(h.process)
	modelstest.Exec(h.t, h.db.DB, "UPDATE bank_sweeps SET leased_until = now()")
}

// alter changes the row of the bank account, which nothing does while a program is served.
func (h *house) alter(set string) {
	h.t.Helper()
	h.crash()
	modelstest.Exec(h.t, h.db.DB, "ALTER TABLE bank_accounts DISABLE TRIGGER bank_accounts_transition")
	modelstest.Exec(h.t, h.db.DB, "UPDATE bank_accounts SET "+set)
	h.process = h.serve()
}

// shows checks that the page of a checkout has a text, and no code unless withCode.
func (h *house) shows(c liveCheckout, text string, withCode bool) {
	h.t.Helper()
	page := h.page(c.ID)
	if !strings.Contains(page, text) || strings.Contains(page, c.Pix.CopyPaste) != withCode {
		h.t.Errorf("want %q, a code: %t; the page is %s", text, withCode, page)
	}
}

// cases returns the kinds of the Pix that paid nothing.
func (h *house) cases() []string {
	h.t.Helper()
	return modelstest.Column[string](h.t, h.db.DB, "SELECT kind FROM payment_exceptions ORDER BY kind")
}

// expectCases checks the kinds of the Pix that paid nothing, in the order of the alphabet.
func (h *house) expectCases(kinds ...string) {
	h.t.Helper()
	if got := h.cases(); !slices.Equal(got, kinds) {
		h.t.Errorf("cases %s, want %s", got, kinds)
	}
}

// chargeIs checks the status of the newest charge of a checkout, and what its row says of the last failure.
func (h *house) chargeIs(checkoutID string, status models.BankChargeStatus, failure string) {
	h.t.Helper()
	charge, err := models.BankChargeOf(h.t.Context(), h.db.Pool, checkoutID)
	if err != nil {
		h.t.Fatal(err)
	}
	if charge.Status != status || !strings.Contains(charge.Failure, failure) ||
		failure == "" && charge.Failure != "" {
		h.t.Errorf("the charge is %s %q, want %s %q", charge.Status, charge.Failure, status, failure)
	}
}

// sound checks that garoupa check finds nothing wrong, and that all posts to the merchant were right.
func (h *house) sound() {
	h.t.Helper()
	if got := h.try("check"); got.status != 0 || !strings.Contains(got.out, "books      ok") {
		h.t.Errorf("check says %s %s", got.out, got.wrong)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.odd) > 0 {
		h.t.Errorf("posts: %s", h.odd)
	}
}
