package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// act looks at a thing, checks what it will do, and does it. It returns the preview
// and the answer.
func carryOut(t *testing.T, c *webtest.Client, path string, form ...string) (shown, done webtest.Answer) {
	t.Helper()
	version := c.Get(path).Find("main input[name=version]").AttrOr("value", "")
	shown = c.Post(path, append([]string{"version", version}, form...)...)
	if shown.Status != http.StatusOK || shown.Find("button[value=send]").Length() != 1 {
		t.Fatalf("%s: the preview is %d %s", path, shown.Status, shown.Find("#errors").Text())
	}
	if ids := webtest.IDsWithoutLink(shown, ""); len(ids) > 0 {
		t.Errorf("%s: the preview has ids that are no links: %v", path, ids)
	}
	return shown, c.Post(path, append(webtest.HiddenFields(shown), "do", "send")...)
}

// A destination is reviewed with the whole address in sight; what the merchant asks
// for with it goes on to a payout by hand, with its proof.
func TestOps_Withdrawal(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	s.GoLive(t)
	s.Gateway.Service.Live = psp.None{} // no provider: staff pay withdrawals out
	dest, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "CPF", Address: "529.982.247-25", HolderName: "Ana Lima"})
	if err != nil {
		t.Fatal(err)
	}
	path := "/ops/destinos/" + dest.ID
	if text := c.Get(path).Find("main").Text(); !strings.Contains(text, "529.982.247-25") ||
		!strings.Contains(text, "Ana Lima") {
		t.Errorf("the destination: %s", text)
	}
	shown, done := carryOut(t, c, path, "outcome", "APPROVE")
	if !strings.Contains(shown.Find("main").Text(), "pode ser usado a partir de") ||
		done.Header.Get("Location") != path {
		t.Fatalf("approving: %d %s", done.Status, shown.Find("main").Text())
	}
	if a := c.Post(path, "version", "1", "outcome", "REJECT", "reasonCode", "OTHER", "reason", "Outro motivo qualquer.",
		"do", "send"); a.Status != http.StatusConflict || !strings.Contains(a.Find("[role=alert]").Text(), "Eva Reis") {
		t.Errorf("rejecting what was approved: %d", a.Status)
	}
}

