package pages_test

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages"
	"garoupa/views/pages/dashboard"
	"garoupa/views/pages/hosted"
)

// settingsPages are the sections of the settings, and the page of whom a role keeps out.
func settingsPages() []page {
	asked := []components.KeyValue{{Key: "CNPJ", Value: "12.345.678/0001-90"}}
	verdict := &dashboard.AccentVerdict{Accent: "#ffd400", BlackText: true, Contrast: "14.8", InkLight: "#6b5900",
		InkDark: "#ffd400", Outlined: true}
	plain := &dashboard.AccentVerdict{Accent: "#808080", Contrast: "4.6", InkLight: "#808080", InkDark: "#808080"}
	look := pages.PayBrand{Stylesheet: "ffd400.00000000.css", Logo: "00000000000000000000000000000000.png",
		LogoWidth: 120, LogoHeight: 120}
	const preview = "/app/configuracoes/checkout/previa"
	return []page{
		{"company", dashboard.SettingsCompany(dashboard.SettingsCompanyProps{Shell: shell(false), CanChange: true,
			Owner: true, Business: "Ateliê Aurora", Asked: true, Facts: asked})},
		{"company, a name waits", dashboard.SettingsCompany(dashboard.SettingsCompanyProps{Shell: shell(false),
			CanChange: true, Business: "Ateliê Aurora", Reviewed: true, Proposed: dashboard.ProposedName{
				ID: "npr_0", Name: "Ateliê Lua", By: "Ana Lima", At: now}})},
		{"company, a name refused", dashboard.SettingsCompany(dashboard.SettingsCompanyProps{Shell: shell(false),
			CanChange: true, Business: "Ateliê Aurora", Reviewed: true, Proposed: dashboard.ProposedName{
				ID: "npr_0", Name: "Ateliê Lua", Refused: true, Reason: "Outro motivo."}})},
		{"company wrong", dashboard.SettingsCompany(dashboard.SettingsCompanyProps{Shell: shell(false), CanChange: true,
			Errors: components.FieldErrors{{Field: "business", Text: "Diga"}}})},
		{"company seen",
			dashboard.SettingsCompany(dashboard.SettingsCompanyProps{Shell: shell(true), Business: "Ateliê Aurora"})},
		{"look", dashboard.SettingsCheckout(dashboard.SettingsCheckoutProps{Shell: shell(false), CanChange: true,
			Accent: "#ffd400", Support: "ajuda@loja.test", Brand: look, Verdict: verdict, Preview: preview})},
		{"look plain", dashboard.SettingsCheckout(dashboard.SettingsCheckoutProps{Shell: shell(false), CanChange: true,
			Verdict: plain, Preview: preview, LogoErrors: components.FieldErrors{{Field: "logo", Text: "Diga"}}})},
		{"look seen", dashboard.SettingsCheckout(dashboard.SettingsCheckoutProps{Shell: shell(true), Accent: "#ffd400",
			Preview: preview})},
		{"preview", hosted.PayPreview(pending())},
		{"profile", dashboard.SettingsProfile(dashboard.SettingsProfileProps{Shell: shell(false), Name: "Ana",
			Language: "en", Errors: components.FieldErrors{{Field: "name", Text: "Diga"}}})},
		{"notices",
			dashboard.SettingsNotices(dashboard.SettingsNoticesProps{Shell: shell(false), PaidMails: 20,
				Offered: []string{"CHARGE_PAID", "WEBHOOK_FAILING", "WEBHOOK_DISABLED", "WITHDRAWALS", "ACCESS"},
				On:      []string{"ACCESS"}})},
		{"buyer", dashboard.SettingsBuyer(dashboard.SettingsBuyerProps{Shell: shell(false)})},
		{"buyer unknown", dashboard.SettingsBuyer(dashboard.SettingsBuyerProps{Shell: shell(false), Text: "123",
			Found: true})},
		{"buyer found", dashboard.SettingsBuyer(dashboard.SettingsBuyerProps{Shell: shell(true), Text: "123",
			Found: true, Charges: 3, Kept: 1, Errors: components.FieldErrors{{Field: "confirm", Text: "Diga"}}})},
		{"no access",
			dashboard.NoAccess(dashboard.NoAccessProps{Shell: shell(false), Section: layouts.NavBalance,
				Role: "VIEWER"})},
		{"no access to an act",
			dashboard.NoAccess(dashboard.NoAccessProps{Shell: shell(false), Section: layouts.NavKeys,
				Open: true, Role: "ADMIN", Owner: true})},
		{"no access to a page", dashboard.NoAccess(dashboard.NoAccessProps{Shell: shell(false), Role: "FINANCE"})},
	}
}
