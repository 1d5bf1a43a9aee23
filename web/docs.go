package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/api/openapi"
	"garoupa/models"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// documentation serves the guides and the reference, which is made of the API's own
// description.
type documentation struct {
	*server
	api       *openapi.Document
	addresses docs.Addresses
}

// registerDocs adds the documentation, which is public.
func (s *server) registerDocs(r fiber.Router) {
	d := &documentation{
		server: s, api: api.Document(s.BaseURL, s.CheckoutHost),
		addresses: docs.Addresses{Base: s.BaseURL, Checkout: s.CheckoutHost, App: s.AppURL},
	}
	g := r.Group("/docs", s.limited, compressed, s.speak, secure, sameOrigin)
	g.Get("/", d.guide)
	g.Get("/api", d.index)
	g.Get("/api/:group", d.reference)
	g.Get("/:guide", d.guide)
}

// chosenCode is the language of samples that the address asks for.
func chosenCode(c *fiber.Ctx) string {
	asked := c.Query("code")
	if slices.ContainsFunc(docs.Languages, func(l docs.Language) bool { return l.ID == asked }) {
		return asked
	}
	return docs.Languages[0].ID
}

// guide handles GET /docs/{guide}, and GET /docs for the first.
func (d *documentation) guide(c *fiber.Ctx) error {
	ctx, code := c.UserContext(), chosenCode(c)
	slug := c.Params("guide", docs.Quickstart)
	guide, err := docs.Read(i18n.Of(ctx), slug)
	if err != nil {
		return err
	}
	if guide == nil {
		return fiber.ErrNotFound
	}
	frame, err := d.frame(c, guide.Title, "/docs/"+slug)
	if err != nil {
		return err
	}
	for _, h := range guide.Headings {
		frame.Headings = append(frame.Headings, layouts.DocsLink{Label: h.Text, Href: "#" + h.ID})
	}
	p := pages.DocsGuideProps{
		Frame: frame, Guide: guide, Addresses: d.addresses, Code: code, Requests: map[string][]docs.Sample{},
		Errors: d.codes(ctx, nil), Permissions: d.permissions(),
	}
	for _, block := range guide.Blocks {
		if block.Directive == "request" {
			p.Requests[block.Argument] = d.samples(block.Argument)
		}
	}
	p.Previous, p.Next = neighbours(frame.Menu, "/docs/"+slug)
	return render(c, pages.DocsGuide(p))
}

// frame is what stands around a page of the documentation.
func (d *documentation) frame(c *fiber.Ctx, title, path string) (layouts.DocsProps, error) {
	ctx, code := c.UserContext(), chosenCode(c)
	lang := i18n.Of(ctx)
	link := func(label, href string) layouts.DocsLink {
		return layouts.DocsLink{Label: label, Href: pages.DocsAddress(href, code), Current: href == path}
	}
	frame := layouts.DocsProps{Title: title, Theme: theme(c), Path: pages.DocsAddress(path, code), Home: pages.DocsAddress("/docs", code), Demo: d.Demo}
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
	reference := layouts.DocsMenu{Title: i18n.T(ctx, "docs.reference"), Links: []layouts.DocsLink{link(i18n.T(ctx, "docs.overview"), "/docs/api")}}
	for _, group := range d.outline(ctx) {
		reference.Links = append(reference.Links, link(group.Name, group.Path))
	}
	frame.Menu = append(frame.Menu, reference)
	return frame, nil
}

// neighbours are the guides before and after one.
func neighbours(menu []layouts.DocsMenu, path string) (previous, next *layouts.DocsLink) {
	var all []layouts.DocsLink
	for _, group := range menu {
		all = append(all, group.Links...)
	}
	for i, link := range all {
		if link.Current && i > 0 {
			previous = &all[i-1]
		}
		if link.Current && i+1 < len(all) {
			next = &all[i+1]
		}
	}
	return previous, next
}

// permissions lists the calls that each permission is for.
func (d *documentation) permissions() (all []pages.DocsPermission) {
	for _, permission := range models.Permissions {
		row := pages.DocsPermission{Name: string(permission)}
		d.each(func(method, path string, o *openapi.Operation) {
			if permissionOf(o) == row.Name && !strings.HasPrefix(path, "/v1/test/") {
				row.Calls = append(row.Calls, method+" "+path)
			}
		})
		all = append(all, row)
	}
	return all
}

// each visits the operations in the description's order.
func (d *documentation) each(visit func(method, path string, o *openapi.Operation)) {
	for _, item := range d.api.Paths {
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

// permissionOf is the permission that an operation needs, "" for none.
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
