package dashboard

import (
	"path"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// framed answers errors within the dashboard's frame: 403 for pages that the member's role
// does not include, and 404.
func (s *dashboard) framed(c *fiber.Ctx) error {
	switch err := c.Next(); {
	case err == nil:
		return nil
	case refusal.Of(err).Code == refusal.Forbidden:
		return s.noAccess(c)
	case c.Method() == fiber.MethodGet && page.StatusOf(err) == fiber.StatusNotFound:
		return s.notFound(c, refusal.Of(err).Code == refusal.CheckoutNotFound)
	default:
		return err
	}
}

// notFound answers 404. Often the object exists in the other environment, and the page then
// offers to switch.
func (s *dashboard) notFound(c *fiber.Ctx, charge bool) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	elsewhere, err := s.elsewhere(c)
	if err != nil {
		return err
	}
	section := page.ItemOf(c.Path())
	c.Status(fiber.StatusNotFound)
	return page.Render(c, pages.NotFound(pages.NotFoundProps{
		Shell: shell, Section: section.ID, SectionHref: section.Href, Charge: charge, Elsewhere: elsewhere,
	}))
}

// elsewhere reports whether the requested page exists in the environment that the visitor does
// not look at: mails link to pages of live, and sessions begin in test.
func (s *dashboard) elsewhere(c *fiber.Ctx) (bool, error) {
	v := *page.Visitor(c)
	if v.ProjectID == nil {
		return false, nil
	}
	v.Environment = v.Environment.Other()
	hit, err := s.named(c.UserContext(), &v, path.Base(c.Path()))
	if missing(err) {
		return false, nil
	}
	return err == nil && hit.Href == c.Path(), err
}

// noAccess answers 403 with the name of the section and whom to ask.
func (s *dashboard) noAccess(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	v := page.Visitor(c)
	section := page.ItemOf(c.Path()).ID
	c.Status(fiber.StatusForbidden)
	return page.Render(c, pages.NoAccess(pages.NoAccessProps{
		Shell: shell, Section: section, Open: inMenu(page.MenuOf(v), section), Role: string(v.Role),
		Owner: section == layouts.NavAudit || v.Role.Can(models.Administer),
	}))
}

func inMenu(groups []layouts.NavGroup, section string) bool {
	return slices.ContainsFunc(groups, func(group layouts.NavGroup) bool {
		return slices.ContainsFunc(group.Items, func(item layouts.NavItem) bool { return item.ID == section })
	})
}
