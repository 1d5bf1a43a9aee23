package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// noAccess answers what the member's role does not include with a page that names the
// section and tells whom to ask.
func (s *server) noAccess(c *fiber.Ctx) error {
	err := c.Next()
	if fault.Of(err).Code != fault.Forbidden {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	v := visitor(c)
	if c.Method() != fiber.MethodGet {
		shell.Path = "/app"
	}
	section := sectionOf(c.Path())
	c.Status(fiber.StatusForbidden)
	return render(c, pages.NoAccess(pages.NoAccessProps{
		Shell: shell, Section: section, Open: inMenu(menuOf(v), section), Role: string(v.Role),
		Owner: section == layouts.NavAudit || v.Role == models.RoleAdmin,
	}))
}

// sectionOf returns the section of the menu that a path belongs to, "" for none.
func sectionOf(path string) string {
	for _, group := range menu {
		for _, item := range group.Items {
			if item.Href != "/app" && (path == item.Href || strings.HasPrefix(path, item.Href+"/") || strings.HasPrefix(path, item.Href+".")) {
				return item.ID
			}
		}
	}
	return ""
}

func inMenu(groups []layouts.NavGroup, section string) bool {
	return slices.ContainsFunc(groups, func(group layouts.NavGroup) bool {
		return slices.ContainsFunc(group.Items, func(item layouts.NavItem) bool { return item.ID == section })
	})
}
