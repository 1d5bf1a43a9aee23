package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// newWithdrawal shows GET /app/saques/novo, with what was typed before, if it was.
func (s *server) newWithdrawal(c *fiber.Ctx) error {
	return s.showNewWithdrawal(c, pages.NewWithdrawalProps{
		Key: formKey(c.Query("key")), Rail: c.Query("rail"), Amount: c.Query("amount"),
	})
}

// formKey is the key of a form: the one that it was sent with, or a new one.
func formKey(sent string) string {
	if sent == "" || len(sent) > maxKey || !plain(sent) {
		return rand.Text()
	}
	return sent
}

// showNewWithdrawal shows the form, or in its place what keeps the account from
// withdrawing.
func (s *server) showNewWithdrawal(c *fiber.Ctx, props pages.NewWithdrawalProps) (err error) {
	if props.Shell, err = s.shell(c); err != nil {
		return err
	}
	if gate(visitor(c)) == pages.GateTest {
		props.Gate = pages.GateTest
		return render(c, pages.NewWithdrawal(props))
	}
	account, err := s.account(c)
	if err != nil {
		return err
	}
	if props.Switches, err = s.withdrawalStops(c, account); err != nil {
		return err
	}
	if len(props.Switches) > 0 {
		return render(c, pages.NewWithdrawal(props))
	}
	active, err := s.activeDestinations(c, s.Now())
	if err != nil {
		return err
	}
	balance, err := s.balance(c)
	if err != nil {
		return err
	}
	if len(active) == 0 || balance == nil {
		return s.showReadiness(c, props, account)
	}
	policy := s.Payments.Withdrawals
	props.Available, props.Min, props.Max = balance.Available, policy.Min, s.most(balance)
	if balance.Available >= policy.Min {
		props.Everything = typedPrice(c, props.Max)
	}
	if c.Query("everything") != "" {
		props.Amount = cmp.Or(props.Everything, props.Amount)
	}
	for _, d := range active {
		props.Destinations = append(props.Destinations, destinationFacts(d))
	}
	if len(active) == 1 && props.Rail == "" {
		props.Rail = string(active[0].Rail)
	}
	return render(c, pages.NewWithdrawal(props))
}

// showReadiness tells what is to be done before the first withdrawal.
func (s *server) showReadiness(c *fiber.Ctx, props pages.NewWithdrawalProps, account *models.Account) error {
	access := pages.ReadinessTask{ID: pages.TaskAccess, State: pages.TaskTodo}
	switch account.ProductionAccess {
	case models.AccessApproved:
		access.State = pages.TaskDone
	case models.AccessPendingReview:
		access.State = pages.TaskWaiting
	}
	all, err := models.Destinations(c.UserContext(), s.DB.Pool, models.DestinationFilter{AccountID: account.ID, Limit: pageSize})
	if err != nil {
		return fmt.Errorf("web: list destinations: %w", err)
	}
	destination, hold := destinationTasks(all)
	return render(c, pages.Readiness(pages.ReadinessProps{Shell: props.Shell, Hold: s.Payments.Withdrawals.Hold, Tasks: []pages.ReadinessTask{access, destination, hold}}))
}

// destinationTasks tell how far the destination is that is furthest. They come
// newest first.
func destinationTasks(all []models.AccountDestination) (destination, hold pages.ReadinessTask) {
	destination = pages.ReadinessTask{ID: pages.TaskDestination, State: pages.TaskTodo}
	hold = pages.ReadinessTask{ID: pages.TaskHold, State: pages.TaskBlocked}
	for i, d := range all {
		switch {
		case d.Status == models.DestinationApproved && d.ReplacedAt == nil:
			destination.State, destination.Reason, hold.State = pages.TaskDone, "", pages.TaskWaiting
			if hold.UsableAt == nil || d.UsableAt.Before(*hold.UsableAt) {
				hold.UsableAt = d.UsableAt
			}
		case d.Status == models.DestinationPendingReview && destination.State == pages.TaskTodo:
			destination.State, destination.Reason = pages.TaskWaiting, ""
		case d.Status == models.DestinationRejected && i == 0:
			destination.Reason = text(d.Reason)
		}
	}
	return destination, hold
}

