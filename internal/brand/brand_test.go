package brand

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#0B6B60": "#0b6b60", " 0b6b60 ": "#0b6b60", "#FD0": "#ffdd00", "#000": "#000000",
		"": "", "#": "", "red": "", "#12345": "", "#1234567": "", "##123456": "", "#12345g": "", "+12345": "",
		"#１２３": "", "#-12345": "",
	} {
		got, ok := Parse(text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

// Text stays readable with any accent.
func TestPalettes_Readable(t *testing.T) {
	t.Parallel()
	check := func(t interface{ Errorf(string, ...any) }, accent string) {
		inLight, inDark := Palettes(accent)
		for name, p := range map[string]Palette{"light": inLight, "dark": inDark} {
			if p.Accent != accent || p.OnContrast < 4.5 || p.InkContrast < 4.5 {
				t.Errorf("%s in %s: %+v", accent, name, p)
			}
		}
	}
	for _, accent := range []string{"#000000", "#ffffff", "#808080", "#777777", "#767676", "#ffd400", "#0b6b60",
		"#ff0000", "#00ff00", "#0000ff", "#11171e", "#f6f8fa"} {
		check(t, accent)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching("#[0-9a-f]{6}").Draw(t, "accent"))
	})
}

// The backgrounds in the code are those of the stylesheet.
func TestThemes_Tokens(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../static/src/css/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	lightTokens, darkTokens, _ := strings.Cut(string(source), "@utility tokens-dark")
	for tokens, theme := range map[string]theme{lightTokens: light, darkTokens: dark} {
		for i, name := range []string{"surface", "canvas", "subtle"} {
			if want := "--" + name + ": " + theme.grounds[i].String() + ";"; !strings.Contains(tokens, want) {
				t.Errorf("tokens.css has no %q", want)
			}
		}
		if theme.surface != theme.grounds[0] {
			t.Errorf("the surface %s is not the first background", theme.surface)
		}
	}
}

// An accent close to the page's color gets outlined buttons, only in that theme.
func TestRules_Outline(t *testing.T) {
	t.Parallel()
	for accent, want := range map[string][2]bool{"#ffffff": {true, false}, "#0a0e13": {false, true},
		"#0b6b60": {false, true}, "#808080": {false, false}} {
		inLight, inDark := Palettes(accent)
		if inLight.Outlined != want[0] || inDark.Outlined != want[1] {
			t.Errorf("%s: outlined %v in light, %v in dark", accent, inLight.Outlined, inDark.Outlined)
		}
		if n := strings.Count(Rules(accent), "--line-strong"); n != map[bool]int{true: 1}[want[0]]+
			map[bool]int{true: 1}[want[1]] {
			t.Errorf("%s: %d lines in %s", accent, n, Rules(accent))
		}
	}
}
