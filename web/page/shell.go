package page

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/layouts"
)

// AuthProps returns the frame of a page outside of the dashboard and the console.
func (s *Site) AuthProps(c *fiber.Ctx) layouts.AuthProps {
	return layouts.AuthProps{Theme: Theme(c), Path: whereIs(c), Demo: s.Demo, Legal: s.Legal()}
}

// ItemOf returns the menu item that a path belongs to, or a zero item.
func ItemOf(path string) layouts.NavItem {
	for _, group := range menu {
		for _, item := range group.Items {
			if item.Href != "/app" && (path == item.Href || strings.HasPrefix(path, item.Href+"/") ||
				strings.HasPrefix(path, item.Href+".")) {
				return item
			}
		}
	}
	return layouts.NavItem{}
}

// Shell returns the frame of a dashboard page for the visitor.
func (s *Site) Shell(c *fiber.Ctx) (layouts.Shell, error) {
	flash, err := s.TakeFlash(c)
	v := Visitor(c)
	return layouts.Shell{
		Account: v.AccountName, UserName: v.UserName, UserEmail: v.Email,
		Live: v.Environment == models.Live, Scope: scopeName(v),
		Several: v.Accounts > 1,
		Theme:   Theme(c), Dense: dense(c), Path: whereIs(c), Nav: MenuOf(v),
		Flash: flash, Now: s.Now(), Demo: s.Demo, Legal: s.Legal(),
	}, err
}

// MenuOf returns the menu items that the member's role includes.
func MenuOf(v *models.Visitor) []layouts.NavGroup {
	var groups []layouts.NavGroup
	for _, group := range menu {
		if group.ID == layouts.NavGroupMoney && !v.Role.Can(models.MoveMoney) {
			continue
		}
		group.Items = slices.DeleteFunc(slices.Clone(group.Items), func(item layouts.NavItem) bool {
			return item.ID == layouts.NavRequests && !v.Role.Can(models.Integrate) ||
				(item.ID == layouts.NavAudit || item.ID == layouts.NavOwnBank) && !v.Role.Can(models.Own)
		})
		groups = append(groups, group)
	}
	return groups
}

var menu = []layouts.NavGroup{
	{Items: []layouts.NavItem{
		{ID: layouts.NavHome, Href: "/app"},
		{ID: layouts.NavCheckouts, Href: "/app/cobrancas"},
		{ID: layouts.NavCustomers, Href: "/app/clientes"},
		{ID: layouts.NavLinks, Href: "/app/links"},
		{ID: layouts.NavProducts, Href: "/app/produtos"},
		{ID: layouts.NavDisputes, Href: "/app/disputas"},
	}},
	{ID: layouts.NavGroupMoney, Items: []layouts.NavItem{
		{ID: layouts.NavBalance, Href: "/app/saldo"},
		{ID: layouts.NavWithdrawals, Href: "/app/saques"},
		{ID: layouts.NavOwnBank, Href: "/app/conta-bancaria"},
	}},
	{ID: layouts.NavGroupDevelopers, Items: []layouts.NavItem{
		{ID: layouts.NavKeys, Href: "/app/chaves"},
		{ID: layouts.NavWebhooks, Href: "/app/webhooks"},
		{ID: layouts.NavEvents, Href: "/app/eventos"},
		{ID: layouts.NavRequests, Href: "/app/requisicoes"},
		{ID: layouts.NavDocs, Href: "/docs"},
	}},
	{ID: layouts.NavGroupAccount, Items: []layouts.NavItem{
		{ID: layouts.NavLive, Href: "/app/producao"},
		{ID: layouts.NavTeam, Href: "/app/equipe"},
		{ID: layouts.NavSettings, Href: "/app/configuracoes"},
		{ID: layouts.NavAudit, Href: "/app/auditoria"},
	}},
}
