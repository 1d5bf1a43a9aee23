package dashboard

import (
	"context"
	"slices"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// SettingsCheckoutProps is GET and POST /app/configuracoes/checkout. Fields: accent and
// support; the logo has a form of its own, as no browser keeps a file in a form that
// comes back, and so has what buyers see once they have paid: thanks, thanksLabel, thanksUrl.
type SettingsCheckoutProps struct {
	layouts.Shell
	CanChange  bool
	Accent     string // as typed
	Support    string // as typed
	Brand      base.PayBrand
	Verdict    *AccentVerdict // of the accent that is saved; nil without one, or beside a wrong one
	Preview    string         // the address of the preview
	Errors     components.FieldErrors
	LogoErrors components.FieldErrors
	// As typed, after a payment.
	Thanks, ThanksLabel, ThanksURL string
	ThanksErrors                   components.FieldErrors
}

// AccentVerdict is what becomes of an accent so that it can be read.
type AccentVerdict struct {
	Accent            string // "#rrggbb", as are the others
	BlackText         bool   // white would be too faint on it
	Contrast          string // of a button's text: "6.4"
	InkLight, InkDark string // of links
	Outlined          bool   // buttons get a line around them in one of the themes
}

// allErrors are those of all forms.
func (p SettingsCheckoutProps) allErrors() components.FieldErrors {
	return slices.Concat(p.LogoErrors, p.Errors, p.ThanksErrors)
}

// swatch is the accent that the color field begins with.
func (p SettingsCheckoutProps) swatch() string {
	if p.Verdict != nil {
		return p.Verdict.Accent
	}
	return defaultAccent
}

// defaultAccent is ours, in light.
const defaultAccent = "#0b6b60"

// lines tell what was done to the accent, and why.
func (v AccentVerdict) lines(ctx context.Context) []string {
	on := "settings.accent_white"
	if v.BlackText {
		on = "settings.accent_black"
	}
	lines := []string{i18n.T(ctx, on, i18n.Decimal(ctx, v.Contrast))}
	if v.InkLight == v.Accent && v.InkDark == v.Accent {
		lines = append(lines, i18n.T(ctx, "settings.accent_links"))
	}
	if v.InkLight != v.Accent {
		lines = append(lines, i18n.T(ctx, "settings.accent_links_light", v.InkLight))
	}
	if v.InkDark != v.Accent {
		lines = append(lines, i18n.T(ctx, "settings.accent_links_dark", v.InkDark))
	}
	if v.Outlined {
		lines = append(lines, i18n.T(ctx, "settings.accent_outline"))
	}
	return lines
}
