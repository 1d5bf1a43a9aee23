package dashboard

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/internal/ratelimit"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// newWithdrawal shows GET /app/saques/novo, with the values typed before, if any.
func (s *treasury) newWithdrawal(c *fiber.Ctx) error {
	return s.showNewWithdrawal(c, pages.NewWithdrawalProps{
		Key: page.FormKey(c.Query("key")), Rail: c.Query("rail"), Amount: c.Query("amount"),
	})
}

// showNewWithdrawal shows the form, or the reasons why the account cannot withdraw.
func (s *treasury) showNewWithdrawal(c *fiber.Ctx, props pages.NewWithdrawalProps) (err error) {
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if closed := gate(page.Visitor(c)); closed.InTest() {
		props.Gate = closed
		return page.Render(c, pages.NewWithdrawal(props))
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	if props.Switches, err = s.withdrawalStops(c, account); err != nil {
		return err
	}
	if len(props.Switches) > 0 {
		return page.Render(c, pages.NewWithdrawal(props))
	}
	active, err := s.activeDestinations(c, s.Now())
	if err != nil {
		return err
	}
	balance, err := balance(s.Site, c)
	if err != nil {
		return err
	}
	if len(active) == 0 || balance == nil {
		return s.showReadiness(c, props, account)
	}
	policy := s.Payments.Withdrawals
	props.Available, props.Min, props.Max = balance.Available, policy.Min, s.most(balance)
	if balance.Available >= policy.Min {
		props.Everything = page.TypedPrice(c, props.Max)
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
	return page.Render(c, pages.NewWithdrawal(props))
}

// showReadiness shows what must be done before the first withdrawal.
func (s *treasury) showReadiness(c *fiber.Ctx, props pages.NewWithdrawalProps, account *models.Account) error {
	access := pages.ReadinessTask{ID: pages.TaskAccess, State: pages.TaskTodo}
	switch account.ProductionAccess {
	case models.AccessApproved:
		access.State = pages.TaskDone
	case models.AccessPendingReview:
		access.State = pages.TaskWaiting
	}
	all, err := models.Destinations(c.UserContext(), s.DB.Read,
		models.DestinationFilter{AccountID: account.ID, Limit: page.ListSize(c)})
	if err != nil {
		return fmt.Errorf("dashboard: list destinations: %w", err)
	}
	destination, hold := destinationTasks(all)
	return page.Render(c, pages.Readiness(pages.ReadinessProps{
		Shell: props.Shell, Hold: s.DestinationHold(account), Tasks: []pages.ReadinessTask{access, destination, hold},
	}))
}

// destinationTasks reports the progress of the most advanced destination. all is newest
// first.
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
			destination.Reason = page.Text(d.Reason)
		}
	}
	return destination, hold
}

// reviewWithdrawal shows GET /app/saques/novo/revisar: the effects of the withdrawal before it
// is requested.
func (s *treasury) reviewWithdrawal(c *fiber.Ctx) error {
	props := pages.NewWithdrawalProps{Key: page.FormKey(c.Query("key")), Rail: c.Query("rail"),
		Amount: c.Query("amount")}
	return s.showReview(c, props, false)
}

