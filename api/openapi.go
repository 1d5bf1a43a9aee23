package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gofiber/fiber/v2"

	"garoupa/api/openapi"
	"garoupa/internal/ratelimit"
	"garoupa/models"
)

// The groups of operations, as tags.
const (
	tagCheckouts    = "Checkouts"
	tagPaymentLinks = "Payment links"
	tagBalance      = "Balance"
	tagWithdrawals  = "Withdrawals"
	tagTest         = "Test mode"
	tagAvailability = "Availability"
)

// bearer is the name of the security scheme.
const bearer = "apiKey"

const overview = `Charge buyers in Brazil through Pix, follow payments, read the balance and request withdrawals.

Bodies are JSON. Amounts of charges are integers in centavos of BRL; amounts of balances and withdrawals ` +
	`are decimal strings in reais. Times are RFC 3339 in UTC.

Test and live share one address: the key decides. What one environment has does not exist in the other.

Every response has a Request-Id. Every error has the same envelope; an unknown path is 404 ` + "`not_found`" +
	`, a known one with another method 405 ` + "`method_not_allowed`" + `.`

// Document describes the API. baseURL is the API's address, checkoutURL that of the hosted
// pages, appURL that of the documentation; none has a slash at the end.
func Document(baseURL, checkoutURL, appURL string) *openapi.Document {
	examples := newExamples(checkoutURL)
	operations := paths(examples)
	return &openapi.Document{
		OpenAPI: "3.1.1",
		Info: openapi.Info{Title: "Garoupa", Version: Version, Summary: "Pix payments", Description: overview,
			Contact: openapi.Contact{Name: "Garoupa", URL: appURL + "/docs"},
			License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"}},
		Docs:     openapi.ExternalDocs{Description: "Guides and reference.", URL: appURL + "/docs"},
		Servers:  []openapi.Server{{URL: baseURL, Description: "Test and live; the key decides."}},
		Security: []openapi.Requirement{{bearer: {}}},
		Tags: []openapi.Tag{
			{Name: tagCheckouts, Description: "Charges that a buyer pays through Pix."},
			{Name: tagPaymentLinks, Description: "Addresses that create a checkout for a product on each use."},
			{Name: tagRefunds, Description: "Money of paid checkouts that goes back to buyers."},
			{Name: tagEvents, Description: "What webhooks send, to read and to have sent again."},
			{Name: tagAudit, Description: "What happened in the account, for monitors."},
			{Name: tagBalance, Description: "The account's money."},
			{Name: tagWithdrawals,
				Description: "Money that leaves the balance, in live mode only. Each request is reviewed."},
			{Name: tagTest, Description: "What a buyer, the clock or the institution would do, for test keys only."},
			{Name: tagAvailability, Description: "Public: no key."},
		},
		Paths:      operations,
		Webhooks:   webhooks(examples),
		Components: components(operations),
	}
}

func components(operations openapi.Named[openapi.PathItem]) openapi.Components {
	count := func(description string) openapi.Header {
		return openapi.Header{Description: description,
			Schema: &openapi.Schema{Type: openapi.Types{"integer"}, Minimum: new(int64(0))}}
	}
	retry := count("Seconds to wait before the next request.")
	retry.Required, retry.Schema.Minimum = true, new(int64(1))
	answers, examples := errorComponents(operations)
	return openapi.Components{
		SecuritySchemes: openapi.Named[openapi.SecurityScheme]{{Name: bearer, Value: openapi.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "svc_test_… or svc_live_…",
			Description: "An API key from the dashboard. It is a secret: keep it on your server. The permission that " +
				"an operation needs is listed with it.",
		}}},
		Headers: openapi.Named[openapi.Header]{
			{Name: "RequestId", Value: openapi.Header{
				Description: "Identifies the request: yours, if you sent one, or else a new one. Include it when you " +
					"ask for help.", Required: true,
				Schema: openapi.Pattern(`^[A-Za-z0-9._:-]{1,128}$`, ""), Example: exampleRequestID,
			}},
			{Name: "RateLimitLimit", Value: count("How many requests the key's bucket holds.")},
			{Name: "RateLimitRemaining", Value: count("How many are left.")},
			{Name: "RateLimitReset", Value: count("Seconds until the bucket is full again.")},
			{Name: "RetryAfter", Value: retry},
			{Name: "WWWAuthenticate", Value: openapi.Header{
				Description: "How to authenticate.", Required: true,
				Schema: &openapi.Schema{Type: openapi.Types{"string"}, Const: "Bearer"},
			}},
		},
		Responses: answers,
		Examples:  examples,
		Schemas:   schemas(),
	}
}

// rateHeaders are the headers with the state of the key's bucket, for authenticated callers.
var rateHeaders = openapi.Named[openapi.Header]{
	{Name: "RateLimit-Limit", Value: openapi.HeaderRef("RateLimitLimit")},
	{Name: "RateLimit-Remaining", Value: openapi.HeaderRef("RateLimitRemaining")},
	{Name: "RateLimit-Reset", Value: openapi.HeaderRef("RateLimitReset")},
}

