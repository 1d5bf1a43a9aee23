package web

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/taxid"
	"garoupa/views/pages"
)

// maxQuery bounds what is searched for, in bytes.
const maxQuery = 300

// opsFind shows GET /ops/buscar: what an id, an e-mail, a document or a name belongs
// to. One thing alone is shown itself.
func (s *server) opsFind(c *fiber.Ctx) error {
	query := oneLine(strings.TrimSpace(c.Query("q")))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	wanted := query
	if number, ok := taxid.Parse(query); ok {
		wanted = number
	}
	var found []models.Found
	if query != "" {
		var err error
		if found, err = models.Find(c.UserContext(), s.DB.Pool, wanted); err != nil {
			return fmt.Errorf("web: search: %w", err)
		}
	}
	if len(found) == 1 && foundAt(found[0]) != "" {
		return c.Redirect(foundAt(found[0]), fiber.StatusSeeOther)
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	shell.Query = query
	props := pages.OpsFindProps{Shell: shell}
	for _, f := range found {
		href := foundAt(f)
		if href == "" {
			href = "/ops/buscar?q=" + url.QueryEscape(query)
		}
		detail := f.Detail
		if number, ok := taxid.Parse(detail); ok {
			detail = taxid.Format(number)
		}
		props.Found = append(props.Found, pages.OpsFound{Kind: string(f.Kind), ID: f.ID, Detail: detail, Account: f.AccountName, Access: string(f.Access), Href: href})
	}
	return render(c, pages.OpsFind(props))
}

// foundAt is the page of a thing, "" where it has none.
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
	}
	if f.AccountID == "" {
		return ""
	}
	return "/ops/contas/" + f.AccountID
}
