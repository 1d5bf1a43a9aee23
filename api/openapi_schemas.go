package api

import (
	"slices"

	"garoupa/api/openapi"
	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
)

// instant returns the schema of a time in an answer.
func instant(description string) *openapi.Schema {
	s := openapi.Pattern(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
		description+" RFC 3339 in UTC, with milliseconds.")
	s.Format = "date-time"
	return s
}

// decimal returns the schema of an amount as text.
func decimal(description string) *openapi.Schema {
	return openapi.Pattern(`^-?\d+\.\d{2}$`, description+" Reais as a decimal string with two decimals.")
}

func brl(description string) *openapi.Schema { return openapi.Choice(description, "BRL") }

func schemas() openapi.Named[*openapi.Schema] {
	return openapi.Properties(
		openapi.Property("NewCheckout", newCheckoutSchema()),
		openapi.Property("Checkout", checkoutSchema()),
		openapi.Property("CheckoutList", listSchema("Checkout")),
		openapi.Property("NewPaymentLink", newPaymentLinkSchema()),
		openapi.Property("PaymentLink", paymentLinkSchema()),
		openapi.Property("PaymentLinkList", listSchema("PaymentLink")),
		openapi.Property("Balance", balanceSchema()),
		openapi.Property("NewWithdrawal", newWithdrawalSchema()),
		openapi.Property("Withdrawal", withdrawalSchema()),
		openapi.Property("WithdrawalList", listSchema("Withdrawal")),
		openapi.Property("NewRefund", newRefundSchema()),
		openapi.Property("Refund", refundSchema()),
		openapi.Property("RefundList", listSchema("Refund")),
		openapi.Property("AnyEvent", anyEventSchema()),
		openapi.Property("EventList", listSchema("AnyEvent")),
		openapi.Property("EventDeliveries", eventDeliveriesSchema()),
		openapi.Property("NewResend", newResendSchema()),
		openapi.Property("NewReplay", newReplaySchema()),
		openapi.Property("Replay", replaySchema()),
		openapi.Property("AuditLine", auditLineSchema()),
		openapi.Property("AuditList", listSchema("AuditLine")),
		openapi.Property("Event", eventSchema("What a webhook endpoint is sent about a checkout.", "checkout",
			"Checkout", slices.Concat(models.EventTypes, []string{models.EventCheckoutCancelled}))),
		openapi.Property("RefundEvent", refundEventSchema()),
		openapi.Property("WithdrawalEvent",
			eventSchema("What a live webhook endpoint that asked for it is sent about a withdrawal.", "withdrawal",
				"Withdrawal", models.WithdrawalEventTypes)),
		openapi.Property("Health", openapi.Answer("The service answers.",
			openapi.Property("status", openapi.Choice("Always `ok`.", "ok")),
			openapi.Property("version", openapi.Text("The version of this description that the service follows.")))),
		openapi.Property("Error", openapi.Answer("Every error has this envelope.",
			openapi.Property("error", openapi.Answer("What went wrong.",
				openapi.Property("type", openapi.Choice("The kind of error.", errorTypes()...)),
				openapi.Property("code", openapi.Ref("ErrorCode")),
				openapi.Property("message",
					openapi.Text("What was wrong and what to do, in English, for people. It may change; decide by "+
						"`code`.")),
				openapi.Property("requestId", openapi.Bounded("The response's Request-Id.", 1, 128)))))),
		openapi.Property("ErrorCode", errorCodeSchema()),
	)
}

func listSchema(item string) *openapi.Schema {
	return openapi.Answer("One page, newest first.",
		openapi.Property("data", &openapi.Schema{Type: openapi.Types{"array"}, Items: openapi.Ref(item),
			MaxItems: new(maxLimit)}),
		openapi.Property("nextCursor",
			openapi.Nullable(openapi.Text("The `cursor` of the next page; null on the last one."))))
}

func errorTypes() (types []string) {
	seen := map[string]bool{}
	for _, c := range ErrorCodes() {
		if !seen[c.Type] {
			types = append(types, c.Type)
		}
		seen[c.Type] = true
	}
	return types
}

