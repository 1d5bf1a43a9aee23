package api

import (
	"encoding/json"
	"time"

	"garoupa/internal/payload"
	"garoupa/models"
	"garoupa/payments"
)

// Ids in examples.
const (
	exampleRequestID    = "req_4b1d7f0c2a9e8d6f5a3c1b0e"
	exampleEventID      = "evt_9b1c2d3e4f5a6b7c8d9e0f1a"
	exampleCheckoutID   = "chk_8f2b7a103c1c4f0e9d7a"
	exampleLinkID       = "plink_3f9a1c7e5d2b8064"
	exampleWithdrawalID = "wdr_5a1e9c3b7d2f4068a1b2"
	examplePicture      = "5f2d8c0b7e914a36d1c8f04b9a7e3c52"
	exampleCopyPaste    = "00020101021226740014br.gov.bcb.pix2552pay.example.com/sim/be17ecb0f5dc29c2ad4d12d3dff" +
		"1a785520400005303986540549.905802BR5913ATELIE AURORA6009SAO PAULO62070503***630446DD"
)

// Bodies to send.
var (
	exampleNewCheckout = json.RawMessage(`{"amount":4990,"description":"Vaso Lua Nova","externalId":"pedido-10482",` +
		`"customer":{"name":"Carla Menezes","email":"carla@example.com"},"metadata":{"canal":"site"},"expiresIn":1800}`)
	exampleNewPaymentLink = json.RawMessage(`{"productId":"vaso-lua-nova","expiresInSeconds":1800,` +
		`"successUrl":"https://loja.example/obrigado?checkout={CHECKOUT_ID}","returnUrl":"https://loja.example/vaso",` +
		`"maxQuantity":3,"stock":20}`)
	exampleNewWithdrawal = json.RawMessage(`{"rail":"BRL_PIX","amount":"150.00"}`)
)

// examples are answers and events, encoded by the same code as real ones.
type examples struct {
	pending, paid, expired, cancelled json.RawMessage
	link, balance                     json.RawMessage
	inReview, quoted, completed       json.RawMessage            // withdrawals
	refunding, refunded               json.RawMessage            // refunds
	events                            map[string]json.RawMessage // by type
}

func newExamples(checkoutURL string) examples {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	name, email, paidAt := "Carla Menezes", "carla@example.com", at.Add(94*time.Second)
	pending := models.Checkout{
		ID: exampleCheckoutID, Status: models.CheckoutPending, Amount: 4990, Description: "Vaso Lua Nova",
		ExternalID:   "pedido-10482",
		CustomerName: &name, CustomerEmail: &email, Metadata: []byte(`{"canal":"site"}`), CopyPaste: exampleCopyPaste,
		QRPNG: []byte("\x89PNG\r\n\x1a\n"), CreatedAt: at, ExpiresAt: at.Add(30 * time.Minute),
		SettlementStatus: models.SettlementPending,
	}
	paid, expired, cancelled := pending, pending, pending
	paid.Status, paid.PaidAt = models.CheckoutPaid, &paidAt
	expired.Status, cancelled.Status = models.CheckoutExpired, models.CheckoutCancelled
	checkout := func(c *models.Checkout) json.RawMessage { return payload.AppendCheckout(nil, c, checkoutURL) }
	event := func(kind string, at time.Time, c *models.Checkout) json.RawMessage {
		return payload.AppendEvent(nil, exampleEventID, kind, at, c, checkoutURL)
	}
	withdrawal := func(status models.WithdrawalStatus) json.RawMessage {
		return payload.AppendWithdrawal(nil, withdrawalIn(status, at))
	}
	description, success, back := "Cerâmica feita à mão", "https://loja.example/obrigado?checkout={CHECKOUT_ID}",
		"https://loja.example/vaso"
	x := examples{
		pending: checkout(&pending), paid: checkout(&paid), expired: checkout(&expired),
		cancelled: checkout(&cancelled),
		inReview:  withdrawal(models.WithdrawalPendingReview), quoted: quotedWithdrawal(at),
		completed: withdrawal(models.WithdrawalCompleted),
		refunding: refundExample(models.RefundRequested, paidAt),
		refunded:  refundExample(models.RefundCompleted, paidAt),
		events: map[string]json.RawMessage{
			models.EventCheckoutCreated:   event(models.EventCheckoutCreated, at, &pending),
			models.EventCheckoutPaid:      event(models.EventCheckoutPaid, paidAt, &paid),
			models.EventCheckoutExpired:   event(models.EventCheckoutExpired, expired.ExpiresAt, &expired),
			models.EventCheckoutCancelled: event(models.EventCheckoutCancelled, paidAt, &cancelled),
			models.EventCheckoutRefunded: payload.AppendRefundEvent(nil, exampleEventID, models.EventCheckoutRefunded,
				paidAt, &paid, exampleRefund(models.RefundCompleted, paidAt), checkoutURL),
		},
		link: payload.AppendPaymentLink(nil, &models.PaymentLink{
			ID: exampleLinkID, Active: true, ExpiresInSeconds: payments.DefaultExpiresIn, SuccessURL: &success,
			ReturnURL: &back, CreatedAt: at, UpdatedAt: at, LinkTerms: models.LinkTerms{
				BuyerData: models.BuyerDataOptional, MaxQuantity: 3, Stock: new(20)},
			Product: models.Product{Slug: "vaso-lua-nova", Name: "Vaso Lua Nova", Description: &description,
				Amount: 4990, PaymentCycle: models.PaymentCycles[0],
				Picture: models.ProductPicture{Hash: examplePicture}},
		}, checkoutURL),
		balance: payload.AppendBalance(nil, models.Test,
			models.Balance{Gross: 1_234_567, Fee: 12_222, Pending: 4941, Available: 1_217_404}),
	}
	for status, kind := range payments.WithdrawalEvents {
		w := withdrawalIn(status, at)
		x.events[kind] = payload.AppendWithdrawalEvent(nil, exampleEventID, kind, w.UpdatedAt, w)
	}
	return x
}

