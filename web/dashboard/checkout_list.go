package dashboard

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// maxSearch is the length of the longest text to search for, that of an external id.
const maxSearch = 255

// statuses are the statuses by which lists of checkouts can be filtered.
var statuses = []models.CheckoutStatus{models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired,
	models.CheckoutCancelled}

// readCheckoutFilter reads the filters of the list: the typed values, and their parsed form.
func readCheckoutFilter(c *fiber.Ctx) (typed pages.CheckoutFilter, meant models.CheckoutSearch,
	problems components.FieldErrors) {
	typed = pages.CheckoutFilter{Text: searched(c.Query("q")), From: strings.TrimSpace(c.Query("from")),
		Until: strings.TrimSpace(c.Query("until"))}
	if status := models.CheckoutStatus(c.Query("status")); slices.Contains(statuses, status) {
		typed.Status, meant.Status = string(status), status
	}
	meant.Text = typed.Text
	if amount, err := page.ReadPrice(typed.Text); err == nil {
		meant.Amount = amount
	}
	meant.From, meant.Until, problems = page.ReadPeriod(c, typed.From, typed.Until)
	return typed, meant, problems
}

// searched returns a text to search for, trimmed and shortened.
func searched(text string) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > maxSearch {
		text = string(r[:maxSearch])
	}
	return text
}

// listCheckouts shows GET /app/cobrancas.
func (s *dashboard) listCheckouts(c *fiber.Ctx) error {
	typed, meant, problems := readCheckoutFilter(c)
	if strings.HasPrefix(typed.Text, "chk_") { // an id redirects to its checkout
		if found, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), typed.Text); err == nil {
			return c.Redirect("/app/cobrancas/"+found.ID, fiber.StatusSeeOther)
		}
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	after := s.Position(c, payments.ListCheckouts)
	if typed.Text == "" && after == nil { // a search costs too much to be repeated at each event
		keepCurrent(s.Site, c, &shell)
	}
	props := pages.CheckoutsProps{
		Shell: shell, Filter: typed, Errors: problems,
		Periods:   presets(s.Now(), pages.PeriodAll, pages.PeriodToday, pages.PeriodWeek, pages.PeriodMonth),
		CanCreate: offersSales(page.Visitor(c)),
		CanExport: page.Visitor(c).Role.Can(models.MoveMoney), Empty: s.emptyCheckouts(page.Visitor(c)),
	}
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return page.Render(c, pages.Checkouts(props))
	}
	meant.Limit, meant.After = page.ListSize(c), after
	found, err := s.Payments.SearchCheckouts(c.UserContext(), page.Scope(c), meant)
	if err != nil {
		return err
	}
	props.Checkouts = checkoutRows(found.Rows)
	props.Pager = s.Pager(c, payments.ListCheckouts, "/app/cobrancas", typed.Query(), meant.After, found.Next)
	if typed.Text == "" { // a search shows no counts
		props.Counts, err = s.checkoutCounts(c, meant)
		lacks(s.Site, c, "counts", err) // without counts the tabs show no numbers
	}
	if sum, err := s.Payments.SumCheckouts(c.UserContext(), page.Scope(c), meant); !lacks(s.Site, c, "counts", err) {
		props.Sum = &pages.CheckoutSum{Count: sum.Count, Amount: sum.Amount, More: sum.More}
	}
	return page.Render(c, pages.Checkouts(props))
}

// emptyCheckouts returns what an empty list offers to a visitor if there was never a charge.
func (s *dashboard) emptyCheckouts(v *models.Visitor) pages.EmptyCheckouts {
	return pages.EmptyCheckouts{CanCreate: offersSales(v), NeedsAccess: needsAccess(v),
		Live: v.Environment == models.Live, APIURL: s.BaseURL}
}

func (s *dashboard) checkoutCounts(c *fiber.Ctx, search models.CheckoutSearch) (map[string]int, error) {
	counts, err := models.CheckoutCounts(c.UserContext(), s.DB.Read, page.Scope(c), search.From, search.Until)
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
			ID: c.ID, Status: string(c.Status), Amount: c.Amount, Description: c.Description,
			Customer:   page.Text(c.CustomerName),
			ExternalID: c.ExternalID, CreatedAt: c.CreatedAt, PaidAt: c.PaidAt,
		})
	}
	return rows
}