// A withdrawal goes from review to its proof, step by step.
func TestOps_Payout(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	w := s.Withdraw(t, 200_00)
	path := "/ops/saques/" + w.ID
	if a := c.Get("/ops"); a.Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Error("the withdrawal is not in the queue")
	}
	page := c.Get(path)
	for _, want := range []string{"12.ABC.345/01DE-35", "Ateliê Aurora Ltda", w.ID, "R$\u00a0800,00"} {
		if !strings.Contains(page.Find("main").Text(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	for field, form := range map[string][]string{
		"#outcome-error": {"outcome", "COMPLETE", "proof", "E1"}, "#reason-error": {"outcome", "ASK"},
		"#reasonCode-error": {"outcome", "REJECT", "reason", "Um motivo bem claro."},
	} {
		if a := c.Post(path, append([]string{"version", "1"},
			form...)...); a.Status != http.StatusUnprocessableEntity || a.Find(field).Length() != 1 {
			t.Errorf("%s: %d %s", field, a.Status, a.Find("#errors").Text())
		}
	}
	proof := "E12345678202603021200abcdefghijk"
	for _, step := range []struct {
		form  []string
		shows string
		state models.WithdrawalStatus
	}{
		{[]string{"outcome", "APPROVE"}, "vão para", models.WithdrawalApproved},
		{[]string{"outcome", "START"}, "Pague agora", models.WithdrawalProcessing},
		{[]string{"outcome", "COMPLETE", "proof", " " + proof + " "}, proof, models.WithdrawalCompleted},
		{[]string{"outcome", "RETURN", "reasonCode", "DESTINATION_PROBLEM", "reason",
			"A conta de destino foi encerrada."}, "voltam para o saldo", models.WithdrawalReturned},
	} {
		shown, done := carryOut(t, c, path, step.form...)
		if !strings.Contains(shown.Find("main").Text(), step.shows) || done.Header.Get("Location") != path {
			t.Fatalf("%v: %d %s", step.form, done.Status, shown.Find("main").Text())
		}
		if now, err := models.AccountWithdrawalByID(t.Context(), s.DB.Pool, w.ID); err != nil ||
			now.Status != step.state {
			t.Fatalf("%v: it is %s, %v", step.form, now.Status, err)
		}
		head := c.Get(path).Find("h1").Parent().Text()
		if (step.state == models.WithdrawalProcessing) != strings.Contains(head, "Pagamento em andamento") {
			t.Errorf("%s is headed %q", step.state, head)
		}
	}
	text := c.Get(path).Find("main").Text()
	if !strings.Contains(text, "A conta de destino foi encerrada.") || !strings.Contains(text, proof) {
		t.Error("what became of it is not shown")
	}
	if a := c.Get("/ops/buscar?q=" + proof); a.Header.Get("Location") != path {
		t.Errorf("the proof leads to %q", a.Header.Get("Location"))
	}
}

// What is not paid goes back to the merchant's balance: with a question, or as failed. A
// proof that another withdrawal has, or that is none, is refused.
func TestOps_PayoutEndsOtherwise(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	c, _ := s.Console(t, models.StaffReviewer)
	asked := s.Withdraw(t, 100_00)
	shown, _ := carryOut(t, c, "/ops/saques/"+asked.ID, "outcome", "ASK", "reason", "De quem é a chave Pix?")
	if text := shown.Find("main").Text(); !strings.Contains(text, "De quem é a chave Pix?") ||
		!strings.Contains(text, "Este saque foi recusado") {
		t.Errorf("the question: %s", text)
	}
	if now, err := models.AccountWithdrawalByID(t.Context(), s.DB.Pool, asked.ID); err != nil ||
		now.Status != models.WithdrawalRejected || *now.FailureCode != "MORE_INFORMATION" {
		t.Errorf("asked back: %+v, %v", now, err)
	}
	broken := s.Withdraw(t, 100_00)
	carryOut(t, c, "/ops/saques/"+broken.ID, "outcome", "APPROVE")
	carryOut(t, c, "/ops/saques/"+broken.ID, "outcome", "FAIL", "reasonCode", "PROVIDER_REFUSED", "reason",
		"O banco recusou o Pix.")
	if b, err := s.Books(t.Context(), s.Account.ID, models.Live); err != nil || b.Reserved != 0 ||
		b.Available != 1000_00 {
		t.Errorf("the books have %+v, %v", b, err)
	}
	const proof = "E12345678202603021200abcdefghijk"
	paid, taken := s.Withdraw(t, 100_00), s.Withdraw(t, 100_00)
	for _, w := range []*models.Withdrawal{paid, taken} {
		carryOut(t, c, "/ops/saques/"+w.ID, "outcome", "APPROVE")
		carryOut(t, c, "/ops/saques/"+w.ID, "outcome", "START")
	}
	carryOut(t, c, "/ops/saques/"+paid.ID, "outcome", "COMPLETE", "proof", proof)
	for _, id := range []string{proof, "não é um id"} {
		if _, done := carryOut(t, c, "/ops/saques/"+taken.ID, "outcome", "COMPLETE", "proof",
			id); done.Status != http.StatusUnprocessableEntity || done.Find("#proof-error").Length() != 1 {
			t.Errorf("the proof %q: %d", id, done.Status)
		}
	}
}

// Above the four-eyes amount one person is not enough, however often they approve.
func TestOps_FourEyes(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 30_000_00)
	first, _ := s.Console(t, models.StaffReviewer)
	second, _ := s.Console(t, models.StaffSupervisor)
	in := paymentstest.Withdrawal(models.RailPix, 20_000_00)
	in.By = s.Owner
	w, _, err := s.RequestWithdrawal(t.Context(), s.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	path := "/ops/saques/" + w.ID
	if text := first.Get(path).Find("main").Text(); !strings.Contains(text, "Precisa da aprovação de duas pessoas") {
		t.Error("that it takes two is not told")
	}
	status := func() models.WithdrawalStatus {
		now, err := models.AccountWithdrawalByID(t.Context(), s.DB.Pool, w.ID)
		if err != nil {
			t.Fatal(err)
		}
		return now.Status
	}
	const whole = "vão para 12.ABC.345/01DE-35, de Ateliê Aurora Ltda"
	shown, _ := carryOut(t, first, path, "outcome", "APPROVE")
	if text := shown.Find("main").Text(); !strings.Contains(text, "primeira de duas aprovações") ||
		!strings.Contains(text, whole) ||
		status() != models.WithdrawalPendingReview {
		t.Fatalf("the first approval made it %s", status())
	}
	const approve = "input[name=outcome][value=APPROVE]"
	if first.Get(path).Find(approve).Length() != 0 || second.Get(path).Find(approve).Length() != 1 {
		t.Error("the second approval is not offered to the second person alone")
	}
	for _, do := range []string{"", "send"} { // nothing is shown to them that would not come true
		again := first.Post(path, "version", "2", "outcome", "APPROVE", "do", do)
		if again.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(again.Find("#errors").Text(), "Você já aprovou") ||
			status() != models.WithdrawalPendingReview {
			t.Errorf("the same person again: %d, it is %s", again.Status, status())
		}
	}
	if text := second.Get(path).Find("main").Text(); !strings.Contains(text, "Ana Lima · "+w.RequestedBy) {
		t.Error("who asked for it is not told")
	}
	if text := second.Get(path).Find("main").Text(); !strings.Contains(text, "A primeira foi de Eva Reis, em ") {
		t.Error("who approved first is not told")
	}
	if a := second.Post(path, "version", "1", "outcome", "APPROVE", "do", "send"); a.Status != http.StatusConflict {
		t.Errorf("the second without having seen the first: %d", a.Status)
	}
	shown, done := carryOut(t, second, path, "outcome", "APPROVE")
	if done.Header.Get("Location") != path || status() != models.WithdrawalApproved ||
		!strings.Contains(shown.Find("main").Text(), whole) {
		t.Errorf("the second: %d, it is %s", done.Status, status())
	}
}

// Money that changed no checkout is credited, given back or written off.
func TestOps_Exceptions(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 100_00)
	pay := func(txID string, amount int64) string {
		t.Helper()
		n := simulator.Pay(txID, amount, s.Clock.Now())
		if err := s.ConfirmPayment(t.Context(), models.Live, n); err != nil {
			t.Fatal(err)
		}
		var id string
		if err := s.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE end_to_end_id = $1",
			n.EndToEndID).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return "/ops/excecoes/" + id
	}
	checkout, _, err := s.CreateCheckout(t.Context(), s.Gateway.Live, s.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 50_00}))
	if err != nil {
		t.Fatal(err)
	}
	under, over, unmatched := pay(checkout.TxID, 40_00), pay(checkout.TxID,
		60_00), pay("desconhecido0000000000000000", 10_00)
	s.Clock.Advance(25 * time.Hour)
	c, _ := s.Console(t, models.StaffReviewer)
	list := c.Get("/ops/excecoes")
	if list.Find("main li").Length() < 3 || !strings.Contains(list.Find("main").Text(), "em atraso") {
		t.Errorf("the inbox: %s", list.Find("main").Text())
	}
	if text := c.Get(under).Find("main").Text(); !strings.Contains(text, "Pago a menos") ||
		!strings.Contains(text, checkout.ID) {
		t.Errorf("the exception: %s", text)
	}
	if a := c.Get(unmatched); a.Find("input[value=ACCEPTED]").Length() != 0 ||
		!strings.Contains(a.Find("main").Text(), "Sem cobrança") {
		t.Error("nobody's money can be credited")
	}
	if a := c.Post(unmatched, "outcome", "ACCEPTED", "reason", "Foi o banco que pediu.", "do",
		"send"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("nobody's money was credited: %d", a.Status)
	}
	carryOut(t, c, under, "outcome", "ACCEPTED", "reason", "O lojista aceitou o valor menor.")
	carryOut(t, c, over, "outcome", "REFUNDED", "reason", "Devolvido a pedido do pagador.", "proof", "D123456789")
	shown, _ := carryOut(t, c, unmatched, "outcome", "WRITTEN_OFF", "reason", "Ninguém reclamou em 90 dias.")
	if !strings.Contains(shown.Find("main").Text(), "ficam com a instalação") {
		t.Errorf("writing off: %s", shown.Find("main").Text())
	}
	if b, err := s.Books(t.Context(), s.Account.ID, models.Live); err != nil || b.Available != 140_00 {
		t.Errorf("the books have %+v, %v", b, err)
	}
	if a := c.Post(under, "outcome", "WRITTEN_OFF", "reason", "Ninguém reclamou em 90 dias.", "do",
		"send"); a.Status != http.StatusConflict {
		t.Errorf("deciding twice: %d", a.Status)
	}
	if a := c.Get("/ops/excecoes"); !strings.Contains(a.Find("main").Text(), "Nada por aqui") {
		t.Error("what was decided still waits")
	}
}