// withdrawalIn returns a withdrawal by Pix that entered a state an hour after it was
// requested, or at the request.
func withdrawalIn(status models.WithdrawalStatus, at time.Time) *models.Withdrawal {
	later, id := at.Add(time.Hour), "E12345678202611201300a1b2c3d4e5f"
	w := &models.Withdrawal{
		ID: exampleWithdrawalID, Rail: models.RailPix, Status: status, Amount: 150_00, CreatedAt: at, UpdatedAt: at,
		Destination: models.Destination{Rail: models.RailPix, Type: "CNPJ", Masked: "**.***.678/0001-**",
			HolderName: "Ateliê Aurora Ltda"},
	}
	if status == models.WithdrawalPendingReview {
		return w
	}
	refuse := func(code, reason string) { w.FailureCode, w.Reason = &code, &reason }
	w.UpdatedAt, w.ApprovedAt = later, &later
	switch status {
	case models.WithdrawalCancelled, models.WithdrawalRejected:
		w.ApprovedAt = nil
		if status == models.WithdrawalRejected {
			refuse("DATA_MISMATCH", "O titular da chave é outro.")
		}
	case models.WithdrawalCompleted, models.WithdrawalReturned:
		w.CompletedAt, w.EndToEndID = &later, &id
		if status == models.WithdrawalReturned {
			refuse("MD06", "Devolvido pelo recebedor.")
		}
	case models.WithdrawalFailed:
		refuse("AC03", "A conta do recebedor não existe.")
	}
	return w
}

// quotedWithdrawal returns a withdrawal to a wallet.
func quotedWithdrawal(at time.Time) json.RawMessage {
	w := withdrawalIn(models.WithdrawalPendingReview, at)
	w.Rail, w.Destination = models.RailUSDT, models.Destination{Rail: models.RailUSDT, Type: "TRON",
		Masked: "TLa2f6…5wYjU7", HolderName: "Ateliê Aurora Ltda"}
	w.Quote = &models.Quote{Rate: 542_120_000, Amount: 27_669150, ExpiresAt: at.Add(time.Minute)}
	return payload.AppendWithdrawal(nil, w)
}

// page returns the last page of a list, with one item.
func page(item json.RawMessage) json.RawMessage {
	return json.RawMessage(`{"data":[` + string(item) + `],"nextCursor":null}`)
}
