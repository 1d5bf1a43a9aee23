package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
)

// Each rule of the fields of links, at its bound and one beyond (contract 2.5).
func TestCreatePaymentLink_Fields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	longest := strings.Repeat("v", 255)
	for _, slug := range []string{"vaso", longest} {
		_, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test,
			merchants.ProductForm{Slug: slug, Name: "Vaso", Amount: 4990, PaymentCycle: "ONE_TIME"})
		if err != nil {
			t.Fatal(err)
		}
	}
	uri := func(n int) string {
		return quoted("https://loja.example/" + strings.Repeat("x", n-len("https://loja.example/")))
	}
	for i, tc := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"productId":"vaso"}`, 201, ""},
		{`{"productId":` + quoted(longest) + `}`, 201, ""},
		{`{"productId":` + quoted(longest+"v") + `}`, 400, "invalid_request_body"},
		{`{"productId":""}`, 400, "invalid_request_body"},
		{`{"productId":null}`, 400, "invalid_request_body"},
		{`{}`, 400, "invalid_request_body"},
		{`{"productId":"nenhum"}`, 404, "product_not_found"},
		{`{"productId":"vaso","expiresInSeconds":900}`, 201, ""},
		{`{"productId":"vaso","expiresInSeconds":86400}`, 201, ""},
		{`{"productId":"vaso","expiresInSeconds":899}`, 422, "invalid_expires_in"},
		{`{"productId":"vaso","expiresInSeconds":86401}`, 422, "invalid_expires_in"},
		{`{"productId":"vaso","expiresInSeconds":"900"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","successUrl":` + uri(2048) + `}`, 201, ""},
		{`{"productId":"vaso","successUrl":` + uri(2049) + `}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","returnUrl":"http://loja.example"}`, 201, ""},
		{`{"productId":"vaso","returnUrl":"","successUrl":null}`, 201, ""},
		{`{"productId":"vaso","returnUrl":"javascript:alert(1)"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","returnUrl":"/obrigado"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","returnUrl":"https://"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","buyerData":"REQUIRED","maxQuantity":100,"stock":100000}`, 201, ""},
		{`{"productId":"vaso","buyerData":null,"maxQuantity":null,"stock":null,"openAmount":null}`, 201, ""},
		{`{"productId":"vaso","endsAt":null}`, 201, ""},
		{`{"productId":"vaso","buyerData":"off"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","maxQuantity":0}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","maxQuantity":101}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","maxQuantity":9223372036854775807}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","stock":-1}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","stock":0}`, 201, ""},
		{`{"productId":"vaso","stock":100001}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","openAmount":{"minAmount":1,"maxAmount":999999999999}}`, 201, ""},
		{`{"productId":"vaso","openAmount":{"minAmount":1,"maxAmount":1000000000000}}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","openAmount":{"minAmount":0,"maxAmount":100}}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","openAmount":{"minAmount":101,"maxAmount":100}}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","openAmount":{"minAmount":100}}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","openAmount":{"minAmount":1,"maxAmount":2,"x":1}}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","maxQuantity":2,"openAmount":{"minAmount":1,"maxAmount":2}}`, 400,
			"invalid_request_body"},
		{`{"productId":"vaso","endsAt":"2999-12-31T23:59:59-03:00"}`, 201, ""},
		{`{"productId":"vaso","endsAt":"2020-01-01T00:00:00Z"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","endsAt":"2999-12-31"}`, 400, "invalid_request_body"},
		{`{"productId":"vaso","amount":1}`, 400, "invalid_request_body"},
		{`{`, 400, "invalid_request_body"},
		{`[]`, 400, "invalid_request_body"},
	} {
		a := s.send(t, http.MethodPost, "/v1/payment-links", tc.body, as(s.key, "Idempotency-Key", strconv.Itoa(i))...)
		if a.status != tc.status || tc.code != "" && a.fault(t).Error.Code != tc.code {
			t.Errorf("%.80s: %d %.200s, want %d %s", tc.body, a.status, a.body, tc.status, tc.code)
		}
	}
}