// reviewWithdrawal shows GET /app/saques/novo/revisar: what will happen, before
// anything does.
func (s *server) reviewWithdrawal(c *fiber.Ctx) error {
	props := pages.NewWithdrawalProps{Key: formKey(c.Query("key")), Rail: c.Query("rail"), Amount: c.Query("amount")}
	return s.showReview(c, props, false)
}

// showReview shows what the form asks for; changed tells that something is no longer
// as it was reviewed before.
func (s *server) showReview(c *fiber.Ctx, form pages.NewWithdrawalProps, changed bool) error {
	amount, ok, err := s.admitWithdrawal(c, form)
	if err != nil || !ok {
		return err
	}
	account, err := s.account(c)
	if err != nil {
		return err
	}
	w, err := s.Payments.PreviewWithdrawal(c.UserContext(), account, models.Rail(form.Rail), amount)
	if err != nil {
		return s.notWithdrawn(c, form, account, amount, err)
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.ReviewWithdrawalProps{
		Shell: shell, Key: form.Key, AmountTyped: form.Amount, Amount: w.Amount, Fee: w.Fee, Net: w.Net(),
		DestinationID: w.Destination.ID, Destination: destinationFacts(&w.Destination), Quote: quoteFacts(w.Quote), Term: reviewTerm, Changed: changed,
	}
	if w.Quote != nil {
		props.RateSeen = strconv.FormatInt(w.Quote.Rate, 10)
	}
	if props.Destination.Address, err = s.wholeAddress(&w.Destination); err != nil {
		return err
	}
	return render(c, pages.ReviewWithdrawal(props))
}

// admitWithdrawal returns the amount of a form that may be gone on with. To one that may
// not it has answered.
func (s *server) admitWithdrawal(c *fiber.Ctx, form pages.NewWithdrawalProps) (amount money.Cents, ok bool, err error) {
	amount, wrong, err := s.checkWithdrawal(c, &form)
	if err != nil {
		return 0, false, err
	}
	if wrong {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	if wrong || gate(visitor(c)) != "" {
		return 0, false, s.showNewWithdrawal(c, form)
	}
	return amount, true, nil
}

// checkWithdrawal reads the amount, and notes what is wrong with the form.
func (s *server) checkWithdrawal(c *fiber.Ctx, form *pages.NewWithdrawalProps) (amount money.Cents, wrong bool, err error) {
	if form.Rail != pages.RailPix && form.Rail != pages.RailUSDT {
		form.Errors = append(form.Errors, components.FieldError{Field: "rail", Text: i18n.T(c.UserContext(), "problem.withdrawal_rail")})
	}
	amount, unread := readPrice(form.Amount)
	if unread != nil {
		problem, err := s.amountRange(c)
		if err != nil {
			return 0, true, err
		}
		form.Errors = append(form.Errors, components.FieldError{Field: "amount", Text: problem})
	}
	return amount, len(form.Errors) > 0, nil
}

// amountRange tells from what to what one may ask for now.
func (s *server) amountRange(c *fiber.Ctx) (string, error) {
	balance, err := s.balance(c)
	if err != nil {
		return "", err
	}
	ctx := c.UserContext()
	return i18n.T(ctx, "problem.withdrawal_amount", i18n.Money(ctx, s.Payments.Withdrawals.Min), i18n.Money(ctx, s.most(balance))), nil
}

// most is the most that one withdrawal can be of. What is available bounds it, too,
// unless that is too little for any; the balance is nil without production access.
func (s *server) most(balance *pages.Balance) money.Cents {
	policy := s.Payments.Withdrawals
	if balance == nil || balance.Available < policy.Min {
		return policy.Max
	}
	return min(balance.Available, policy.Max)
}

// createWithdrawal handles POST /app/saques. However often one form is sent, it makes
// one withdrawal, and the one that was reviewed.
func (s *server) createWithdrawal(c *fiber.Ctx) error {
	form := pages.NewWithdrawalProps{Key: formKey(c.FormValue("key")), Rail: c.FormValue("rail"), Amount: c.FormValue("amount")}
	amount, ok, err := s.admitWithdrawal(c, form)
	if err != nil || !ok {
		return err
	}
	account, err := s.account(c)
	if err != nil {
		return err
	}
	if d := s.Limits.Withdrawals.Take(account.ID, s.Now()); !d.Allowed {
		seconds := max(1, int(math.Ceil(d.RetryAfter.Seconds())))
		form.Errors = components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.withdrawal_wait", seconds)}}
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
		c.Status(fiber.StatusTooManyRequests)
		return s.showNewWithdrawal(c, form)
	}
	seen := payments.SeenWithdrawal{DestinationID: c.FormValue("destination"), Fee: -1} // a fee that cannot be read is none that was seen
	if fee, err := money.ParseDecimal(c.FormValue("fee")); err == nil {
		seen.Fee = fee
	}
	seen.Rate, _ = strconv.ParseInt(c.FormValue("rate"), 10, 64)
	body := sha256.Sum256(fmt.Appendf(nil, "%q", []string{form.Rail, amount.Decimal()}))
	w, _, err := s.Payments.RequestWithdrawal(c.UserContext(), account, payments.NewWithdrawal{
		Rail: models.Rail(form.Rail), Amount: amount, By: payer(c), Seen: &seen,
		IdempotencyKey: "dashboard:" + form.Key, RequestHash: body[:], // the merchant's own keys, over the API, share the space
	})
	if err != nil {
		return s.notWithdrawn(c, form, account, amount, err)
	}
	return c.Redirect("/app/saques/"+w.ID+"/pedido", fiber.StatusSeeOther)
}

// notWithdrawn shows the form again with what kept the withdrawal from being made.
// What closed the way altogether the form tells by itself.
func (s *server) notWithdrawn(c *fiber.Ctx, form pages.NewWithdrawalProps, account *models.Account, amount money.Cents, err error) error {
	ctx := c.UserContext()
	problem := components.FieldError{Field: "amount"}
	switch fault.Of(err).Code {
	case fault.InvalidAmount:
		if problem.Text, err = s.amountProblem(c, account, amount); err != nil {
			return err
		}
	case fault.InsufficientBalance:
		balance, err := s.Payments.Balance(c.UserContext(), account, true)
		if err != nil {
			return err
		}
		problem.Text = i18n.T(ctx, "problem.withdrawal_balance", i18n.Money(ctx, balance.Available))
	case fault.QuoteUnavailable:
		problem = components.FieldError{Field: "rail", Text: i18n.T(ctx, "problem.withdrawal_quote")}
	case fault.IdempotencyConflict: // the member went back and changed the form
		problem = components.FieldError{Text: i18n.T(ctx, "problem.withdrawal_repeated")}
		form.Key = rand.Text()
	case fault.WithdrawalReadinessRequired: // of this rail, or of both
		problem = components.FieldError{Field: "rail", Text: i18n.T(ctx, "problem.withdrawal_rail")}
	case fault.ChangedMeanwhile:
		c.Status(fiber.StatusConflict)
		return s.showReview(c, form, true)
	case fault.Forbidden, fault.AccountSuspended, fault.WithdrawalsBlocked:
		c.Status(fiber.StatusForbidden)
		return s.showNewWithdrawal(c, form)
	default:
		return err
	}
	form.Errors = components.FieldErrors{problem}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewWithdrawal(c, form)
}

// amountProblem tells which bound an amount passes.
func (s *server) amountProblem(c *fiber.Ctx, account *models.Account, amount money.Cents) (string, error) {
	ctx, policy := c.UserContext(), s.Payments.Withdrawals
	fee := money.Fee{BasisPoints: account.WithdrawalFeeBasisPoints, Fixed: account.WithdrawalFeeFixed}.Of(amount)
	switch {
	case amount < policy.Min || amount > policy.Max:
		return s.amountRange(c)
	case fee >= amount:
		return i18n.T(ctx, "problem.withdrawal_fee"), nil
	}
	return i18n.T(ctx, "problem.withdrawal_daily", i18n.Money(ctx, policy.DailyMax)), nil
}

// withdrawalRequested shows GET /app/saques/:id/pedido while the withdrawal is as it
// was asked for. Later its own page tells more.
func (s *server) withdrawalRequested(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	if w.Status != models.WithdrawalPendingReview {
		return c.Redirect("/app/saques/"+w.ID, fiber.StatusSeeOther)
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.WithdrawalRequested(pages.WithdrawalRequestedProps{
		Shell: shell, ID: w.ID, Amount: w.Amount, Net: w.Net(), Destination: destinationFacts(&w.Destination),
		Quote: quoteFacts(w.Quote), Term: reviewTerm, CreatedAt: w.CreatedAt,
	}))
}