func errorCodeSchema() *openapi.Schema {
	s := openapi.Text("What went wrong, for programs. A code never changes its status. New codes may come, of a " +
		"`type` that exists.")
	for _, c := range ErrorCodes() {
		if !slices.Contains(s.Known, c.Code) { // a code with two statuses stands once
			s.Known = append(s.Known, c.Code)
		}
	}
	return s
}

func newCheckoutSchema() *openapi.Schema {
	description := openapi.Bounded("What is sold; the buyer reads it. Without control characters save line feeds; "+
		"spaces around it are cut off.", 1, 500)
	description.Pattern = texts().lines
	externalID := openapi.Bounded("Your own reference, to find the checkout again. Need not be unique. Printable "+
		"characters.", 1, 255)
	externalID.Pattern = texts().printable
	expiresIn := openapi.Nullable(openapi.Integer("Seconds until the code cannot be paid any more; 1800 when absent.",
		payments.MinExpiresIn, payments.MaxExpiresIn))
	return openapi.Body("A checkout to create.", []string{"amount", "description", "externalId"},
		openapi.Property("amount",
			openapi.Integer("Centavos of BRL: 4990 is R$49.90. The account may have narrower bounds, by default "+
				"R$0.01 to R$1,000,000.00.", 1, int64(money.Max))),
		openapi.Property("description", description),
		openapi.Property("externalId", externalID),
		openapi.Property("currency", openapi.Nullable(brl("Always `BRL`."))),
		openapi.Property("customer", newCustomerSchema()),
		openapi.Property("metadata", metadataSchema(true)),
		openapi.Property("expiresIn", expiresIn))
}

func newCustomerSchema() *openapi.Schema {
	email := openapi.Nullable(openapi.Bounded("An email address. It may have letters beyond ASCII.", 3,
		input.MaxEmail))
	email.Pattern = texts().email
	phone := openapi.Nullable(
		openapi.Bounded("Digits, spaces and `+ ( ) -`. It is stored encrypted and never returned.", 8, 20))
	phone.Pattern = phonePattern
	name := openapi.Bounded("Who buys.", 1, 200)
	name.Pattern = texts().line
	document := openapi.Nullable(openapi.Bounded("A document's number. It is not checked against a tax register.", 3,
		32))
	document.Pattern = texts().document
	s := openapi.Body("Who buys: the name, and at least one of `email`, `document` and `phone`.", []string{"name"},
		openapi.Property("name", name),
		openapi.Property("email", email),
		openapi.Property("document", document),
		openapi.Property("phone", phone))
	s.AnyOf = []*openapi.Schema{{Type: openapi.Types{"null"}}}
	for _, member := range []string{"email", "document", "phone"} {
		given := &openapi.Schema{Type: openapi.Types{"string"}}
		s.AnyOf = append(s.AnyOf, &openapi.Schema{Required: []string{member},
			Properties: openapi.Properties(openapi.Property(member, given))})
	}
	return openapi.Nullable(s)
}

func metadataSchema(given bool) *openapi.Schema {
	names, values := openapi.Bounded("", 1, 40), openapi.Bounded("", 0, 500)
	names.Pattern, values.Pattern = texts().plain, texts().storable
	s := &openapi.Schema{
		Type:          openapi.Types{"object"},
		Description:   "Texts of your own by name. The order of the names is not kept; empty when there are none.",
		MaxProperties: new(payments.MaxMetadata), PropertyNames: names, AdditionalProperties: values,
	}
	if given {
		return openapi.Nullable(s)
	}
	return s
}

