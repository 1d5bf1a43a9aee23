package api

import (
	"encoding/json"
	"time"

	"garoupa/models"
	"garoupa/wire"
)

// What examples name.
const (
	exampleRequestID    = "req_4b1d7f0c2a9e8d6f5a3c1b0e"
	exampleEventID      = "evt_9b1c2d3e4f5a6b7c8d9e0f1a"
	exampleCheckoutID   = "chk_8f2b7a103c1c4f0e9d7a"
	exampleLinkID       = "plink_3f9a1c7e5d2b8064"
	exampleWithdrawalID = "wdr_5a1e9c3b7d2f4068a1b2"
	exampleCopyPaste    = "00020101021226740014br.gov.bcb.pix2552pay.example.com/sim/be17ecb0f5dc29c2ad4d12d3dff1a785520400005303986540549.905802BR5913ATELIE AURORA6009SAO PAULO62070503***630446DD"
)

// Bodies to send.
var (
	exampleNewCheckout = json.RawMessage(`{"amount":4990,"description":"Vaso Lua Nova","externalId":"pedido-10482",` +
		`"customer":{"name":"Carla Menezes","email":"carla@example.com"},"metadata":{"canal":"site"},"expiresIn":1800}`)
	exampleNewPaymentLink = json.RawMessage(`{"productId":"vaso-lua-nova","expiresInSeconds":1800,"successUrl":"https://loja.example/obrigado?checkout={CHECKOUT_ID}","returnUrl":"https://loja.example/vaso"}`)
	exampleNewWithdrawal  = json.RawMessage(`{"rail":"BRL_PIX","amount":"150.00"}`)
	exampleWithdrawal     = json.RawMessage(`{"id":"` + exampleWithdrawalID + `","livemode":true,"rail":"BRL_PIX","status":"PENDING_REVIEW","currency":"BRL",` +
		`"amount":"150.00","feeAmount":"0.00","netAmount":"150.00",` +
		`"destination":{"type":"CNPJ","key":"**.***.678/0001-**","address":null,"network":null,"holderName":"Ateliê Aurora Ltda"},` +
		`"quote":null,"endToEndId":null,"txHash":null,"failureCode":null,"reason":null,"createdAt":"2026-11-20T12:00:00.000Z",` +
		`"approvedAt":null,"completedAt":null,"updatedAt":"2026-11-20T12:00:00.000Z"}`)
)

// examples are answers and events, written by the same code as real ones.
type examples struct {
	pending, paid, expired, cancelled json.RawMessage
	created, eventPaid, eventExpired  json.RawMessage
	link, balance                     json.RawMessage
}

func newExamples(checkoutHost string) examples {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	name, email, paidAt := "Carla Menezes", "carla@example.com", at.Add(94*time.Second)
	pending := models.Checkout{
		ID: exampleCheckoutID, Status: models.CheckoutPending, Amount: 4990, Description: "Vaso Lua Nova", ExternalID: "pedido-10482",
		CustomerName: &name, CustomerEmail: &email, Metadata: []byte(`{"canal":"site"}`), CopyPaste: exampleCopyPaste,
		QRPNG: []byte("\x89PNG\r\n\x1a\n"), CreatedAt: at, ExpiresAt: at.Add(30 * time.Minute), SettlementStatus: models.SettlementPending,
	}
	paid, expired, cancelled := pending, pending, pending
	paid.Status, paid.PaidAt = models.CheckoutPaid, &paidAt
	expired.Status, cancelled.Status = models.CheckoutExpired, models.CheckoutCancelled
	checkout := func(c *models.Checkout) json.RawMessage { return wire.AppendCheckout(nil, c, checkoutHost) }
	event := func(kind string, at time.Time, c *models.Checkout) json.RawMessage {
		return wire.AppendEvent(nil, exampleEventID, kind, at, c, checkoutHost)
	}
	description, success, back := "Cerâmica feita à mão", "https://loja.example/obrigado?checkout={CHECKOUT_ID}", "https://loja.example/vaso"
	return examples{
		pending: checkout(&pending), paid: checkout(&paid), expired: checkout(&expired), cancelled: checkout(&cancelled),
		created: event(models.EventCheckoutCreated, at, &pending), eventPaid: event(models.EventCheckoutPaid, paidAt, &paid),
		eventExpired: event(models.EventCheckoutExpired, expired.ExpiresAt, &expired),
		link: wire.AppendPaymentLink(nil, &models.PaymentLink{
			ID: exampleLinkID, Active: true, ExpiresInSeconds: defaultLinkExpiry, SuccessURL: &success, ReturnURL: &back, CreatedAt: at, UpdatedAt: at,
			Product: models.Product{Slug: "vaso-lua-nova", Name: "Vaso Lua Nova", Description: &description, Amount: 4990, PaymentCycle: models.PaymentCycles[0]},
		}),
		balance: wire.AppendBalance(nil, false, models.Balance{Gross: 1_234_567, Fee: 12_222, Pending: 4941, Available: 1_217_404}),
	}
}

// page is a list with one item and no further page.
func page(item json.RawMessage) json.RawMessage {
	return json.RawMessage(`{"data":[` + string(item) + `],"nextCursor":null}`)
}
