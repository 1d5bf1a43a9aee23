package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/usdt/quote"
	"garoupa/models"
	"garoupa/payments"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// withdrawalTabs are the statuses of pages.WithdrawalTabs.
var withdrawalTabs = map[string][]models.WithdrawalStatus{
	"review":    {models.WithdrawalPendingReview},
	"sent":      {models.WithdrawalApproved, models.WithdrawalProcessing},
	"completed": {models.WithdrawalCompleted},
	"ended": {models.WithdrawalRejected, models.WithdrawalCancelled, models.WithdrawalFailed,
		models.WithdrawalReturned},
}

// gate returns why there are no withdrawals in the environment that the visitor looks at.
func gate(v *models.Visitor) pages.Gate {
	switch {
	case v.Environment == models.Test && v.Access == models.AccessApproved:
		return pages.GateApproved
	case v.Environment == models.Test:
		return pages.GateTest
	case v.Access != models.AccessApproved:
		return pages.GateAccess
	}
	return ""
}

// withdrawalStops returns the switches that keep an account from withdrawing.
func (s *treasury) withdrawalStops(c *fiber.Ctx, account *models.Account) ([]pages.SwitchNotice, error) {
	notices, err := switchNotices(s.Site, c, account)
	return slices.DeleteFunc(notices,
		func(n pages.SwitchNotice) bool { return n.Switch == string(models.SwitchLiveBlocked) }), err
}

// listWithdrawals shows GET /app/saques.
func (s *treasury) listWithdrawals(c *fiber.Ctx) error {
	v := page.Visitor(c)
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.WithdrawalsProps{Shell: shell, Gate: gate(v)}
	if props.Gate.InTest() {
		return page.Render(c, pages.Withdrawals(props))
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	if props.Switches, err = s.withdrawalStops(c, account); err != nil {
		return err
	}
	filter := models.WithdrawalFilter{AccountID: account.ID, Limit: page.ListSize(c),
		After: s.Position(c, payments.ListWithdrawals)}
	query := ""
	if statuses, known := withdrawalTabs[c.Query("status")]; known {
		props.Status, filter.Statuses = c.Query("status"), statuses
		query = "status=" + props.Status
	}
	found, err := s.Payments.AccountWithdrawals(c.UserContext(), models.Live, filter)
	if err != nil {
		return err
	}
	for _, w := range found.Rows {
		props.Withdrawals = append(props.Withdrawals, pages.WithdrawalRow{
			ID: w.ID, Status: string(w.Status), Amount: w.Amount, Rail: string(w.Rail),
			Destination: w.Destination.Masked, CreatedAt: w.CreatedAt,
		})
	}
	props.Pager = s.Pager(c, payments.ListWithdrawals, "/app/saques", query, filter.After, found.Next)
	if balance, err := balance(s.Site, c); err != nil {
		return err
	} else if balance != nil {
		props.Available = balance.Available
	}
	active, err := s.activeDestinations(c, s.Now())
	if err != nil {
		return err
	}
	if len(active) == 0 {
		props.Waits = pages.WaitsDestination
	} else if props.Available == 0 {
		props.Waits = pages.WaitsMoney
	}
	return page.Render(c, pages.Withdrawals(props))
}

// withdrawal returns the withdrawal that the address names.
func (s *treasury) withdrawal(c *fiber.Ctx) (*models.Withdrawal, error) {
	v := page.Visitor(c)
	return s.Payments.Withdrawal(c.UserContext(), v.AccountID, v.Environment, c.Params("id"))
}

// readWithdrawal shows GET /app/saques/:id.
func (s *treasury) readWithdrawal(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.WithdrawalProps{
		Shell: shell, ID: w.ID, Status: string(w.Status), Amount: w.Amount, Fee: w.Fee, Net: w.Net(),
		Destination: destinationFacts(&w.Destination),
		Quote:       quoteFacts(w.Quote), EndToEndID: page.Text(w.EndToEndID), TxHash: page.Text(w.TxHash),
		Reason:    page.Text(w.Reason),
		CreatedAt: w.CreatedAt, ApprovedAt: w.ApprovedAt, CompletedAt: w.CompletedAt, UpdatedAt: w.UpdatedAt,
		CanCancel: w.Status == models.WithdrawalPendingReview,
	}
	if w.ApprovalQuote != nil && w.ApprovedAt != nil {
		props.Quote = quoteFacts(w.ApprovalQuote)
	} else {
		props.NewQuote = quoteFacts(w.ApprovalQuote)
	}
	if props.RequestedBy, err = s.Requester(c, w); err != nil {
		return err
	}
	returns, err := models.WithdrawalReturns(c.UserContext(), s.DB.Pool, w.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read what came back of %s: %w", w.ID, err)
	}
	for _, r := range returns {
		props.Returns = append(props.Returns, pages.ReturnedPart{Amount: r.Amount, At: r.ReturnedAt})
	}
	if w.Status == models.WithdrawalPendingReview || w.Status == models.WithdrawalApproved {
		account, err := account(s.Site, c)
		if err != nil {
			return err
		}
		props.NoAccess = account.ProductionAccess != models.AccessApproved
		if props.Switches, err = s.withdrawalStops(c, account); err != nil {
			return err
		}
	}
	return page.Render(c, pages.Withdrawal(props))
}

// cancelWithdrawal handles POST /app/saques/:id/cancelar.
func (s *treasury) cancelWithdrawal(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	says := "withdrawal_cancelled"
	_, err = s.Payments.CancelWithdrawal(c.UserContext(), page.Actor(c), w.AccountID, w.ID)
	if err != nil && refusal.Of(err).Code == refusal.WrongState {
		says = "withdrawal_not_in_review"
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, says); err != nil {
		return err
	}
	return c.Redirect("/app/saques/"+w.ID, fiber.StatusSeeOther)
}

func destinationFacts(d *models.Destination) pages.DestinationFacts {
	return pages.DestinationFacts{Rail: string(d.Rail), Type: d.Type, Address: d.Masked, HolderName: d.HolderName}
}

func quoteFacts(q *models.Quote) *pages.QuoteFacts {
	if q == nil {
		return nil
	}
	return &pages.QuoteFacts{Rate: quote.FormatRate(q.Rate), Amount: quote.FormatUSDT(q.Amount),
		At: q.ExpiresAt.Add(-quote.Validity)}
}

// activeDestinations returns the destinations that the account can withdraw to now, at most
// one for each rail.
func (s *treasury) activeDestinations(c *fiber.Ctx, now time.Time) ([]*models.Destination, error) {
	var active []*models.Destination
	for _, rail := range []models.Rail{models.RailPix, models.RailUSDT} {
		d, err := models.ActiveDestination(c.UserContext(), s.DB.Pool, page.Visitor(c).AccountID, rail, now)
		if errors.Is(err, models.ErrNotFound) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("dashboard: read the destination for %s: %w", rail, err)
		}
		active = append(active, d)
	}
	return active, nil
}
