package hosted_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// Who has paid sends the receipt to the known address, which the page does not show, or to another one. The form is
// sent twice, and sends one mail.
func TestReceipt(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	name, email := "Carla Menezes", "carla@example.com"
	sold, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{
		Amount: 49_90, Customer: payments.Customer{Name: &name, Email: &email}}))
	if err != nil {
		t.Fatal(err)
	}
	visitor := s.Client(t)
	path := "/pay/" + sold.ID
	if a := visitor.Post(path+"/receipt", "email", "x@y.example"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != path {
		t.Errorf("before it is paid: %d", a.Status)
	}
	err = s.ConfirmPayment(t.Context(), models.Live, simulator.Pay(sold.TxID, 49_90, s.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	a := visitor.Get(path)
	key := a.Find("form[action='"+path+"/receipt'] input[name=key]").AttrOr("value", "")
	if key == "" || !strings.Contains(a.Text(), "Enviar comprovante para c***@…") ||
		strings.Contains(webtest.WithoutRandom(a.Body), "carla") {
		t.Errorf("the page offers %q", a.Find("#state").Text())
	}
	for range 2 {
		a := visitor.Post(path+"/receipt", "key", key)
		if a.Status != http.StatusSeeOther || a.Header.Get("Location") != path+"?receipt=sent#sent" {
			t.Errorf("%d to %s", a.Status, a.Header.Get("Location"))
		}
	}
	const mails = "SELECT count(*) FROM mails WHERE kind = 'receipt' AND recipient = $1"
	if n := modelstest.One[int](t, s.DB, mails, email); n != 1 {
		t.Errorf("%d mails", n)
	}
	if a := visitor.Get(path + "?receipt=sent"); a.Find("#sent[tabindex='-1'][autofocus]").Length() != 1 {
		t.Error("the page does not say that it was sent, with the focus there")
	}
	if a := visitor.Post(path+"/receipt?lang=en", "key", key); a.Header.Get("Location") !=
		path+"?lang=en&receipt=sent#sent" {
		t.Errorf("in English to %s", a.Header.Get("Location"))
	}
	wrong := visitor.Post(path+"/receipt?lang=en", "key", "2", "email", "carla@")
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Find("#email").AttrOr("value", "") != "carla@" ||
		wrong.Find("#email-error").Length() != 1 {
		t.Errorf("a wrong address: %d", wrong.Status)
	}
	if a := visitor.Post("/pay/chk_00000000000000000000/receipt"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown charge: %d", a.Status)
	}
	for i, want := range []int{303, 303, 422} {
		if a := visitor.Post(path+"/receipt", "key", "other"+string(rune('a'+i)), "email",
			"ana@example.com"); a.Status != want {
			t.Errorf("receipt %d: %d", i+2, a.Status)
		}
	}
	test := s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulatePayment(t.Context(), test.ID); err != nil {
		t.Fatal(err)
	}
	if a := visitor.Post("/pay/"+test.ID+"/receipt", "email", "x@stranger.example"); a.Status !=
		http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "Em teste") {
		t.Errorf("a test receipt to a stranger: %d", a.Status)
	}
}

// The merchant's words are on the page once it is paid, as text. A link's own address stands in place of the button,
// and a merchant who may not charge has no words.
func TestThanks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	err := s.Merchants.SetThanks(t.Context(), s.Owner, merchants.Thanks{Thanks: models.Thanks{
		Text: "<b>Chega</b> em 3 dias", Label: "Acompanhar", URL: "https://loja.example/pedido"}})
	if err != nil {
		t.Fatal(err)
	}
	visitor := s.Client(t)
	s.GoLive(t)
	success := "https://loja.example/obrigado"
	sold, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{}))
	if err != nil {
		t.Fatal(err)
	}
	plain := sold.ID
	sale := s.SaleIn(t, s.Test, nil, payments.NewPaymentLink{SuccessURL: &success})
	linked := strings.TrimPrefix(sale.Buy(t, visitor), "/pay/")
	for _, id := range []string{plain, linked} {
		if a := visitor.Get("/pay/" + id); strings.Contains(a.Text(), "Chega") {
			t.Error("the words are there before the payment")
		}
	}
	err = s.ConfirmPayment(t.Context(), models.Live, simulator.Pay(sold.TxID, int64(sold.Amount), s.Clock.Now()))
	if err == nil {
		err = s.SimulatePayment(t.Context(), linked)
	}
	if err != nil {
		t.Fatal(err)
	}
	const button = "main a[rel=noreferrer]"
	for id, want := range map[string]string{plain: "https://loja.example/pedido", linked: success} {
		a := visitor.Get("/pay/" + id)
		if !strings.Contains(a.Text(), "<b>Chega</b> em 3 dias") || a.Find(button).Length() != 1 ||
			a.Find(button).AttrOr("href", "") != want || !strings.Contains(a.Text(), "loja.example") {
			t.Errorf("the page says %q and leads to %q", a.Find("main").Text(), a.Find(button).AttrOr("href", ""))
		}
	}
	s.TurnSwitch(t, s.Staff(t), models.SwitchSuspended, true)
	if a := visitor.Get("/pay/" + plain); strings.Contains(a.Text(), "Chega") || a.Find(button).Length() != 0 {
		t.Error("a suspended merchant has words")
	}
}

// A buyer whose money went back sees how much on the receipt, once it has arrived.
func TestReceipt_Refunded(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sold := s.Checkout(t, payments.NewCheckout{Amount: 49_90})
	if err := s.SimulatePayment(t.Context(), sold.ID); err != nil {
		t.Fatal(err)
	}
	visitor := s.Client(t)
	says := func(when, want string) {
		t.Helper()
		got := strings.ReplaceAll(visitor.Get("/pay/"+sold.ID).Find("#state dl").Text(), "\u00a0", " ")
		if told := strings.Contains(got, "Devolvido"); told != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s the receipt says %q", when, got)
		}
	}
	says("paid,", "")
	for key, amount := range map[string]money.Cents{"1": 10_00, "2": 2_50} {
		if _, _, err := s.RefundCheckout(t.Context(), s.Test, payments.RefundRequest{By: s.Owner,
			AccountID: s.Account.ID, CheckoutID: sold.ID, Amount: amount, Reason: "Troco", IdempotencyKey: key,
			RequestHash: make([]byte, 32)}); err != nil {
			t.Fatal(err)
		}
	}
	says("before the bank has answered,", "")
	s.Clock.Advance(3 * time.Second)
	if err := s.SimulateRefunds(t.Context()); err != nil {
		t.Fatal(err)
	}
	says("refunded in two parts,", "DevolvidoR$ 12,50")
}
