package bacen

import (
	"strings"
	"testing"
)

// What a bank says has no part of a secret, also if the text ends within it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("0123456789abcdef", 4)
	var s secrets
	for _, secret := range []string{"", token, "geheim-1234", token} {
		s.add(secret)
	}
	for text, want := range map[string]string{
		"":                      "",
		"bank: forbidden (403)": "bank: forbidden (403)",
		"POST https://a.example/bank/" + token + "/pix: 403": "POST https://a.example/bank/…/pix: 403",
		token + " e " + token:                                "… e …",
		"https://a.example/bank/" + token[:40]:               "https://a.example/bank/…",
		"https://a.example/bank/" + token[:8]:                "https://a.example/bank/…",
		"o endereço 0123456 não é da chave 0123456":          "o endereço 0123456 não é da chave 0123456",
		"geheim-1234 não é " + token:                         "… não é …",
	} {
		if got := s.without(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
