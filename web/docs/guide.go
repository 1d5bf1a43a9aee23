package docs

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/api/openapi"
	"garoupa/models"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
)

// guide handles GET /docs/{guide}, and GET /docs for the first guide.
func (d *documentation) guide(c *fiber.Ctx) error {
	ctx, code := c.UserContext(), chosenCode(c)
	slug := c.Params("guide", docs.Quickstart)
	if name, plain := strings.CutSuffix(slug, ".md"); plain {
		return d.markdown(c, name)
	}
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
	p := pages.GuideProps{
		Frame: frame, Guide: guide, Addresses: d.addresses, Code: code, Requests: map[string][]docs.Sample{},
		Errors: d.codes(ctx, "", nil), Permissions: d.permissions(),
	}
	for _, block := range guide.Blocks {
		if block.Directive == "request" {
			p.Requests[block.Argument] = d.samples(block.Argument)
		}
	}
	p.Previous, p.Next = neighbors(frame.Menu, "/docs/"+slug)
	return page.Render(c, pages.Guide(p))
}

// neighbors returns the guides before and after the one at path.
func neighbors(menu []layouts.DocsMenu, path string) (previous, next *layouts.DocsLink) {
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

// permissions lists the operations that need each permission.
func (d *documentation) permissions() (all []pages.Permission) {
	for _, permission := range models.Permissions {
		row := pages.Permission{Name: string(permission)}
		d.each(func(method, path string, o *openapi.Operation) {
			if permissionOf(o) == row.Name && !strings.HasPrefix(path, "/v1/test/") {
				row.Calls = append(row.Calls, method+" "+path)
			}
		})
		all = append(all, row)
	}
	return all
}
