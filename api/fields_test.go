package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
)

// field is one member of a body and the expected result: code "" means accepted.
type field struct {
	name, raw string
	code      string
	says      string // contained in the message, which names the member
}

const (
	invalid  = "invalid_request_body"
	tooSoon  = "invalid_expires_in"
	accepted = ""
)

// text returns a JSON string of n characters of two bytes each.
func text(n int) string { return quoted(strings.Repeat("ã", n)) }

var amounts = []field{
	{"amount", `1`, accepted, ""},
	{"amount", `100000000`, accepted, ""}, // the account's largest amount
	{"amount", `100000001`, invalid,
		"amount must be 1 to 100000000 centavos for this account (R$ 0.01 to R$ 1000000.00)."},
	{"amount", `0`, invalid, "amount must be 1 to 999999999999 centavos."},
	{"amount", `-0`, invalid, "amount must be"},
	{"amount", `-1`, invalid, "amount must be"},
	{"amount", `1000000000000`, invalid, "amount must be 1 to 999999999999 centavos."},
	{"amount", `9223372036854775808`, invalid, "amount must be"}, // 2^63
	{"amount", `18446744073709551617`, invalid, "amount must be"},
	{"amount", strings.Repeat("9", 400), invalid, "amount must be"},
	{"amount", `10.0`, invalid, "amount must be an integer, without fraction or exponent."},
	{"amount", `10.5`, invalid, "amount must be an integer"},
	{"amount", `1e3`, invalid, "amount must be an integer"},
	{"amount", `1E+3`, invalid, "amount must be an integer"},
	{"amount", `1e999999999`, invalid, "amount must be an integer"},
	{"amount", `"10"`, invalid, "amount must be a number, not a string."},
	{"amount", `true`, invalid, "amount must be a number, not a boolean."},
	{"amount", `[10]`, invalid, "amount must be a number, not an array."},
	{"amount", `null`, invalid, "amount is required."},
	{"amount", ``, invalid, "amount is required."},
}

var texts = []field{
	{"description", `"x"`, accepted, ""},
	{"description", text(500), accepted, ""},
	{"description", quoted(" " + strings.Repeat("ã", 500) + "\n"), accepted, ""}, // trimmed first
	{"description", `"uma\nlinha e outra"`, accepted, ""},
	{"description", `"<b>&amp; \u2028 🐟"`, accepted, ""},
	{"description", text(501), invalid, "description must be 1 to 500 characters"},
	{"description", `""`, invalid, "description must be"},
	{"description", `" \n "`, invalid, "description must be"},
	{"description", `"\u200b"`, invalid, "description must be 1 to 500 characters"}, // shows nothing
	{"description", `" \u2060\u00ad\u3164 "`, invalid, "description must be"},
	{"description", `"a\u200eb"`, accepted, ""},
	{"description", `"a\tb"`, invalid, "description must be"},
	{"description", `"a\u0000b"`, invalid, "description must be"},
	{"description", `"a\u007fb"`, invalid, "description must be"},
	{"description", `"a\u0085b"`, invalid, "description must be"},
	{"description", `"a\u202eb"`, invalid, "description must be"}, // would display the rest backwards
	{"description", `"a\u2066b"`, invalid, "description must be"},
	{"description", `5`, invalid, "description must be a string, not a number."},
	{"description", `null`, invalid, "description is required."},
	{"description", ``, invalid, "description is required."},

	{"externalId", `"x"`, accepted, ""},
	{"externalId", text(255), accepted, ""},
	{"externalId", `"pedido nº 1 / ü"`, accepted, ""},
	{"externalId", text(256), invalid, "externalId must be 1 to 255 printable characters."},
	{"externalId", `""`, invalid, "externalId must be"},
	{"externalId", `"a\nb"`, invalid, "externalId must be"},
	{"externalId", `"a\u0000"`, invalid, "externalId must be"},
	{"externalId", `"a\u200bb"`, invalid, "externalId must be"}, // has no width, so it looks like "ab"
	{"externalId", `"a\u202eb"`, invalid, "externalId must be"},
	{"externalId", `1`, invalid, "externalId must be a string, not a number."},
	{"externalId", `null`, invalid, "externalId is required."},
	{"externalId", ``, invalid, "externalId is required."},

	{"currency", `"BRL"`, accepted, ""},
	{"currency", `"brl"`, invalid, `currency must be "BRL".`},
	{"currency", `"USD"`, invalid, `currency must be "BRL".`},
	{"currency", `""`, invalid, `currency must be "BRL".`},
	{"currency", `986`, invalid, "currency must be a string, not a number."},
}

