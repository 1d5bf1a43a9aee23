package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pixkey"
	"garoupa/quote"
	"garoupa/views/pages"
)

// withdrawalTabs are the statuses of pages.WithdrawalTabs.
var withdrawalTabs = map[string][]models.WithdrawalStatus{
	"review":    {models.WithdrawalPendingReview},
	"sent":      {models.WithdrawalApproved, models.WithdrawalProcessing},
	"completed": {models.WithdrawalCompleted},
	"ended":     {models.WithdrawalRejected, models.WithdrawalCancelled, models.WithdrawalFailed, models.WithdrawalReturned},
}

// gate is why there are no withdrawals where the visitor looks.
func gate(v *models.Visitor) pages.Gate {
	switch {
	case !v.Livemode:
		return pages.GateTest
	case v.Access != models.AccessApproved:
		return pages.GateAccess
	}
	return ""
}

// withdrawalStops are the switches that keep an account from withdrawing.
func (s *server) withdrawalStops(c *fiber.Ctx, account *models.Account) ([]pages.SwitchNotice, error) {
	notices, err := s.switchNotices(c, account)
	return slices.DeleteFunc(notices, func(n pages.SwitchNotice) bool { return n.Switch == string(models.SwitchLiveBlocked) }), err
}

// listWithdrawals shows GET /app/saques.
func (s *server) listWithdrawals(c *fiber.Ctx) error {
	v := visitor(c)
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WithdrawalsProps{Shell: shell, Gate: gate(v)}
	if props.Gate == pages.GateTest {
		return render(c, pages.Withdrawals(props))
	}
	account, err := s.account(c)
	if err != nil {
		return err
	}
	if props.Switches, err = s.withdrawalStops(c, account); err != nil {
		return err
	}
	filter := models.WithdrawalFilter{AccountID: account.ID, Limit: pageSize, After: s.position(c, payments.ListWithdrawals)}
	query := ""
	if statuses, known := withdrawalTabs[c.Query("status")]; known {
		props.Status, filter.Statuses = c.Query("status"), statuses
		query = "status=" + props.Status
	}
	page, err := s.Payments.AccountWithdrawals(c.UserContext(), true, filter)
	if err != nil {
		return err
	}
	for _, w := range page.Withdrawals {
		props.Withdrawals = append(props.Withdrawals, pages.WithdrawalRow{
			ID: w.ID, Status: string(w.Status), Amount: w.Amount, Rail: string(w.Rail), Destination: w.Destination.Masked, CreatedAt: w.CreatedAt,
		})
	}
	props.Pager = filterPager("/app/saques", query, filter.After != nil, page.NextCursor)
	if balance, err := s.balance(c); err != nil {
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
	return render(c, pages.Withdrawals(props))
}

// withdrawal reads the withdrawal of the address.
func (s *server) withdrawal(c *fiber.Ctx) (*models.Withdrawal, error) {
	v := visitor(c)
	return s.Payments.Withdrawal(c.UserContext(), v.AccountID, v.Livemode, c.Params("id"))
}

// readWithdrawal shows GET /app/saques/:id.
func (s *server) readWithdrawal(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WithdrawalProps{
		Shell: shell, ID: w.ID, Status: string(w.Status), Amount: w.Amount, Fee: w.Fee, Net: w.Net(), Destination: destinationFacts(&w.Destination),
		Quote: quoteFacts(w.Quote), EndToEndID: text(w.EndToEndID), TxHash: text(w.TxHash), Reason: text(w.Reason),
		CreatedAt: w.CreatedAt, ApprovedAt: w.ApprovedAt, CompletedAt: w.CompletedAt, UpdatedAt: w.UpdatedAt,
		CanCancel: w.Status == models.WithdrawalPendingReview,
	}
	if w.ApprovalQuote != nil && w.ApprovedAt != nil {
		props.Quote = quoteFacts(w.ApprovalQuote)
	} else {
		props.NewQuote = quoteFacts(w.ApprovalQuote)
	}
	if props.RequestedBy, err = s.requester(c, w); err != nil {
		return err
	}
	return render(c, pages.Withdrawal(props))
}

// requester is the name of the member who asked for a withdrawal; "" for a key.
func (s *server) requester(c *fiber.Ctx, w *models.Withdrawal) (string, error) {
	if !strings.HasPrefix(w.RequestedBy, "usr_") {
		return "", nil
	}
	user, err := models.UserByID(s.DB.WithContext(c.UserContext()), w.RequestedBy)
	if err != nil {
		return "", fmt.Errorf("web: read who asked for %s: %w", w.ID, err)
	}
	return user.Name, nil
}

// cancelWithdrawal handles POST /app/saques/:id/cancelar.
func (s *server) cancelWithdrawal(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	says := "withdrawal_cancelled"
	_, err = s.Payments.CancelWithdrawal(c.UserContext(), payer(c), w.AccountID, w.ID)
	if err != nil && fault.Of(err).Code == fault.WrongState {
		says = "withdrawal_not_in_review"
	} else if err != nil {
		return err
	}
	if err := s.flash(c, says); err != nil {
		return err
	}
	return c.Redirect("/app/saques/"+w.ID, fiber.StatusSeeOther)
}

// wholeAddress is the whole key or address as people compare it.
func (s *server) wholeAddress(d *models.Destination) (string, error) {
	address, err := s.Payments.DestinationAddress(d)
	if err != nil || d.Rail != models.RailPix {
		return address, err
	}
	return pixkey.Format(pixkey.Type(d.Type), address), nil
}

func destinationFacts(d *models.Destination) pages.DestinationFacts {
	return pages.DestinationFacts{Rail: string(d.Rail), Type: d.Type, Address: d.Masked, HolderName: d.HolderName}
}

func quoteFacts(q *models.Quote) *pages.QuoteFacts {
	if q == nil {
		return nil
	}
	return &pages.QuoteFacts{Rate: quote.FormatRate(q.Rate), Amount: quote.FormatUSDT(q.Amount), At: q.ExpiresAt.Add(-quote.Validity)}
}

// activeDestinations are those that the account can withdraw to now, one a rail at
// most.
func (s *server) activeDestinations(c *fiber.Ctx, now time.Time) ([]*models.Destination, error) {
	var active []*models.Destination
	for _, rail := range []models.Rail{models.RailPix, models.RailUSDT} {
		d, err := models.ActiveDestination(c.UserContext(), s.DB.Pool, visitor(c).AccountID, rail, now)
		if errors.Is(err, models.ErrNotFound) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("web: read the destination for %s: %w", rail, err)
		}
		active = append(active, d)
	}
	return active, nil
}
