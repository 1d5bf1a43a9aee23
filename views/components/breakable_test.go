package components

import (
	"strings"
	"testing"
)

// Addresses break after their signs; numbers, short forms and what is escaped do not.
func TestBreakable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://api.loja.example/webhooks/pix": "https://|api.|loja.|example/|webhooks/|pix",
		"ana.lima@exemplo.com.br":               "ana.|lima@|exemplo.|com.|br",
		"Aurora S.A. recebe R$ 1.249,90.":       "Aurora S.A. recebe R$ 1.249,90.",
		"12.ABC.345/01DE-35":                    "12.ABC.345/|01DE-35",
		"<b>&":                                  "&lt;b&gt;&amp;",
	} {
		var html strings.Builder
		if err := Breakable(text).Render(t.Context(), &html); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(html.String(), "<wbr>", "|"); got != want {
			t.Errorf("%q breaks as %q, want %q", text, got, want)
		}
	}
}