// showReview shows what the form requests. changed means that something differs from an
// earlier review.
func (s *treasury) showReview(c *fiber.Ctx, form pages.NewWithdrawalProps, changed bool) error {
	amount, ok, err := s.admitWithdrawal(c, form)
	if err != nil || !ok {
		return err
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	w, err := s.Payments.PreviewWithdrawal(c.UserContext(), account, models.Rail(form.Rail), amount)
	if err != nil {
		return s.notWithdrawn(c, form, account, amount, err)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.ReviewWithdrawalProps{
		Shell: shell, Key: form.Key, AmountTyped: form.Amount, Amount: w.Amount, Fee: w.Fee, Net: w.Net(),
		DestinationID: w.Destination.ID, Destination: destinationFacts(&w.Destination), Quote: quoteFacts(w.Quote),
		Term: page.ReviewTerm, Changed: changed,
	}
	if w.Quote != nil {
		props.RateSeen = strconv.FormatInt(w.Quote.Rate, 10)
	}
	if props.Destination.Address, err = s.WholeAddress(&w.Destination); err != nil {
		return err
	}
	return page.Render(c, pages.ReviewWithdrawal(props))
}

// admitWithdrawal returns the amount. If the form is invalid it renders the form again and
// returns ok = false.
func (s *treasury) admitWithdrawal(c *fiber.Ctx, form pages.NewWithdrawalProps) (amount money.Cents, ok bool,
	err error) {
	amount, wrong, err := s.checkWithdrawal(c, &form)
	if err != nil {
		return 0, false, err
	}
	if wrong {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	if wrong || gate(page.Visitor(c)) != "" {
		return 0, false, s.showNewWithdrawal(c, form)
	}
	return amount, true, nil
}

// checkWithdrawal reads the amount, and adds the errors of the form to it.
func (s *treasury) checkWithdrawal(c *fiber.Ctx, form *pages.NewWithdrawalProps) (amount money.Cents, wrong bool,
	err error) {
	if form.Rail != pages.RailPix && form.Rail != pages.RailUSDT {
		form.Errors = append(form.Errors, components.FieldError{Field: "rail",
			Text: i18n.T(c.UserContext(), "problem.withdrawal_rail")})
	}
	amount, unread := page.ReadPrice(form.Amount)
	if unread != nil || len(form.Errors) > 0 { // the operation, which checks the amount, is not called
		problem, err := s.typedAmountProblem(c, amount, unread != nil)
		if err != nil {
			return 0, true, err
		}
		if problem != "" {
			form.Errors = append(form.Errors, components.FieldError{Field: "amount", Text: problem})
		}
	}
	return amount, len(form.Errors) > 0, nil
}

// typedAmountProblem returns what is wrong with an amount by itself, or "".
func (s *treasury) typedAmountProblem(c *fiber.Ctx, amount money.Cents, unread bool) (string, error) {
	policy := s.Payments.Withdrawals
	if unread || amount < policy.Min || amount > policy.Max {
		return s.amountRange(c)
	}
	balance, err := balance(s.Site, c)
	if err != nil || balance == nil || amount <= balance.Available {
		return "", err
	}
	return balanceProblem(c, balance.Available), nil
}

// balanceProblem returns the text that an amount is more than what is available.
func balanceProblem(c *fiber.Ctx, available money.Cents) string {
	return i18n.T(c.UserContext(), "problem.withdrawal_balance", i18n.Money(c.UserContext(), available))
}

// amountRange returns the smallest and the largest amount that can be requested now, as a
// text.
func (s *treasury) amountRange(c *fiber.Ctx) (string, error) {
	balance, err := balance(s.Site, c)
	if err != nil {
		return "", err
	}
	ctx := c.UserContext()
	return i18n.T(ctx, "problem.withdrawal_amount", i18n.Money(ctx, s.Payments.Withdrawals.Min),
		i18n.Money(ctx, s.most(balance))), nil
}

// most returns the largest possible amount of one withdrawal. The available balance limits it,
// unless it is below the smallest withdrawal. balance is nil without production access.
func (s *treasury) most(balance *pages.Balance) money.Cents {
	policy := s.Payments.Withdrawals
	if balance == nil || balance.Available < policy.Min {
		return policy.Max
	}
	return min(balance.Available, policy.Max)
}

// createWithdrawal handles POST /app/saques. A form creates one withdrawal, however often it
// is sent, and only the one that was reviewed.
func (s *treasury) createWithdrawal(c *fiber.Ctx) error {
	form := pages.NewWithdrawalProps{Key: page.FormKey(page.Field(c, "key")), Rail: page.Field(c, "rail"),
		Amount: page.Field(c, "amount")}
	amount, ok, err := s.admitWithdrawal(c, form)
	if err != nil || !ok {
		return err
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	if d := s.Limits.Withdrawals.Take(account.ID, s.Now()); !d.Allowed {
		seconds := ratelimit.RetrySeconds(d.RetryAfter)
		form.Errors = components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.withdrawal_wait", seconds)}}
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
		c.Status(fiber.StatusTooManyRequests)
		return s.showNewWithdrawal(c, form)
	}
	seen := payments.SeenWithdrawal{DestinationID: page.Field(c, "destination"),
		Fee: -1} // an invalid fee equals no reviewed fee
	if fee, err := money.ParseDecimal(page.Field(c, "fee")); err == nil {
		seen.Fee = fee
	}
	seen.Rate, _ = strconv.ParseInt(page.Field(c, "rate"), 10, 64)
	body := sha256.Sum256(fmt.Appendf(nil, "%q", []string{form.Rail, amount.Decimal()}))
	w, _, err := s.Payments.RequestWithdrawal(c.UserContext(), account, payments.NewWithdrawal{
		Rail: models.Rail(form.Rail), Amount: amount, By: page.Actor(c), Seen: &seen,
		IdempotencyKey: "dashboard:" + form.Key, // the prefix separates it from the merchant's own keys
		RequestHash:    body[:],
	})
	if err != nil {
		return s.notWithdrawn(c, form, account, amount, err)
	}
	return c.Redirect("/app/saques/"+w.ID+"/pedido", fiber.StatusSeeOther)
}

// notWithdrawn shows the form again with the reason why no withdrawal was created. For
// suspended or blocked accounts the form shows the reason itself.
func (s *treasury) notWithdrawn(c *fiber.Ctx, form pages.NewWithdrawalProps, account *models.Account,
	amount money.Cents, err error) error {
	ctx := c.UserContext()
	problem := components.FieldError{Field: "amount"}
	switch refusal.Of(err).Code {
	case refusal.InvalidAmount:
		if problem.Text, err = s.amountProblem(c, account, amount); err != nil {
			return err
		}
	case refusal.InsufficientBalance:
		balance, err := s.Payments.Balance(c.UserContext(), account, models.Live)
		if err != nil {
			return err
		}
		problem.Text = balanceProblem(c, balance.Available)
	case refusal.QuoteUnavailable:
		problem = components.FieldError{Field: "rail", Text: i18n.T(ctx, "problem.withdrawal_quote")}
	case refusal.IdempotencyConflict: // the member went back and changed the form
		problem = components.FieldError{Text: i18n.T(ctx, "problem.withdrawal_repeated")}
		form.Key = rand.Text()
	case refusal.WithdrawalReadinessRequired: // of this rail, or of both rails
		problem = components.FieldError{Field: "rail", Text: i18n.T(ctx, "problem.withdrawal_rail")}
	case refusal.ChangedMeanwhile:
		c.Status(fiber.StatusConflict)
		return s.showReview(c, form, true)
	case refusal.Forbidden, refusal.AccountSuspended, refusal.WithdrawalsBlocked:
		c.Status(fiber.StatusForbidden)
		return s.showNewWithdrawal(c, form)
	default:
		return err
	}
	form.Errors = components.FieldErrors{problem}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewWithdrawal(c, form)
}

// amountProblem returns the text that names the limit which an amount exceeds.
func (s *treasury) amountProblem(c *fiber.Ctx, account *models.Account, amount money.Cents) (string, error) {
	ctx, policy := c.UserContext(), s.Payments.Withdrawals
	terms, err := s.Payments.TermsAt(ctx, account, s.Now())
	switch {
	case err != nil:
		return "", err
	case amount < policy.Min || amount > policy.Max:
		return s.amountRange(c)
	case terms.WithdrawalFee.Of(amount) >= amount:
		return i18n.T(ctx, "problem.withdrawal_fee"), nil
	}
	return i18n.T(ctx, "problem.withdrawal_daily", i18n.Money(ctx, policy.DailyMax)), nil
}

// withdrawalRequested shows GET /app/saques/:id/pedido while the withdrawal is in its first
// state. Later it redirects to the withdrawal's page.
func (s *treasury) withdrawalRequested(c *fiber.Ctx) error {
	w, err := s.withdrawal(c)
	if err != nil {
		return err
	}
	if w.Status != models.WithdrawalPendingReview {
		return c.Redirect("/app/saques/"+w.ID, fiber.StatusSeeOther)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.WithdrawalRequested(pages.WithdrawalRequestedProps{
		Shell: shell, ID: w.ID, Amount: w.Amount, Net: w.Net(), Destination: destinationFacts(&w.Destination),
		Quote: quoteFacts(w.Quote), Term: page.ReviewTerm, CreatedAt: w.CreatedAt,
	}))
}
