// Package docs serves the API's documentation, below /docs, and the pages for developers of
// the product, which exist in the embedded mode below /dev. The texts of the guides are in
// views/docs.
package docs

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/api/openapi"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
)

// documentation serves the guides and the reference, which is generated from the API's own
// description.
type documentation struct {
	*page.Site
	api       func() *openapi.Document // made once, when a page first needs it
	addresses docs.Addresses
	found     index
}

// chosenCode returns the programming language of samples that the address selects.
func chosenCode(c *fiber.Ctx) string {
	asked := c.Query("code")
	if slices.ContainsFunc(docs.Languages, func(l docs.Language) bool { return l.ID == asked }) {
		return asked
	}
	return docs.Languages[0].ID
}

// frame returns the frame around a page of the documentation.
func (d *documentation) frame(c *fiber.Ctx, title, path string) (layouts.DocsProps, error) {
	ctx, code := c.UserContext(), chosenCode(c)
	lang := i18n.Of(ctx)
	link := func(label, href string) layouts.DocsLink {
		return layouts.DocsLink{Label: label, Href: pages.Address(href, code), Current: href == path}
	}
	frame := layouts.DocsProps{Title: title, Theme: page.Theme(c), Path: pages.Address(path, code),
		Home: pages.Address("/docs", code), Demo: d.Demo, Search: "/docs/search"}
	if code != docs.Languages[0].ID {
		frame.Code = code
	}
	for _, group := range docs.Groups {
		menu := layouts.DocsMenu{Title: i18n.T(ctx, "docs.group_"+group.ID)}
		for _, slug := range group.Slugs {
			guide, err := docs.Read(lang, slug)
			if err != nil {
				return frame, err
			}
			menu.Links = append(menu.Links, link(guide.Title, "/docs/"+slug))
		}
		frame.Menu = append(frame.Menu, menu)
	}
	reference := layouts.DocsMenu{Title: i18n.T(ctx, "docs.reference"),
		Links: []layouts.DocsLink{link(i18n.T(ctx, "docs.overview"), "/docs/api")}}
	for _, group := range d.outline(ctx) {
		reference.Links = append(reference.Links, link(group.Name, group.Path))
	}
	frame.Menu = append(frame.Menu, reference)
	return frame, nil
}

// say returns a text of the description in the visitor's language.
func say(ctx context.Context, english string) string {
	return docs.Translate(i18n.Of(ctx), english)
}

// outline returns all groups without their operations, the events last.
func (d *documentation) outline(ctx context.Context) (groups []pages.Group) {
	for _, tag := range d.api().Tags {
		groups = append(groups, pages.Group{
			Tag: tag.Name, Name: say(ctx, tag.Name), Description: say(ctx, tag.Description),
			Path: "/docs/api/" + strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-"),
		})
	}
	return append(groups, pages.Group{Name: i18n.T(ctx, "docs.events"),
		Description: i18n.T(ctx, "docs.events_body"), Path: "/docs/api/events"})
}

// each calls visit for the operations in the description's order.
func (d *documentation) each(visit func(method, path string, o *openapi.Operation)) {
	for _, item := range d.api().Paths {
		for _, o := range []struct {
			method    string
			operation *openapi.Operation
		}{{fiber.MethodPost, item.Value.Post}, {fiber.MethodGet, item.Value.Get}} {
			if o.operation != nil {
				visit(o.method, item.Name, o.operation)
			}
		}
	}
}

// permissionOf returns the permission that an operation needs, or "".
func permissionOf(o *openapi.Operation) string {
	if o.Security == nil {
		return ""
	}
	for _, requirement := range *o.Security {
		for _, roles := range requirement {
			return strings.Join(roles, ", ")
		}
	}
	return ""
}