func checkoutSchema() *openapi.Schema {
	settled := openapi.Nullable(decimal("What you receive, after the fee; null until it is available."))
	return openapi.Answer("A charge that a buyer can pay through Pix.",
		openapi.Property("id", openapi.Pattern(`^chk_[0-9a-f]{20}$`, "The checkout's id.")),
		openapi.Property("livemode", openapi.Flag("False for what a test key made.")),
		openapi.Property("status", openapi.Choice("`PENDING` until it is paid, expires or is cancelled.",
			models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired, models.CheckoutCancelled)),
		openapi.Property("amount", openapi.Integer("Centavos of BRL.", 1, int64(money.Max))),
		openapi.Property("currency", brl("Always `BRL`.")),
		openapi.Property("description", openapi.Text("What is sold.")),
		openapi.Property("externalId", openapi.Text("Your own reference.")),
		openapi.Property("checkoutUrl", openapi.Address("The hosted page where the buyer pays.")),
		openapi.Property("createdAt", instant("When it was created.")),
		openapi.Property("expiresAt", instant("Until when it can be paid.")),
		openapi.Property("paidAt", openapi.Nullable(instant("When the bank confirmed the payment; null until then."))),
		openapi.Property("customer", openapi.Answer("Who buys, as you said; the phone is never returned.",
			openapi.Property("name", openapi.Nullable(openapi.Text("The name."))),
			openapi.Property("email", openapi.Nullable(openapi.Text("The email address."))),
			openapi.Property("document", openapi.Nullable(openapi.Text("The document's number."))))),
		openapi.Property("pix", openapi.Answer("What the buyer's bank app reads.",
			openapi.Property("copyPaste", openapi.Text("The Pix copy-and-paste code.")),
			openapi.Property("qrCodeUrl",
				openapi.Address("The code as an image, ready for the `src` of an `img`: in test a `data:` URI, in "+
					"live an address.")))),
		openapi.Property("settlement", openapi.Answer("How far the money has come.",
			openapi.Property("currency", brl("Always `BRL`.")),
			openapi.Property("status",
				openapi.Choice("`PENDING`, then `AVAILABLE` in your balance, then `COMPLETED` once paid out.",
					models.SettlementPending, models.SettlementAvailable, models.SettlementCompleted)),
			openapi.Property("amount", settled))),
		openapi.Property("metadata", metadataSchema(false)))
}

func newPaymentLinkSchema() *openapi.Schema {
	expiresIn := openapi.Nullable(openapi.Integer("Seconds until the checkouts that the link makes expire; 1800 when "+
		"absent.", payments.MinLinkExpiresIn, payments.MaxExpiresIn))
	product := openapi.Bounded("The slug of an active product of the key's project and environment.", 1, 255)
	product.Pattern = texts().plain
	target := func(description string) *openapi.Schema {
		s := openapi.Nullable(openapi.Bounded(description+
			" http or https, https alone for live keys, without user name. An empty text counts as none.", 0, 2048))
		s.Pattern = texts().address
		return s
	}
	kind := openapi.Nullable(buyerDataSchema())
	kind.Description += " `" + string(models.BuyerDataOptional) + "` when absent."
	most := openapi.Nullable(openapi.Integer("How many units a buyer may buy at once; 1 when absent, and with "+
		"`openAmount`.", 1, payments.MaxLinkQuantity))
	ends := openapi.Nullable(openapi.Text("From when on the link sells no more: in the future, by RFC 3339."))
	ends.Format, ends.Pattern = "date-time", momentPattern
	return openapi.Body("A payment link to create.", []string{"productId"},
		openapi.Property("productId", product),
		openapi.Property("expiresInSeconds", expiresIn),
		openapi.Property("successUrl",
			target("Where the buyer may go after paying; `{CHECKOUT_ID}` in it is replaced.")),
		openapi.Property("returnUrl", target("Where the buyer may go back to without paying.")),
		openapi.Property("buyerData", kind), openapi.Property("maxQuantity", most),
		openapi.Property("openAmount", openapi.Nullable(openapi.Body(openAmountText, []string{"minAmount", "maxAmount"},
			openAmountMembers()...))),
		openapi.Property("stock", openapi.Nullable(openapi.Integer("How many units the link may sell. Without it, "+
			"there is no limit.", 0, payments.MaxLinkStock))),
		openapi.Property("endsAt", ends))
}

const openAmountText = "The buyer chooses an amount between these bounds, and the product's price is not used."

