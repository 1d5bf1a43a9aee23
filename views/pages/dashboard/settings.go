package dashboard

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// SettingsCompanyProps is GET and POST /app/configuracoes/empresa. Field: business.
type SettingsCompanyProps struct {
	layouts.Shell
	CanChange bool
	Business  string                // the name that buyers see, as typed
	Asked     bool                  // production access was asked for
	Facts     []components.KeyValue // what the request said, as far as the role may know
	Owner     bool                  // who looks is the account's owner
	UserID    string                // of who looks
	Errors    components.FieldErrors

	Reviewed bool         // staff look at a new name first
	Proposed ProposedName // the last one that they have not accepted
}

// ProposedName is a name of the account that waits for staff, or that they refused.
type ProposedName struct {
	ID      string // "": there is none
	Name    string
	Refused bool
	By      string
	At      time.Time
	Reason  string // why staff refused it
}

// businessHint says where the name is shown, and whether staff look at a new one first.
func (p SettingsCompanyProps) businessHint(ctx context.Context) string {
	hint := i18n.T(ctx, "settings.business_hint")
	if p.Reviewed {
		hint += " " + i18n.T(ctx, "settings.business_reviewed")
	}
	return hint
}

// legal says where the legal data come from and, to those who may change them, how.
func (p SettingsCompanyProps) legal(ctx context.Context) string {
	switch {
	case !p.Asked:
		return i18n.T(ctx, "settings.legal_none")
	case p.CanChange:
		return i18n.T(ctx, "settings.legal_body") + " " + i18n.T(ctx, "settings.legal_change")
	}
	return i18n.T(ctx, "settings.legal_body")
}

func (p SettingsCompanyProps) seeRequest(ctx context.Context) string {
	if p.Asked {
		return i18n.T(ctx, "settings.legal_see")
	}
	return i18n.T(ctx, "nav.live")
}

// SettingsProfileProps is GET and POST /app/configuracoes/perfil. Fields: name, lang
// and theme.
type SettingsProfileProps struct {
	layouts.Shell
	Name     string // as typed
	Language string // "pt-BR" or "en"
	Errors   components.FieldErrors
}

func (p SettingsProfileProps) languages() []components.SelectOption {
	var options []components.SelectOption
	for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
		options = append(options, components.SelectOption{Value: string(lang), Label: i18n.In(lang, "layout.language")})
	}
	return options
}

func (p SettingsProfileProps) themes(ctx context.Context) []components.SelectOption {
	return []components.SelectOption{
		{Value: string(layouts.ThemeSystem), Label: i18n.T(ctx, "layout.theme_system")},
		{Value: string(layouts.ThemeLight), Label: i18n.T(ctx, "layout.theme_light")},
		{Value: string(layouts.ThemeDark), Label: i18n.T(ctx, "layout.theme_dark")},
	}
}

// SettingsNoticesProps is GET and POST /app/configuracoes/avisos. Field: notices.
type SettingsNoticesProps struct {
	layouts.Shell
	Offered   []string // what the role may turn on and off
	On        []string
	PaidMails int // how many charges paid in an hour get a mail of their own
}

// noticeChargePaid is the notice whose mails are bounded.
const noticeChargePaid = "CHARGE_PAID"

// alwaysSent are the mails that cannot be turned off.
var alwaysSent = []string{"security", "switches", "destinations", "team", "links"}

func (p SettingsNoticesProps) options(ctx context.Context) []components.CheckboxOption {
	var options []components.CheckboxOption
	for _, notice := range p.Offered {
		body := i18n.T(ctx, "settings.notice_"+notice+"_body")
		if notice == noticeChargePaid {
			body = i18n.T(ctx, "settings.notice_charge_paid", p.PaidMails)
		}
		options = append(options, components.CheckboxOption{Value: notice,
			Label: i18n.T(ctx, "settings.notice_"+notice), Hint: body})
	}
	return options
}
