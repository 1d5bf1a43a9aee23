package banks

import (
	"strings"
	"testing"
)

// What a bank says of the address has no part of the token, also if the text was cut off in it.
func TestWithoutToken(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]string{
		"bank: forbidden (403)":                              "bank: forbidden (403)",
		"POST https://a.example/bank/" + token + "/pix: 403": "POST https://a.example/bank/…/pix: 403",
		token + " e " + token:                                "… e …",
		"https://a.example/bank/" + token[:40]:               "https://a.example/bank/…",
		"https://a.example/bank/" + token[:8]:                "https://a.example/bank/…",
		"o endereço 0123456 não é da chave 0123456":          "o endereço 0123456 não é da chave 0123456",
	} {
		if got := withoutToken(text, token); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
