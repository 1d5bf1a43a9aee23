package dashboard

import "testing"

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Vaso Lua Nova": "vaso-lua-nova", "  Xícara & Pires — 2 peças! ": "xicara-pires-2-pecas", "Ação": "acao",
		"a--b": "a-b",
		"茶碗":   "", "": "", "!!!": "", "100%": "100", "Ñandú/ÇÃO": "nandu-cao",
	} {
		if got := slugOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
