// Package brand derives the colors of a merchant's hosted pages from the color that the
// merchant chose. Text stays readable with any choice: its contrast with its background is
// at least 4.5 to 1, in the light and the dark theme (WCAG 2.2, 1.4.3).
package brand

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// readable is the minimal contrast of text, visible that of a button's shape.
const (
	readable = 4.5
	visible  = 3
)

// Palette holds the colors of one theme, as "#rrggbb".
type Palette struct {
	Accent string // as chosen: the fill of buttons
	Hover  string
	On     string // the text on both: white, or black where white would be hard to read
	Soft   string // a surface with a touch of the accent
	Ink    string // links: the accent, moved away from the page's surfaces until it is readable
	// OnContrast and InkContrast are the smallest contrasts of On and of Ink with their
	// backgrounds: 4.5 or more.
	OnContrast, InkContrast float64
	// Outlined reports that the accent is so close to the page's color that a button needs
	// an outline.
	Outlined bool
}

// theme holds the colors of tokens.css that the palette must contrast with.
type theme struct {
	surface color
	grounds []color // all backgrounds of links
	away    color   // the color that accents are moved toward
}

var (
	light = theme{surface: white, grounds: []color{white, {0xf6, 0xf8, 0xfa}, {0xf0, 0xf3, 0xf6}}, away: black}
	dark  = theme{surface: color{0x11, 0x17, 0x1e},
		grounds: []color{{0x11, 0x17, 0x1e}, {0x0a, 0x0e, 0x13}, {0x19, 0x21, 0x2a}}, away: white}
)

// Parse reads a color such as "#0B6B60", "0b6b60" or "#fff", and returns it as "#rrggbb".
func Parse(text string) (accent string, ok bool) {
	c, ok := parse(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	return c.String(), ok
}

// Palettes derives the colors of both themes from an accent that Parse returned.
func Palettes(accent string) (inLight, inDark Palette) {
	c, _ := parse(strings.TrimPrefix(accent, "#"))
	return light.palette(c), dark.palette(c)
}

// Rules returns the style rules that give a hosted page the accent. They must come after
// the page's own.
func Rules(accent string) string {
	inLight, inDark := Palettes(accent)
	return inLight.rules() + ".link,.text-accent{color:var(--accent-ink)}" +
		"@media screen and (prefers-color-scheme:dark){" + inDark.rules() + "}\n"
}

func (p Palette) rules() string {
	line := "0 0 #0000"
	if p.Outlined {
		line = "inset 0 0 0 1px var(--line-strong)"
	}
	return fmt.Sprintf(":root{--accent:%s;--accent-hover:%s;--on-accent:%s;--accent-soft:%s;--accent-ink:%s}"+
		".btn-primary{box-shadow:%s}", p.Accent, p.Hover, p.On, p.Soft, p.Ink, line)
}

func (t theme) palette(accent color) Palette {
	on, away := white, black
	if contrast(accent, white) < readable {
		on, away = black, white
	}
	soft := t.surface.mix(accent, 0.12)
	grounds := append([]color{soft}, t.grounds...)
	ink := accent
	for step := 0.0; least(ink, grounds) < readable; step += 1.0 / 32 {
		ink = accent.mix(t.away, step)
	}
	hover := accent.mix(away, 0.16)
	return Palette{
		Accent: accent.String(), Hover: hover.String(), On: on.String(), Soft: soft.String(), Ink: ink.String(),
		OnContrast: least(on, []color{accent, hover}), InkContrast: least(ink, grounds),
		Outlined: contrast(accent, t.surface) < visible,
	}
}

// color is red, green and blue in sRGB.
type color [3]uint8

var white, black = color{255, 255, 255}, color{}

func parse(hex string) (c color, ok bool) {
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 24)
	if err != nil || len(hex) != 6 {
		return color{}, false
	}
	return color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, true
}

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// mix returns c with a part of the other color, from 0 to 1.
func (c color) mix(other color, part float64) (mixed color) {
	for i := range c {
		mixed[i] = uint8(math.Round(float64(c[i]) + (float64(other[i])-float64(c[i]))*min(part, 1)))
	}
	return mixed
}

// luminance and contrast are defined by WCAG.
func (c color) luminance() float64 {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

func contrast(a, b color) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func least(ink color, grounds []color) float64 {
	lowest := math.Inf(1)
	for _, ground := range grounds {
		lowest = min(lowest, contrast(ink, ground))
	}
	return lowest
}
