package api

import (
	"testing"

	"garoupa/internal/refusal"
	"garoupa/internal/refusal/refusaltest"
)

// contract is the table of contract 7 with the types, and after it the codes that the
// contract does not list (docs/rules.md, "Refusals").
var contract = map[refusal.Code]response{
	"invalid_json":                   {400, "validation_error"},
	"invalid_request_body":           {400, "validation_error"},
	"idempotency_key_required":       {400, "validation_error"},
	"unauthorized":                   {401, "auth_error"},
	"forbidden":                      {403, "auth_error"},
	"api_key_scope_forbidden":        {403, "auth_error"},
	"test_withdrawals_not_supported": {403, "auth_error"},
	"withdrawal_readiness_required":  {403, "auth_error"},
	"account_suspended":              {403, "auth_error"},
	"live_operations_blocked":        {403, "auth_error"},
	"withdrawals_blocked":            {403, "auth_error"},
	"checkout_not_found":             {404, "not_found_error"},
	"withdrawal_not_found":           {404, "not_found_error"},
	"product_not_found":              {404, "not_found_error"},
	"refund_not_found":               {404, "not_found_error"},
	"refund_not_possible":            {422, "business_error"},
	"idempotency_conflict":           {409, "conflict_error"},
	"invalid_expires_in":             {422, "business_error"},
	"invalid_amount":                 {422, "business_error"},
	"insufficient_balance":           {422, "business_error"},
	"quote_unavailable":              {422, "business_error"},
	"rate_limit_exceeded":            {429, "rate_limit_error"},
	"provider_unavailable":           {503, "provider_error"},

	"not_found":              {404, "not_found_error"},
	"payment_link_not_found": {404, "not_found_error"},

	"event_not_found":            {404, "not_found_error"},
	"webhook_endpoint_not_found": {404, "not_found_error"},
	"webhook_endpoint_disabled":  {409, "conflict_error"},

	"method_not_allowed":     {405, "validation_error"},
	"checkout_not_pending":   {409, "conflict_error"},
	"request_too_large":      {413, "validation_error"},
	"unsupported_media_type": {415, "validation_error"},
	"internal_error":         {500, "internal_error"},
}

// Every code of package refusal has a response, and every response is that of the contract.
func TestResponses(t *testing.T) {
	t.Parallel()
	for _, code := range refusaltest.Codes(t, "../internal/refusal/refusal.go") {
		if _, known := responses[code]; !known {
			t.Errorf("%s has no response", code)
		}
	}
	for code, got := range responses {
		if want, known := contract[code]; got != want {
			t.Errorf("%s answers %v, want %v (in the table: %v)", code, got, want, known)
		}
	}
	for code := range contract {
		if _, answered := responses[code]; !answered {
			t.Errorf("%s of the contract is not in the registry", code)
		}
	}
}
