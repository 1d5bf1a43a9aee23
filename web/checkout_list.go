package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// pageSize is how many rows a list of the dashboard shows.
const pageSize = 25

// maxSearch is the length of the longest text that is looked for, an external id's.
const maxSearch = 255

// statuses are those that lists of checkouts are narrowed by.
var statuses = []models.CheckoutStatus{models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired, models.CheckoutCancelled}

// readCheckoutFilter reads what narrows the list: as it stands in the address, and
// as it is meant.
func readCheckoutFilter(c *fiber.Ctx) (typed pages.CheckoutFilter, meant models.CheckoutSearch, problems components.FieldErrors) {
	typed = pages.CheckoutFilter{Text: searched(c.Query("q")), From: strings.TrimSpace(c.Query("from")), Until: strings.TrimSpace(c.Query("until"))}
	if status := models.CheckoutStatus(c.Query("status")); slices.Contains(statuses, status) {
		typed.Status, meant.Status = string(status), status
	}
	meant.Text = typed.Text
	if amount, err := readPrice(typed.Text); err == nil {
		meant.Amount = amount
	}
	meant.From, meant.Until, problems = readPeriod(c, typed.From, typed.Until)
	return typed, meant, problems
}

// searched is a text to look for.
func searched(text string) string {
	text = strings.TrimSpace(oneLine(text))
	if r := []rune(text); len(r) > maxSearch {
		text = string(r[:maxSearch])
	}
	return text
}

// listCheckouts shows GET /app/cobrancas.
func (s *server) listCheckouts(c *fiber.Ctx) error {
	typed, meant, problems := readCheckoutFilter(c)
	if strings.HasPrefix(typed.Text, "chk_") { // an id leads to its checkout
		if found, err := s.Payments.Checkout(c.UserContext(), scope(c), typed.Text); err == nil {
			return c.Redirect("/app/cobrancas/"+found.ID, fiber.StatusSeeOther)
		}
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.CheckoutsProps{
		Shell: shell, Filter: typed, Errors: problems,
		CanCreate: mayDevelop(visitor(c)) && !needsAccess(visitor(c)), CanExport: mayTreasure(visitor(c)), Empty: s.emptyCheckouts(visitor(c)),
	}
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return render(c, pages.Checkouts(props))
	}
	meant.Limit, meant.After = pageSize, s.position(c, payments.ListCheckouts)
	page, err := s.Payments.SearchCheckouts(c.UserContext(), scope(c), meant)
	if err != nil {
		return err
	}
	props.Checkouts = checkoutRows(page.Checkouts)
	props.Pager = filterPager("/app/cobrancas", typed.Query(), meant.After != nil, page.NextCursor)
	if typed.Text == "" { // a search is counted by looking at it
		props.Counts, err = s.checkoutCounts(c, meant)
		s.lacks(c, "counts", err) // the tabs tell none
	}
	return render(c, pages.Checkouts(props))
}

// emptyCheckouts is what a visitor finds where no charge was ever made.
func (s *server) emptyCheckouts(v *models.Visitor) pages.EmptyCheckouts {
	return pages.EmptyCheckouts{CanCreate: mayDevelop(v) && !needsAccess(v), NeedsAccess: needsAccess(v), Livemode: v.Livemode, APIURL: s.BaseURL}
}

func (s *server) checkoutCounts(c *fiber.Ctx, search models.CheckoutSearch) (map[string]int, error) {
	counts, err := models.CheckoutCounts(c.UserContext(), s.DB.Pool, scope(c), search.From, search.Until)
	if err != nil {
		return nil, err
	}
	told := map[string]int{}
	for status, n := range counts {
		told[string(status)] = n
	}
	return told, nil
}

func checkoutRows(checkouts []models.Checkout) []pages.CheckoutRow {
	var rows []pages.CheckoutRow
	for _, c := range checkouts {
		rows = append(rows, pages.CheckoutRow{
			ID: c.ID, Status: string(c.Status), Amount: c.Amount, Description: c.Description, Customer: text(c.CustomerName),
			ExternalID: c.ExternalID, CreatedAt: c.CreatedAt,
		})
	}
	return rows
}
