package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/web/webtest"
)

// A customer whom the API takes is also taken from a buyer at a link and from a member
// in the dashboard, and the other way around.
func TestCustomer_OneRule(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	key := s.Key(t, s.Test, models.PermissionCheckoutCreate)
	buyer, member := s.Client(t), s.Member(t)
	for i, customer := range []struct {
		name, email string
		fine        bool
	}{
		{"Ana", "ana@example.com", true},
		{"Ana", "ana@localhost", true}, // the contract asks for no dot
		{"Ana", "joão@exemplo.com.br", true},
		{"Ana", strings.Repeat("a", 242) + "@example.com", true},
		{"Ana", strings.Repeat("a", 243) + "@example.com", false},
		{"Ana", "ana", false},
		{"Ana", "Ana <ana@example.com>", false},
		{"Ana", "ana\u200b@example.com", false},
		{"Ana", "ana\u202e@example.com", false},
		{strings.Repeat("é", 200), "ana@example.com", true},
		{strings.Repeat("é", 201), "ana@example.com", false},
		{"Ana \u202e", "ana@example.com", false},
		{"\u200b", "ana@example.com", false}, // shows nothing: at a link it counts as left out
	} {
		n := strconv.Itoa(i)
		body := fmt.Sprintf(`{"amount": 100, "description": "Vaso", "externalId": "1",
			"customer": {"name": %q, "email": %q}}`, customer.name, customer.email)
		called, answer := s.Call(t, key, http.MethodPost, "/v1/checkouts", body, "Idempotency-Key", n)
		bought := buyer.Post(s.Path(), "token", n, "name", customer.name, "email", customer.email).Status
		charged := member.Post("/app/cobrancas", "key", n, "amount", "10", "description", "Vaso", "externalId", "1",
			"expiry", "1800", "customer_name", customer.name, "customer_email", customer.email).Status
		want := [3]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnprocessableEntity}
		if customer.fine {
			want = [3]int{http.StatusCreated, http.StatusSeeOther, http.StatusSeeOther}
		}
		if customer.name == "\u200b" {
			want[1] = http.StatusSeeOther
		}
		if got := [3]int{called, bought, charged}; got != want {
			t.Errorf("%.20q <%.60q>: API, link and dashboard answer %v, want %v: %v", customer.name, customer.email,
				got, want, answer)
		}
	}
}
