package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// SettingsPath is the common path of the sections of the settings.
const SettingsPath = "/app/configuracoes/"

// The sections of the settings: the ends of their addresses, and of their names in the
// catalogs.
const (
	SectionCompany  = "empresa"
	SectionCheckout = "checkout"
	SectionSecurity = "seguranca"
	SectionNotices  = "avisos"
	SectionProfile  = "perfil"
)

var settingsSections = []string{SectionCompany, SectionCheckout, SectionSecurity, SectionNotices, SectionProfile}

// SettingsTabs leads from one section to the others.
func SettingsTabs(ctx context.Context, current string) components.TabsProps {
	tabs := components.TabsProps{Label: i18n.T(ctx, "nav.settings"), OneRow: true}
	for _, section := range settingsSections {
		tabs.Tabs = append(tabs.Tabs, components.Tab{
			Label: i18n.T(ctx, "settings."+section), Href: SettingsPath + section, Current: section == current,
		})
	}
	return tabs
}
