package console

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/taxid"
	"garoupa/models"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// maxQuery is the maximal length of a search text, in bytes.
const maxQuery = 300

// find shows GET /ops/buscar: the objects that an id, an email, a document or a name belongs
// to. A single result is shown directly.
func (s *console) find(c *fiber.Ctx) error {
	query := strings.TrimSpace(c.Query("q"))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	var found []models.Found
	if query != "" {
		var err error
		if found, err = s.Merchants.Find(c.UserContext(), query); err != nil {
			return fmt.Errorf("console: search: %w", err)
		}
	}
	if len(found) == 1 && foundAt(found[0]) != "" {
		return c.Redirect(foundAt(found[0]), fiber.StatusSeeOther)
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	shell.Query = query
	props := pages.FindProps{Shell: shell}
	for _, f := range found {
		href := foundAt(f)
		if href == "" {
			href = "/ops/buscar?q=" + url.QueryEscape(query)
		}
		detail := f.Detail
		if number, ok := taxid.Parse(detail); ok {
			detail = taxid.Format(number)
		}
		props.Found = append(props.Found, pages.Found{Kind: string(f.Kind), ID: f.ID, Detail: detail,
			Account: f.AccountName, Access: string(f.Access), Href: href})
	}
	return page.Render(c, pages.Find(props))
}

// foundAt returns the page of an object, or "" if it has none.
func foundAt(f models.Found) string {
	switch f.Kind {
	case models.FoundCheckout, models.FoundPayment:
		return "/ops/cobrancas/" + f.ID
	case models.FoundRequest:
		return "/ops/acessos/" + f.ID
	case models.FoundWithdrawal:
		return "/ops/saques/" + f.ID
	case models.FoundDestination:
		return "/ops/destinos/" + f.ID
	case models.FoundException:
		return "/ops/excecoes/" + f.ID
	case models.FoundDispute:
		return "/ops/disputas/" + f.ID
	case models.FoundBlock:
		return "/ops/contas/" + f.AccountID + "/bloqueios/" + f.ID
	}
	if f.AccountID == "" {
		return ""
	}
	return "/ops/contas/" + f.AccountID
}
