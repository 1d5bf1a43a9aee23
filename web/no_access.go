package web

import (
	"path"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// framed answers what a member asked for in vain within the dashboard's frame: what
// their role does not include, and what is not there.
func (s *server) framed(c *fiber.Ctx) error {
	switch err := c.Next(); {
	case err == nil:
		return nil
	case fault.Of(err).Code == fault.Forbidden:
		return s.noAccess(c)
	case c.Method() == fiber.MethodGet && statusOf(err) == fiber.StatusNotFound:
		return s.notFound(c, fault.Of(err).Code == fault.CheckoutNotFound)
	default:
		return err
	}
}

// notFound says that there is no such thing, which is most often one of the other
// environment.
func (s *server) notFound(c *fiber.Ctx, charge bool) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	elsewhere, err := s.elsewhere(c)
	if err != nil {
		return err
	}
	section := itemOf(c.Path())
	c.Status(fiber.StatusNotFound)
	return render(c, pages.NotFound(pages.NotFoundProps{
		Shell: shell, Section: section.ID, SectionHref: section.Href, Charge: charge, Elsewhere: elsewhere,
	}))
}

// elsewhere reports whether the page asked for is there in the environment that the
// visitor does not look at: mails lead to pages of live, and log-ins begin in test.
func (s *server) elsewhere(c *fiber.Ctx) (bool, error) {
	v := *visitor(c)
	if v.ProjectID == nil {
		return false, nil
	}
	v.Livemode = !v.Livemode
	hit, err := s.named(c.UserContext(), &v, path.Base(c.Path()))
	if missing(err) {
		return false, nil
	}
	return err == nil && hit.Href == c.Path(), err
}

// noAccess names the section and tells whom to ask.
func (s *server) noAccess(c *fiber.Ctx) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	v := visitor(c)
	if c.Method() != fiber.MethodGet {
		shell.Path = "/app"
	}
	section := itemOf(c.Path()).ID
	c.Status(fiber.StatusForbidden)
	return render(c, pages.NoAccess(pages.NoAccessProps{
		Shell: shell, Section: section, Open: inMenu(menuOf(v), section), Role: string(v.Role),
		Owner: section == layouts.NavAudit || v.Role == models.RoleAdmin,
	}))
}

// itemOf returns the item of the menu that a path belongs to, a zero one for none.
func itemOf(path string) layouts.NavItem {
	for _, group := range menu {
		for _, item := range group.Items {
			if item.Href != "/app" && (path == item.Href || strings.HasPrefix(path, item.Href+"/") || strings.HasPrefix(path, item.Href+".")) {
				return item
			}
		}
	}
	return layouts.NavItem{}
}

func inMenu(groups []layouts.NavGroup, section string) bool {
	return slices.ContainsFunc(groups, func(group layouts.NavGroup) bool {
		return slices.ContainsFunc(group.Items, func(item layouts.NavItem) bool { return item.ID == section })
	})
}
