package docs

import (
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/docs"
	"garoupa/views/i18n"
)

const markdownType = "text/markdown; charset=utf-8"

// markdown handles GET /docs/{guide}.md: a guide for programs that read, with its samples and tables.
func (d *documentation) markdown(c *fiber.Ctx, slug string) error {
	ctx, chosen := c.UserContext(), chosenCode(c)
	text, err := d.addresses.Markdown(i18n.Of(ctx), slug, func(b docs.Block) string {
		switch b.Directive {
		case "errors":
			return d.errorTable(c)
		case "permissions":
			return d.permissionTable()
		case "request":
			return fenced(docs.Chosen(d.samples(b.Argument), chosen))
		}
		return fenced(docs.Chosen(docs.Programs(b.Argument), chosen))
	})
	if err != nil {
		return err
	}
	if text == "" {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, markdownType)
	return c.SendString(text)
}

func fenced(s docs.Sample) string { return "```" + s.Language.ID + "\n" + s.Code + "\n```" }

func (d *documentation) errorTable(c *fiber.Ctx) string {
	var b strings.Builder
	b.WriteString("| Status | `code` | `type` | |\n|---|---|---|---|")
	for _, code := range d.codes(c.UserContext(), "", nil) {
		fmt.Fprintf(&b, "\n| %s | `%s` | `%s` | %s |", code.Status, code.Code, code.Type, code.Meaning)
	}
	return b.String()
}

func (d *documentation) permissionTable() string {
	var lines []string
	for _, p := range d.permissions() {
		lines = append(lines, "- `"+p.Name+"`: "+strings.Join(p.Calls, ", "))
	}
	return strings.Join(lines, "\n")
}

// llms handles GET /llms.txt: what a program that reads text finds where (llmstxt.org).
func (d *documentation) llms(c *fiber.Ctx) error {
	ctx := c.UserContext()
	lang := i18n.Of(ctx)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n", d.api().Info.Title,
		strings.ReplaceAll(say(ctx, d.api().Info.Description), "\n\n", "\n>\n> "))
	for _, group := range docs.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n", i18n.T(ctx, "docs.group_"+group.ID))
		for _, slug := range group.Slugs {
			guide, err := docs.Read(lang, slug)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "- [%s](%s/docs/%s.md?lang=%s): %s\n", guide.Title, d.addresses.App, slug, lang,
				docs.Plain(guide.Lead))
		}
	}
	fmt.Fprintf(&b, "\n## %s\n\n- [OpenAPI 3.1](%s/v1/openapi.json)\n- [%s](%s/docs/api)\n",
		i18n.T(ctx, "docs.reference"), d.addresses.Base, i18n.T(ctx, "docs.overview"), d.addresses.App)
	c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	return c.SendString(b.String())
}