var times = []field{
	{"expiresIn", `60`, accepted, ""},
	{"expiresIn", `86400`, accepted, ""},
	{"expiresIn", `59`, tooSoon, "expiresIn must be 60 to 86400 seconds."},
	{"expiresIn", `86401`, tooSoon, "expiresIn must be"},
	{"expiresIn", `0`, tooSoon, "expiresIn must be"},
	{"expiresIn", `-60`, tooSoon, "expiresIn must be"},
	{"expiresIn", strings.Repeat("9", 30), tooSoon, "expiresIn must be"},
	{"expiresIn", `"1800"`, invalid, "expiresIn must be a number, not a string."},
	{"expiresIn", `1800.0`, invalid, "expiresIn must be an integer"},
	{"expiresIn", `18e2`, invalid, "expiresIn must be an integer"},
	{"expiresIn", `false`, invalid, "expiresIn must be a number"},
	{"expiresIn", `{}`, invalid, "expiresIn must be a number"},
}

// person returns a valid customer with one member set to raw JSON.
func person(name, raw string) string {
	members := []string{`"name":"Bia"`, `"email":"bia@exemplo.com.br"`}
	switch name {
	case "name":
		members[0] = `"name":` + raw
	case "email":
		members[1] = `"email":` + raw
	default:
		members = append(members, quoted(name)+":"+raw)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// address returns an email address of n characters.
func address(n int) string {
	return quoted(strings.Repeat("a", n-len("@exemplo.com.br")) + "@exemplo.com.br")
}

var customers = []field{
	{"customer", `{"name":"Bia","email":"bia@exemplo.com.br"}`, accepted, ""},
	{"customer", `{"name":"Bia","document":"123"}`, accepted, ""},
	{"customer", `{"name":"Bia","phone":"11 98765-4321"}`, accepted, ""},
	{"customer", `{"name":"Bia","email":null,"document":"123","phone":null}`, accepted, ""},
	{"customer", `{}`, invalid, "customer.name is required."},
	{"customer", `{"email":"bia@exemplo.com.br"}`, invalid, "customer.name is required."},
	{"customer", `{"name":null,"email":"bia@exemplo.com.br"}`, invalid, "customer.name is required."},
	{"customer", `{"name":"Bia"}`, invalid, "at least one of customer.email, customer.document and customer.phone"},
	{"customer", `{"name":"Bia","email":null}`, invalid, "at least one of customer.email"},
	{"customer", `"Bia"`, invalid, "customer must be an object, not a string."},
	{"customer", `[]`, invalid, "customer must be an object, not an array."},

	{"customer", person("name", text(200)), accepted, ""},
	{"customer", person("name", text(201)), invalid, "customer.name must be 1 to 200 characters"},
	{"customer", person("name", `" "`), invalid, "customer.name must be"},
	{"customer", person("name", `"\u200b"`), invalid, "customer.name must be 1 to 200 characters"},
	{"customer", person("name", `"a\nb"`), invalid, "customer.name must be"},
	{"customer", person("name", `"a\u202eb"`), invalid, "customer.name must be"},
	{"customer", person("email", address(254)), accepted, ""},
	{"customer", person("email", address(255)), invalid,
		"customer.email must be an email address of at most 254 characters."},
	{"customer", person("email", `"bia"`), invalid, "customer.email must be"},
	{"customer", person("email", `"bia@"`), invalid, "customer.email must be"},
	{"customer", person("email", `"Bia <bia@exemplo.com.br>"`), invalid, "customer.email must be"},
	{"customer", person("email", `"bia@exemplo.com.br,ana@exemplo.com.br"`), invalid, "customer.email must be"},
	{"customer", person("email", `"bia@exemplo.com.br\r\nBcc: ana@exemplo.com.br"`), invalid, "customer.email must be"},
	{"customer", person("document", `"123"`), accepted, ""},
	{"customer", person("document", text(32)), accepted, ""},
	{"customer", person("document", `"12"`), invalid, "customer.document must be 3 to 32 characters."},
	{"customer", person("document", text(33)), invalid, "customer.document must be"},
	{"customer", person("document", `12345678909`), invalid, "customer.document must be a string, not a number."},
	{"customer", person("phone", `"12345678"`), accepted, ""},
	{"customer", person("phone", `"+55 (11) 98765-43210"`), accepted, ""},
	{"customer", person("phone", `"1234567"`), invalid, "customer.phone must be 8 to 20 digits"},
	{"customer", person("phone", `"123456789012345678901"`), invalid, "customer.phone must be"},
	{"customer", person("phone", `"11 98765-432x"`), invalid, "customer.phone must be"},
	{"customer", person("phone", `"--------"`), invalid, "customer.phone must be"},
}

// entries returns an object of n texts.
func entries(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":"x"`, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

var metadata = []field{
	{"metadata", `{}`, accepted, ""},
	{"metadata", entries(50), accepted, ""},
	{"metadata", entries(51), invalid, "metadata must have at most 50 members."},
	{"metadata", `{` + text(40) + `:"x"}`, accepted, ""},
	{"metadata", `{` + text(41) + `:"x"}`, invalid, "The names in metadata must have 1 to 40 characters"},
	{"metadata", `{"":"x"}`, invalid, "The names in metadata must"},
	{"metadata", `{"a\nb":"x"}`, invalid, "The names in metadata must"},
	{"metadata", `{"a\u0000":"x"}`, invalid, "The names in metadata must"},
	{"metadata", `{"nota":""}`, accepted, ""},
	// The merchant's own text, shown only to the merchant.
	{"metadata", `{"nota":"a\r\n\tb\u0001 \u202e"}`, accepted, ""},
	{"metadata", `{"nota":` + text(500) + `}`, accepted, ""},
	{"metadata", `{"nota":` + text(501) + `}`, invalid, "metadata.nota must have at most 500 characters"},
	{"metadata", `{"nota":"a\u0000"}`, invalid, "metadata.nota must have"},
	{"metadata", `{"nota":1}`, invalid, "metadata.nota must be a string, not a number."},
	{"metadata", `{"nota":null}`, invalid, "metadata.nota must be a string, not null."},
	{"metadata", `{"nota":{"a":"b"}}`, invalid, "metadata.nota must be a string, not an object."},
	{"metadata", `[]`, invalid, "metadata must be an object, not an array."},
	{"metadata", `"x"`, invalid, "metadata must be an object, not a string."},
}

var unknowns = []field{
	{"amout", `1`, invalid, `Unknown member "amout". The closest known one is "amount".`},
	{"Amount", `1`, invalid, `Unknown member "Amount". The closest known one is "amount".`},
	{"external_id", `"x"`, invalid, `Unknown member "external_id". The closest known one is "externalId".`},
	{"expiresI", `60`, invalid, `The closest known one is "expiresIn".`},
	{"expiresInSeconds", `60`, invalid, `Known are amount, description,`},
	{"meta", `null`, invalid, `Known are amount, description,`},
	{"", `1`, invalid, `Unknown member ""`},
	{strings.Repeat("x", 5000), `1`, invalid, `Unknown member "` + strings.Repeat("x", 80) + `". Known are`},
	{"successUrl", `"x"`, invalid, `Unknown member "successUrl". Known are amount, description, externalId, ` +
		`currency, customer, metadata, expiresIn.`},
	{"items", `[]`, invalid, `Unknown member "items". Known are amount,`},
	{"a\n\u202e", `1`, invalid, `Unknown member "a\n\u202e".`},
	{"customer", person("emial", `"x"`), invalid,
		`Unknown member "customer.emial". The closest known one is "customer.email".`},
	{"customer", person("address", `{}`), invalid, `Unknown member "customer.address". Known are customer.name, ` +
		`customer.email, customer.document, customer.phone.`},
}

// Each rule of docs/rules.md, "Fields", accepts its bound and refuses one beyond. A refusal
// names the member, and nothing is stored.
func TestCreateCheckout_Fields(t *testing.T) {
	t.Parallel()
	for group, fields := range map[string][]field{
		"amount": amounts, "texts": texts, "expiresIn": times, "customer": customers, "metadata": metadata,
		"unknown": unknowns,
	} {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			made := 0
			for _, f := range fields {
				a := s.create(t, with(f.name, f.raw))
				if f.code == accepted {
					if made++; a.status != 201 {
						t.Errorf("%s %.80s: %d %s", f.name, f.raw, a.status, a.body)
					}
					continue
				}
				status := map[string]int{invalid: 400, tooSoon: 422}[f.code]
				if !a.refused(t, status, f.code) || !strings.Contains(a.fault(t).Error.Message, f.says) {
					t.Errorf("%s %.80s: %d %s; want %d %s, %q", f.name, f.raw, a.status, a.body, status, f.code, f.says)
				}
			}
			if n := s.checkouts(t); n != made {
				t.Errorf("%d checkouts, want %d", n, made)
			}
		})
	}
}

// The stored values are those of the request, without surrounding space.
func TestCreateCheckout_Kept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got := plain(t, s.create(t, with("description", `"  Vaso\n  azul \n"`, "externalId", `" p 1 "`, "customer",
		`{"name":" Bia ","document":" 123 "}`)).body)
	customer, _ := got["customer"].(map[string]any)
	if got["description"] != "Vaso\n  azul" || got["externalId"] != " p 1 " || customer["name"] != "Bia" ||
		customer["document"] != "123" {
		t.Errorf("got %v", got)
	}
}