// paths returns all operations, group by group.
func paths(x examples) openapi.Named[openapi.PathItem] {
	return openapi.Named[openapi.PathItem]{
		{Name: "/v1/checkouts", Value: openapi.PathItem{Post: createCheckoutOperation(x),
			Get: listCheckoutsOperation(x)}},
		{Name: "/v1/checkouts/{checkoutId}", Value: openapi.PathItem{Get: readCheckoutOperation(x)}},
		{Name: "/v1/refunds", Value: openapi.PathItem{Post: createRefundOperation(x), Get: listRefundsOperation(x)}},
		{Name: "/v1/refunds/{refundId}", Value: openapi.PathItem{Get: readRefundOperation(x)}},
		{Name: "/v1/payment-links", Value: openapi.PathItem{Post: createPaymentLinkOperation(x),
			Get: listPaymentLinksOperation(x)}},
		{Name: "/v1/payment-links/{paymentLinkId}", Value: openapi.PathItem{Get: readPaymentLinkOperation(x)}},
		{Name: "/v1/events", Value: openapi.PathItem{Get: listEventsOperation(x)}},
		{Name: "/v1/events/{eventId}", Value: openapi.PathItem{Get: readEventOperation(x)}},
		{Name: "/v1/events/{eventId}/resend", Value: openapi.PathItem{Post: resendEventOperation(x)}},
		{Name: "/v1/events/replay", Value: openapi.PathItem{Post: replayEventsOperation()}},
		{Name: "/v1/audit", Value: openapi.PathItem{Get: listAuditOperation()}},
		{Name: "/v1/balance", Value: openapi.PathItem{Get: readBalanceOperation(x)}},
		{Name: "/v1/withdrawals", Value: openapi.PathItem{Post: createWithdrawalOperation(x),
			Get: listWithdrawalsOperation(x)}},
		{Name: "/v1/withdrawals/{withdrawalId}", Value: openapi.PathItem{Get: readWithdrawalOperation(x)}},
		{Name: "/v1/test/checkouts/{checkoutId}/pay",
			Value: openapi.PathItem{Post: simulateOperation("simulatePayment", "Pay a test checkout",
				"Pays the whole amount, as a buyer's bank would. The event `checkout.paid` goes out.",
				"paid", x.paid)}},
		{Name: "/v1/test/checkouts/{checkoutId}/expire",
			Value: openapi.PathItem{Post: simulateOperation("simulateExpiry", "Expire a test checkout",
				"Ends the checkout as if its time were over. The event `checkout.expired` goes out.", "expired",
				x.expired)}},
		{Name: "/v1/test/checkouts/{checkoutId}/cancel",
			Value: openapi.PathItem{Post: simulateOperation("simulateCancellation", "Cancel a test checkout",
				"Ends the checkout as if the institution had removed its charge.", "cancelled", x.cancelled)}},
		{Name: "/v1/test/events", Value: openapi.PathItem{Get: streamTestEventsOperation(x)}},
		{Name: "/v1/health", Value: openapi.PathItem{Get: healthOperation()}},
		{Name: "/v1/openapi.json", Value: openapi.PathItem{Get: descriptionOperation()}},
	}
}

// needs returns the security requirement for a permission of the key.
func needs(p models.Permission) *[]openapi.Requirement {
	return &[]openapi.Requirement{{bearer: {string(p)}}}
}

// anyKey is the security requirement of operations whose key needs no permission.
var anyKey = &[]openapi.Requirement{{bearer: {}}}

// public is the security requirement of operations without a key.
var public = &[]openapi.Requirement{}

// description is the document as it is served.
type description struct {
	body []byte
	etag string
}

// describe handles GET /v1/openapi.json. The document is built once.
func (s *server) describe() fiber.Handler {
	load := sync.OnceValues(func() (description, error) {
		body, err := json.Marshal(Document(s.BaseURL, s.CheckoutURL, s.AppURL))
		sum := sha256.Sum256(body)
		return description{body, `"` + hex.EncodeToString(sum[:8]) + `"`}, err
	})
	return func(c *fiber.Ctx) error {
		if d := s.Limits.Public.Take(ratelimit.AddressKey(c.IP()), s.Now()); !d.Allowed {
			return tooMany(c, d)
		}
		d, err := load()
		if err != nil {
			return fmt.Errorf("api: write the description: %w", err)
		}
		c.Set(fiber.HeaderETag, d.etag)
		c.Set(fiber.HeaderCacheControl, "public, no-cache")
		if c.Get(fiber.HeaderIfNoneMatch) == d.etag {
			return c.SendStatus(fiber.StatusNotModified)
		}
		return sendJSON(c, d.body)
	}
}