// Staff see any checkout, without its buyer, and give money of it back once for each
// form.
func TestOps_Checkout(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c, _ := s.Console(t, models.StaffReviewer)
	paid := s.Fund(t, models.Live, 100_00)
	modelstest.Exec(t, s.DB, `UPDATE checkouts SET customer_name = 'Carla Souza',
		customer_email = 'carla@example.com',
		customer_document = '52998224725'`)
	path := "/ops/cobrancas/" + paid.ID
	page := c.Get(path)
	if text := page.Find("main").Text(); strings.Contains(text, "Carla") || strings.Contains(text, "carla@") ||
		strings.Contains(webtest.WithoutRandom(text), "5299") || !strings.Contains(text, "c•••@example.com") ||
		!strings.Contains(text, "checkout.paid") {
		t.Errorf("the checkout: %s", text)
	}
	version := page.Find("main input[name=version]").AttrOr("value", "")
	form := []string{"version", version, "outcome", "REFUND", "amount", "30,00", "reason", "O produto veio quebrado.",
		"do", "send"}
	if a := c.Post(path, form...); a.Header.Get("Location") != path {
		t.Fatalf("refunding: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := c.Post(path, form...); a.Status != http.StatusConflict {
		t.Errorf("the same form again: %d", a.Status)
	}
	for _, amount := range []string{"", "0", "100,01", "-5", "muito"} {
		if a := c.Post(path, "version", "1", "amount", amount, "reason",
			"O produto veio quebrado."); a.Status != http.StatusUnprocessableEntity ||
			a.Find("#amount-error").Length() != 1 {
			t.Errorf("refunding %q: %d", amount, a.Status)
		}
	}
	if _, done := carryOut(t, c, path, "amount", "80,00", "reason",
		"O produto veio quebrado."); done.Status != http.StatusUnprocessableEntity {
		t.Errorf("refunding more than was paid: %d", done.Status)
	}
	if b, err := s.Books(t.Context(), s.Account.ID, models.Live); err != nil || b.Available != 70_00 {
		t.Errorf("the books have %+v, %v", b, err)
	}
	received(t, s, paid.ID)
	modelstest.Exec(t, s.DB, "UPDATE bank_accounts SET status = 'CLOSED'")
	asked := []string{"amount", "10,00", "reason", "O produto veio quebrado."}
	if _, done := carryOut(t, c, path, asked...); done.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(done.Find("#proof-error").Text(), "o banco não é mais consultado") {
		t.Errorf("at a closed bank account: %d %s", done.Status, done.Find("#errors").Text())
	}
	if _, done := carryOut(t, c, path, append(asked, "proof", "D1")...); done.Header.Get("Location") != path {
		t.Errorf("noted by its id: %d %s", done.Status, done.Find("#errors").Text())
	}
}

// received makes the payments of a checkout ones that a bank account received.
func received(t *testing.T, s *webtest.Site, checkoutID string) {
	t.Helper()
	modelstest.Exec(t, s.DB, `INSERT INTO bank_accounts (id, name, profile, sandbox, pix_key, holder_name,
			holder_document, created_at)
		VALUES ('bnk_00000000000000000001', 'Conta', 'efi', true, 'k', 'H', '12345678909', now())`)
	modelstest.Exec(t, s.DB, "ALTER TABLE payments DISABLE TRIGGER payments_final")
	modelstest.Exec(t, s.DB, "UPDATE payments SET bank_account_id = 'bnk_00000000000000000001' WHERE checkout_id = $1",
		checkoutID)
}
