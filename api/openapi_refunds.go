package api

import (
	"encoding/json"
	"time"

	"garoupa/api/openapi"
	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

const (
	tagRefunds      = "Refunds"
	exampleRefundID = "rfd_7c0d2e4f6a8b1c3d5e7f"
)

var exampleNewRefund = json.RawMessage(`{"checkoutId":"` + exampleCheckoutID +
	`","amount":1000,"reason":"Veio trocado"}`)

// exampleRefund returns a refund of a part of the example checkout.
func exampleRefund(status models.RefundStatus, at time.Time) *models.Refund {
	r := &models.Refund{ID: exampleRefundID, CheckoutID: exampleCheckoutID, Status: status, Origin: models.RefundByAPI,
		Amount: 10_00, Reason: "Veio trocado", EndToEndID: "E12345678202611201201a1b2c3d4e5f", CreatedAt: at}
	if status == models.RefundCompleted {
		returnID, ended := "D12345678202611201202a1b2c3d4e5f", at.Add(2*time.Second)
		r.ReturnID, r.EndedAt = &returnID, &ended
	}
	return r
}

func refundExample(status models.RefundStatus, at time.Time) json.RawMessage {
	return payload.AppendRefund(nil, exampleRefund(status, at))
}

// checkoutIDText describes what checkoutIDRule accepts.
func checkoutIDText(description string) *openapi.Schema {
	s := openapi.Bounded(description, 1, 64)
	s.Pattern = texts().plain
	return s
}

func newRefundSchema() *openapi.Schema {
	reason := openapi.Bounded("Shown to the payer by their bank; `"+payments.DefaultRefundReason+"` when absent.", 1,
		140)
	reason.Pattern = texts().line
	return openapi.Body("Money to give back.", []string{"checkoutId"},
		openapi.Property("checkoutId", checkoutIDText("The paid checkout.")),
		openapi.Property("amount", openapi.Nullable(openapi.Integer("Centavos of BRL; all that is left when absent.", 1,
			int64(money.Max)))),
		openapi.Property("reason", openapi.Nullable(reason)))
}

func refundSchema() *openapi.Schema {
	return openapi.Answer("Money of a checkout that goes back to its buyer.",
		openapi.Property("id", openapi.Pattern(`^rfd_[0-9a-f]{20}$`, "The refund's id.")),
		openapi.Property("livemode", openapi.Flag("The environment.")),
		openapi.Property("checkoutId", openapi.Text("The checkout that was paid.")),
		openapi.Property("status", openapi.Choice("`PROCESSING`, then `COMPLETED`, or `FAILED` if the institution "+
			"refused: the amount is then in the balance again.", models.RefundProcessing, models.RefundCompleted,
			models.RefundFailed)),
		openapi.Property("origin", openapi.Choice("Who asked for it: the merchant, the installation's staff, the bank "+
			"itself, or a buyer who contested the payment.", "MERCHANT", "INSTALLATION", "BANK", "DISPUTE")),
		openapi.Property("amount", openapi.Integer("Centavos of BRL.", 1, int64(money.Max))),
		openapi.Property("currency", brl("Always `BRL`.")),
		openapi.Property("reason", openapi.Text("What the payer reads.")),
		openapi.Property("endToEndId", openapi.Text("The Pix payment that is given back.")),
		openapi.Property("returnId", openapi.Nullable(openapi.Text("The payment system's id of the return; null until "+
			"it is known."))),
		openapi.Property("failureReason", openapi.Nullable(openapi.Text("Why it failed, in the institution's words; "+
			"null otherwise."))),
		openapi.Property("createdAt", instant("When it was asked for.")),
		openapi.Property("completedAt", openapi.Nullable(instant("When the institution had given the money back; "+
			"null before."))))
}

// refundEventSchema returns the schema of checkout.refunded, which is about a checkout and a refund.
func refundEventSchema() *openapi.Schema {
	s := eventSchema("What a webhook endpoint that asked for it is sent about a refund.", "checkout", "Checkout",
		[]string{models.EventCheckoutRefunded})
	for i := range s.Properties {
		if s.Properties[i].Name == "data" {
			s.Properties[i].Value = openapi.Answer("The checkout, and the refund that is done.",
				openapi.Property("checkout", openapi.Ref("Checkout")),
				openapi.Property("refund", openapi.Ref("Refund")))
		}
	}
	return s
}

func createRefundOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "createRefund", Tags: []string{tagRefunds}, Summary: "Refund a checkout",
		Security: anyKey,
		Description: "Gives money of a paid checkout back to its buyer, whole or in part, as often as something " +
			"is left, for 90 days. The fee is not given back. The institution is asked afterwards: follow the " +
			"refund, or the event `checkout.refunded`. No permission covers refunds; a member allows the key in " +
			"the dashboard.",
		Parameters:  []openapi.Parameter{idempotencyParameter(true), requestIDParameter},
		RequestBody: send("NewRefund", "part", exampleNewRefund),
		Responses: withErrors(made("refund", "Refund", "processing", x.refunding), everyCall, []refusal.Code{
			refusal.IdempotencyKeyRequired, refusal.Forbidden, refusal.AccountSuspended, refusal.CheckoutNotFound,
			refusal.IdempotencyConflict, refusal.InvalidAmount, refusal.InsufficientBalance, refusal.RefundNotPossible,
		}),
	}
}

func listRefundsOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "listRefunds", Tags: []string{tagRefunds}, Summary: "List refunds",
		Security: needs(models.PermissionCheckoutRead), Description: "Newest first.",
		Parameters: append([]openapi.Parameter{{Name: "checkoutId", In: "query",
			Description: "Only refunds of this checkout.", Schema: checkoutIDText(""),
			Example: exampleCheckoutID}},
			pageParameters()...),
		Responses: withErrors(found("A page of refunds.", "RefundList", "page", page(x.refunded)), everyCall),
	}
}

func readRefundOperation(x examples) *openapi.Operation {
	return &openapi.Operation{
		OperationID: "readRefund", Tags: []string{tagRefunds}, Summary: "Read a refund",
		Security:    needs(models.PermissionCheckoutRead),
		Description: "The refund as it is now.",
		Parameters: []openapi.Parameter{idParameter("refundId", "The refund's id.", exampleRefundID),
			requestIDParameter},
		Responses: withErrors(found("The refund.", "Refund", "completed", x.refunded), everyCall,
			[]refusal.Code{refusal.RefundNotFound}),
	}
}