func openAmountMembers() []openapi.Entry[*openapi.Schema] {
	return []openapi.Entry[*openapi.Schema]{
		openapi.Property("minAmount", openapi.Integer("The least, in centavos of BRL.", 1, int64(money.Max))),
		openapi.Property("maxAmount", openapi.Integer("The most, in centavos of BRL.", 1, int64(money.Max))),
	}
}

func buyerDataSchema() *openapi.Schema {
	return openapi.Choice("What the link's page asks of a buyer: nothing, name and email if the buyer likes, or both.",
		models.BuyerDataKinds...)
}

func paymentLinkSchema() *openapi.Schema {
	answer := openapi.Answer("An address that makes a checkout of a product at each use. What it says of the "+
		"product is the product's now. The members `buyerData`, `maxQuantity`, `openAmount`, `stock` and `endsAt` "+
		"are there if the link has such a term.",
		openapi.Property("paymentLinkId",
			openapi.Text("The link's id; treat it as opaque. The public address is `/l/` and the id, at the host of "+
				"the hosted pages.")),
		openapi.Property("livemode", openapi.Flag("True for what a live key made.")),
		openapi.Property("active", openapi.Flag("Whether the link can be used.")),
		openapi.Property("productId", openapi.Bounded("The product's slug.", 1, 255)),
		openapi.Property("amount", openapi.Integer("The product's price in centavos of BRL.", 1, int64(money.Max))),
		openapi.Property("currency", brl("Always `BRL`.")),
		openapi.Property("name", openapi.Text("The product's name.")),
		openapi.Property("description", openapi.Nullable(openapi.Text("The product's description."))),
		openapi.Property("imageUrl",
			openapi.Nullable(openapi.Address("Where the product's picture is: on the host of the hosted pages, a "+
				"JPEG of at most 1200 pixels a side, or elsewhere if the address was typed before pictures were "+
				"uploaded. A new picture has a new address, and the one before it stops working."))),
		openapi.Property("paymentCycle",
			openapi.Choice("How the product is billed. Each use charges once, whatever the cycle.",
				models.PaymentCycles...)),
		openapi.Property("expiresInSeconds", openapi.Integer("Seconds until the checkouts that the link makes expire.",
			payments.MinLinkExpiresIn, payments.MaxExpiresIn)),
		openapi.Property("successUrl",
			openapi.Nullable(openapi.Text("Where the buyer may go after paying, as you wrote it."))),
		openapi.Property("returnUrl",
			openapi.Nullable(openapi.Text("Where the buyer may go back to without paying, as you wrote it."))),
		openapi.Property("buyerData", buyerDataSchema()),
		openapi.Property("maxQuantity", openapi.Integer("How many units a buyer may buy at once, if more than one.", 2,
			payments.MaxLinkQuantity)),
		openapi.Property("openAmount", openapi.Answer(openAmountText, openAmountMembers()...)),
		openapi.Property("stock", openapi.Integer("How many units new checkouts may have: those of open checkouts are "+
			"not among them.", 0, payments.MaxLinkStock)),
		openapi.Property("endsAt", instant("From when on the link sells no more.")),
		openapi.Property("createdAt", instant("When it was created.")),
		openapi.Property("updatedAt", instant("When it was last changed.")))
	return openapi.Optional(answer, "buyerData", "maxQuantity", "openAmount", "stock", "endsAt")
}

func balanceSchema() *openapi.Schema {
	return openapi.Answer("The account's money in the key's environment. Always: gross − fee − refunds − withdrawn = "+
		"pending + available + reserved + blocked.",
		openapi.Property("livemode", openapi.Flag("The key's environment.")),
		openapi.Property("currency", brl("Always `BRL`.")),
		openapi.Property("grossAmount", decimal("All that was ever received.")),
		openapi.Property("feeAmount", decimal("All fees ever charged.")),
		openapi.Property("pendingAmount", decimal("Received, not available yet.")),
		openapi.Property("availableAmount", decimal("Ready to withdraw.")),
		openapi.Property("reservedAmount", decimal("Held by withdrawals under way.")),
		openapi.Property("blockedAmount", decimal("Held back by the operators.")))
}