// The account's policy limits the amount, and so does the size of a code. A repeated request
// gets its first answer, even if the policy has changed.
func TestCreateCheckout_AccountPolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.create(t, with("amount", "499"), "Idempotency-Key", "k")
	least, most := money.Cents(500), money.Max
	s.SetLimits(t, models.Limits{MinAmount: &least, MaxAmount: &most})
	s.Clock.Advance(time.Second) // the key's account is read again
	if again := s.create(t, with("amount", "499"), "Idempotency-Key", "k"); again.status != 200 ||
		again.id(t) != first.id(t) {
		t.Errorf("repeated after the change: %d %s", again.status, again.body)
	}
	for _, f := range []field{
		{"amount", `500`, accepted, ""},
		{"amount", `499`, invalid,
			"amount must be 500 to 999999999999 centavos for this account (R$ 5.00 to R$ 9999999999.99)."},
		{"amount", `999999999999`, accepted, ""},
		{"amount", `1000000000000`, invalid, "amount must be 1 to 999999999999 centavos."},
	} {
		a := s.create(t, with(f.name, f.raw))
		if f.code == accepted && a.status != 201 ||
			f.code != accepted && !strings.Contains(a.fault(t).Error.Message, f.says) {
			t.Errorf("%s: %d %s", f.raw, a.status, a.body)
		}
	}
}
