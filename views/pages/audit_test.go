package pages

import (
	"testing"

	"garoupa/views/i18n"
)

// People read the values of facts, not the words that programs have for them.
func TestFactValue(t *testing.T) {
	t.Parallel()
	for lang, facts := range map[i18n.Lang][][3]string{
		i18n.Portuguese: {
			{"amount", "20000.00", "R$\u00a020.000,00"}, {"productionAccess", "PENDING_REVIEW", "Em análise"},
			{"rail", "BRL_PIX", "Pix"},
			{"type", "EVP", "Chave aleatória"}, {"kind", "DUPLICATE", "Pago de novo"}, {"active", "true", "Sim"},
			{"way", "passkey", "Chave de acesso"},
		},
		i18n.English: {
			{"amount", "20000.00", "R$20,000.00"}, {"type", "EVP", "Random key"}, {"amount", "-", "-"},
			{"type", "LATER", "LATER"}, {"name", "BRL_PIX", "BRL_PIX"},
		},
	} {
		ctx := i18n.With(t.Context(), lang)
		for _, fact := range facts {
			if got := factValue(ctx, fact[0], fact[1]); got != fact[2] {
				t.Errorf("%s: %s %s reads %q, want %q", lang, fact[0], fact[1], got, fact[2])
			}
		}
	}
}