func newWithdrawalSchema() *openapi.Schema {
	amount := openapi.Pattern(`^\d{1,10}(\.\d{1,2})?$`, "Reais as a decimal string, by default 5.00 to 100000.00.")
	amount.Examples = []any{"150.00"}
	return openapi.Body("A withdrawal to request. It goes to the account's approved destination for the rail.",
		[]string{"rail", "amount"},
		openapi.Property("rail", openapi.Choice("Pix in BRL, or a USDT wallet.", models.RailPix, models.RailUSDT)),
		openapi.Property("amount", amount))
}

func withdrawalSchema() *openapi.Schema {
	return openapi.Answer("Money that leaves the balance.",
		openapi.Property("id", openapi.Pattern(`^wdr_[0-9a-f]{20}$`, "The withdrawal's id.")),
		openapi.Property("livemode", openapi.Flag("Always true: withdrawals exist in live mode only.")),
		openapi.Property("rail", openapi.Choice("Pix in BRL, or a USDT wallet.", models.RailPix, models.RailUSDT)),
		openapi.Property("status",
			openapi.Choice(
				"`PENDING_REVIEW`, then `APPROVED`, `PROCESSING` and `COMPLETED`; or how it ended otherwise.",
				models.WithdrawalStatuses...)),
		openapi.Property("currency", brl("Always `BRL`.")),
		openapi.Property("amount", decimal("What leaves the balance.")),
		openapi.Property("feeAmount", decimal("The fee in it.")),
		openapi.Property("netAmount", decimal("What arrives, before any exchange.")),
		openapi.Property("destination", openapi.Answer("The approved destination when the withdrawal was requested.",
			openapi.Property("type", openapi.Text("The kind of Pix key, or of wallet.")),
			openapi.Property("key", openapi.Nullable(openapi.Text("The Pix key, masked; null for a wallet."))),
			openapi.Property("address",
				openapi.Nullable(openapi.Text("The wallet's address, masked; null for a Pix key."))),
			openapi.Property("network", openapi.Nullable(openapi.Text("The wallet's network; null for a Pix key."))),
			openapi.Property("holderName", openapi.Nullable(openapi.Text("Whose it is."))))),
		openapi.Property("quote",
			openapi.Nullable(openapi.Answer("The exchange rate: at the request, indicative; once it is approved, the "+
				"one that counts. Null for Pix.",
				openapi.Property("asset", openapi.Choice("Always `USDT`.", "USDT")),
				openapi.Property("network", openapi.Text("The wallet's network.")),
				openapi.Property("rate", openapi.Text("Reais for one USDT.")),
				openapi.Property("amount", openapi.Text("USDT that arrive.")),
				openapi.Property("expiresAt", instant("Until when the rate was good."))))),
		openapi.Property("endToEndId", openapi.Nullable(openapi.Text("The Pix payment's id; null until it was made."))),
		openapi.Property("txHash",
			openapi.Nullable(openapi.Text("The transaction on the wallet's network; null until it was made."))),
		openapi.Property("failureCode",
			openapi.Nullable(openapi.Text("Why it was rejected, failed or came back, for programs."))),
		openapi.Property("reason", openapi.Nullable(openapi.Text("The same for people."))),
		openapi.Property("createdAt", instant("When it was requested.")),
		openapi.Property("approvedAt", openapi.Nullable(instant("When it was approved."))),
		openapi.Property("completedAt", openapi.Nullable(instant("When it was completed."))),
		openapi.Property("updatedAt", instant("When it last changed.")))
}

func eventSchema(description, about, schema string, types []string) *openapi.Schema {
	return openapi.Answer(description,
		openapi.Property("id", openapi.Pattern(`^evt_[0-9a-f]{24}$`,
			"The event's id, the same at every attempt: handle each id once.")),
		openapi.Property("type", openapi.Choice("What happened.", types...)),
		openapi.Property("createdAt", instant("When it happened.")),
		openapi.Property("livemode", openapi.Flag("The environment it happened in.")),
		openapi.Property("data", openapi.Answer("What it is about, as it was then.",
			openapi.Property(about, openapi.Ref(schema)))))
}
