package input_test

import (
	"strings"
	"testing"

	"garoupa/internal/input"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ storable, plain, lines, printable bool }{
		"":                {true, true, true, true},
		"João & <b> 🐟":    {true, true, true, true},
		"two\nlines":      {true, false, true, false},
		"a\ttab":          {true, false, false, false},
		"a\u0085b":        {true, false, false, false},
		"turned \u202e":   {true, false, false, false},
		"turned \u2066":   {true, false, false, false},
		"a mark \u200e":   {true, true, true, false},
		"a mark \u061c":   {true, true, true, false},
		"no width \u200b": {true, true, true, false},
		"wide\u00a0space": {true, true, true, false},
		"NUL \x00":        {false, false, false, false},
		"broken \xff":     {false, false, false, false},
		"\ufffd":          {true, true, true, true}, // an ordinary character
	} {
		if input.Storable(text) != want.storable || input.Plain(text) != want.plain ||
			input.PlainLines(text) != want.lines || input.Printable(text) != want.printable {
			t.Errorf("%q: storable %v, plain %v, lines %v, printable %v", text,
				input.Storable(text), input.Plain(text), input.PlainLines(text), input.Printable(text))
		}
		if kept := input.ToStorable(text); !input.Storable(kept) || input.Storable(text) && kept != text {
			t.Errorf("%q is stored as %q", text, kept)
		}
	}
}

func TestTrim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		" \t\r\n\u00a0\u3000":     "",
		"\u200b":                  "",
		" \u2060\ufeff\u00ad ":    "",
		"\u202e\u2066\u200e":      "",
		"\u115f\u3164\ufe0f":      "", // the fillers of Hangul, and a variation selector
		"\u2800\u2800":            "", // braille without a dot
		"\U000e0041":              "", // a tag
		"\x01":                    "",
		" a\u00a0":                "a",
		"\u200ba ":                "\u200ba",
		"two  words\n\nand lines": "two  words\n\nand lines",
		"\u0600":                  "\u0600", // a format character with a shape
		"🐟":                       "🐟",
	} {
		if got := input.Trim(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for text, want := range map[string]string{" Ateliê \t\n Aurora ": "Ateliê Aurora", "\u200b \u200b": ""} {
		if got := input.TrimLine(text); got != want {
			t.Errorf("as one line, %q becomes %q", text, got)
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" \r\nTen chars.\n":          "Ten chars.",
		"Several\r\nlines":           "Several\nlines",
		strings.Repeat("ã", 500):     strings.Repeat("ã", 500),
		"":                           "",
		"Nine let. ":                 "",
		strings.Repeat("ã", 501):     "",
		"A tab is\tnone of it":       "",
		strings.Repeat("\u200b", 10): "",
		"Turned \u202e around":       "",
		"Broken, and long: \xff.":    "",
	} {
		if reason, ok := input.Reason(text); ok != (want != "") || ok && reason != want {
			t.Errorf("%q: %q, %v", text, reason, ok)
		}
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: false, 1: true, 3: true, 4: false} {
		if text := strings.Repeat("ã", n); input.Length(text, 1, 3) != want {
			t.Errorf("%q has 1 to 3 characters: %v", text, !want)
		}
	}
}

func TestEmail(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("a", n-len("@example.com")) + "@example.com" }
	for address, want := range map[string]struct{ email, member bool }{
		"ana@example.com":                       {true, true},
		"ana+loja@mail.example.com.br":          {true, true},
		"joão@example.com":                      {true, true},
		long(254):                               {true, true},
		"ana@localhost":                         {true, false},
		"ana.silva@loja":                        {true, false},
		long(255):                               {},
		"":                                      {},
		"ana":                                   {},
		"ana@":                                  {},
		"@example.com":                          {},
		" ana@example.com":                      {},
		"Ana <ana@example.com>":                 {},
		"ana@example.com,b@example.com":         {},
		"ana@example.com\r\nBcc: b@example.com": {},
		"ana\u200b@example.com":                 {},
		"\u202eana@example.com":                 {},
		"ana\xff@example.com":                   {},
		"ana\x00@example.com":                   {},
	} {
		if input.Email(address) != want.email || input.MemberEmail(address) != want.member {
			t.Errorf("%q: an email %v, a member's %v", address, input.Email(address), input.MemberEmail(address))
		}
	}
}
