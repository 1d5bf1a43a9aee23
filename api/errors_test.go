package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"garoupa/fault"
)

// contract is the table of contract 7 with the types of decisions 2, and after it
// the codes that decisions adds.
var contract = map[fault.Code]response{
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
	"idempotency_conflict":           {409, "conflict_error"},
	"invalid_expires_in":             {422, "business_error"},
	"invalid_amount":                 {422, "business_error"},
	"insufficient_balance":           {422, "business_error"},
	"quote_unavailable":              {422, "business_error"},
	"rate_limit_exceeded":            {429, "rate_limit_error"},
	"provider_unavailable":           {503, "provider_error"},

	"not_found":              {404, "not_found_error"},
	"payment_link_not_found": {404, "not_found_error"},
	"method_not_allowed":     {405, "validation_error"},
	"checkout_not_pending":   {409, "conflict_error"},
	"request_too_large":      {413, "validation_error"},
	"unsupported_media_type": {415, "validation_error"},
	"internal_error":         {500, "internal_error"},
}

// Every code of package fault has a response, and every response is the contract's.
func TestResponses(t *testing.T) {
	t.Parallel()
	for _, code := range declaredCodes(t) {
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

// declaredCodes reads the constants of type Code out of package fault's source.
func declaredCodes(t *testing.T) (codes []fault.Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			for _, value := range spec.Values {
				code, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, fault.Code(code))
			}
		}
		return true
	})
	if len(codes) < 20 {
		t.Fatalf("found %d codes in the source", len(codes))
	}
	return codes
}
