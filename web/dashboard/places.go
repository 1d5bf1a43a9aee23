package dashboard

import (
	"context"
	"slices"
	"strings"

	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// place is a page, or an action, that a search finds by its words: the text "place.<id>", its name and after "|" other
// words for it.
type place struct {
	id, icon string
	href     string
	needs    models.Capability // "" if all members may
	form     *pages.HitForm    // for an action
	hides    func(v *models.Visitor) bool
}

// actions are what a member does from anywhere.
var actions = []place{
	{id: "new_checkout", icon: "plus", href: "/app/cobrancas/nova", needs: models.Sell},
	{id: "new_link", icon: "plus", href: "/app/links/novo", needs: models.Sell},
	{id: "new_product", icon: "plus", href: "/app/produtos/novo", needs: models.Sell},
	{id: "withdraw", icon: "banknote-arrow-up", href: "/app/saques/novo", needs: models.MoveMoney},
	{id: "new_destination", icon: "plus", href: "/app/saques/destinos/novo", needs: models.MoveMoney},
	{id: "new_key", icon: "plus", href: "/app/chaves/nova", needs: models.Integrate},
	{id: "new_endpoint", icon: "plus", href: "/app/webhooks/novo", needs: models.Integrate},
	{id: "invite", icon: "plus", href: "/app/equipe/convidar", needs: models.Administer},
	{id: "to_live", icon: "flask-conical", form: &pages.HitForm{Action: layouts.EnvironmentPath, Name: "env",
		Value: "live"}, hides: func(v *models.Visitor) bool { return v.Environment == models.Live }},
	{id: "to_test", icon: "flask-conical", form: &pages.HitForm{Action: layouts.EnvironmentPath, Name: "env",
		Value: "test"}, hides: func(v *models.Visitor) bool { return v.Environment == models.Test }},
	preference("theme_light", "sun", "theme", string(layouts.ThemeLight)),
	preference("theme_dark", "moon", "theme", string(layouts.ThemeDark)),
	preference("theme_system", "monitor", "theme", string(layouts.ThemeSystem)),
	preference("portuguese", "languages", "lang", string(i18n.Portuguese)),
	preference("english", "languages", "lang", string(i18n.English)),
	{id: "switch_account", icon: "chevrons-up-down", href: page.AccountsPath,
		hides: func(v *models.Visitor) bool { return v.Accounts < 2 }},
	{id: "log_out", icon: "log-out", form: &pages.HitForm{Action: layouts.LogOutPath, Name: "from", Value: "palette"}},
}

func preference(id, icon, name, value string) place {
	return place{id: id, icon: icon, form: &pages.HitForm{Action: layouts.PreferencesPath, Name: name, Value: value}}
}

// places are the pages besides those of the menu.
var places = []place{
	{id: "destinations", icon: "banknote-arrow-up", href: "/app/saques/destinos", needs: models.MoveMoney},
	{id: "company", icon: "building-2", href: page.SettingsPath + "empresa"},
	{id: "look", icon: "store", href: page.SettingsPath + "checkout"},
	{id: "notices", icon: "bell-ring", href: page.SettingsPath + "avisos"},
	{id: "security", icon: "shield-check", href: page.SecurityPath},
	{id: "profile", icon: "users", href: page.SettingsPath + "perfil"},
	{id: "buyer_data", icon: "users", href: pages.SettingsBuyerPath, needs: models.Own},
}

// findPlaces returns the actions and pages that the text names, for a member, in the order of the menu; all actions and
// the menu for "".
func findPlaces(ctx context.Context, v *models.Visitor, text string) []pages.Hit {
	found := findAmong(ctx, v, pages.HitAction, actions, text)
	var menu []place
	for _, group := range page.MenuOf(v) {
		for _, item := range group.Items {
			menu = append(menu, place{id: item.ID, icon: item.IconName(), href: item.Href})
		}
	}
	found = append(found, findAmong(ctx, v, pages.HitPlace, menu, text)...)
	if text != "" {
		found = append(found, findAmong(ctx, v, pages.HitPlace, places, text)...)
	}
	slices.SortStableFunc(found, func(a, b pages.Hit) int { // names before other words
		return map[bool]int{true: -1}[pages.Finds(a.Title, text)] - map[bool]int{true: -1}[pages.Finds(b.Title, text)]
	})
	return found
}

func findAmong(ctx context.Context, v *models.Visitor, kind string, among []place, text string) (found []pages.Hit) {
	for _, p := range among {
		if p.needs != "" && !v.Role.Can(p.needs) || p.hides != nil && p.hides(v) {
			continue
		}
		name, other, _ := strings.Cut(i18n.T(ctx, "place."+p.id), "|")
		hit := pages.Hit{Kind: kind, Icon: p.icon, Title: name, Href: p.href, Form: p.form}
		switch {
		case text == "" || pages.Finds(name, text):
		case pages.Finds(name+" "+other, text):
			hit.Detail = other
		default:
			continue
		}
		found = append(found, hit)
	}
	return found
}