// An address whose host stands behind a user name is refused, and the message names the field.
func TestCreatePaymentLink_User(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, field := range []string{"successUrl", "returnUrl"} {
		for i, address := range []string{"https://bank.example@loja.example/", "https://a:b@loja.example/",
			"https://@loja.example/"} {
			a := s.send(t, http.MethodPost, "/v1/payment-links", `{"productId":"vaso","`+field+`":`+quoted(address)+`}`,
				as(s.key, "Idempotency-Key", field+strconv.Itoa(i))...)
			want := field + " must have no user name or password before its host."
			if got := a.fault(t).Error; a.status != 400 || got.Code != "invalid_request_body" ||
				!strings.Contains(a.body, want) {
				t.Errorf("%s %s: %d %s, want %q", field, address, a.status, a.body, want)
			}
		}
	}
}

// By default a link lasts 1800 seconds and its addresses are null. Live accepts only https.
func TestCreatePaymentLink_Absent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Approve(t)
	for _, scope := range []models.Scope{s.Test, s.Live} {
		_, err := s.Merchants.CreateProduct(t.Context(), s.Owner, scope,
			merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 4990, PaymentCycle: "ONE_TIME"})
		if err != nil {
			t.Fatal(err)
		}
	}
	made := s.send(t, http.MethodPost, "/v1/payment-links", `{"productId":"vaso","successUrl":""}`,
		as(s.key, "Idempotency-Key", "a")...)
	var link struct {
		ExpiresInSeconds      int
		SuccessURL, ReturnURL *string
	}
	if err := json.Unmarshal([]byte(made.body), &link); err != nil || link.ExpiresInSeconds != 1800 ||
		link.SuccessURL != nil || link.ReturnURL != nil {
		t.Errorf("%d %s, %v", made.status, made.body, err)
	}
	live := s.Key(t, s.Live, models.Permissions...)
	for address, want := range map[string]int{"http://loja.example": 400, "https://loja.example": 201} {
		a := s.send(t, http.MethodPost, "/v1/payment-links", `{"productId":"vaso","successUrl":`+quoted(address)+`}`,
			as(live, "Idempotency-Key", address)...)
		if a.status != want {
			t.Errorf("live with %s: %d %s", address, a.status, a.body)
		}
	}
}

// A link has exactly the members that the contract lists (2.6). Each term that the contract does not know adds its
// member, and no other.
func TestPaymentLink_Members(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test,
		merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 4990, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
	contract := []string{"active", "amount", "createdAt", "currency", "description", "expiresInSeconds", "imageUrl",
		"livemode", "name", "paymentCycle", "paymentLinkId", "productId", "returnUrl", "successUrl", "updatedAt"}
	for term, value := range map[string]string{"": "", "buyerData": `"OFF"`, "maxQuantity": "2", "stock": "0",
		"openAmount": `{"minAmount":100,"maxAmount":200}`, "endsAt": `"2999-12-31T23:59:59.000Z"`} {
		body, want := `{"productId":"vaso"}`, contract
		if term != "" {
			body = `{"productId":"vaso","` + term + `":` + value + `}`
			want = slices.Sorted(slices.Values(append([]string{term}, contract...)))
		}
		made := s.send(t, http.MethodPost, "/v1/payment-links", body, as(s.key, "Idempotency-Key", "k"+term)...)
		var link map[string]json.RawMessage
		if err := json.Unmarshal([]byte(made.body), &link); err != nil {
			t.Fatalf("%d %s, %v", made.status, made.body, err)
		}
		if got := slices.Sorted(maps.Keys(link)); !slices.Equal(got, want) || string(link[term]) != value {
			t.Errorf("%s: %v %s, want %v", term, got, link[term], want)
		}
	}
}
