package console

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// The outcomes for a withdrawal besides those of a review.
const (
	outcomeStart    = "START"    // a payout is made by hand
	outcomeComplete = "COMPLETE" // the payment arrived; needs its proof
	outcomeFail     = "FAIL"     // the payment will certainly not arrive
	outcomeReturn   = "RETURN"   // the payment was returned
)

// withdrawalOutcomes are the possible outcomes in each state.
var withdrawalOutcomes = map[models.WithdrawalStatus][]string{
	models.WithdrawalPendingReview: {outcomeApprove, outcomeAsk, outcomeReject},
	models.WithdrawalApproved:      {outcomeStart, outcomeFail},
	models.WithdrawalProcessing:    {outcomeComplete, outcomeFail},
	models.WithdrawalCompleted:     {outcomeReturn},
}

// withdrawalReasons are the codes of reasons why a withdrawal is refused, fails or is
// returned.
var withdrawalReasons = []string{"DESTINATION_PROBLEM", "HOLDER_MISMATCH", "ACTIVITY_REVIEW", "PROVIDER_REFUSED",
	reasonAsked, "OTHER"}

// withdrawalQueue is the queue of withdrawals, with tabs for past ones.
func (s *console) withdrawalQueue() queue {
	statuses := map[string][]models.WithdrawalStatus{
		"review": {models.WithdrawalPendingReview}, "payout": {models.WithdrawalApproved, models.WithdrawalProcessing},
	}
	return queue{id: layouts.OpsWithdrawals, path: "/ops/saques", tabs: []string{"review", "payout", allTab},
		sorted: []string{"review", "payout"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			found, err := models.Withdrawals(c.UserContext(), s.DB.Read, models.WithdrawalFilter{
				Statuses: statuses[tab], OldestFirst: tab != allTab, Largest: tab != allTab && largestFirst(c),
				After: after, Limit: limit,
			})
			if err != nil {
				return nil, err
			}
			unknown, err := s.unknownPayouts(c, found)
			rows := s.withdrawalRows(c, found)
			for i, w := range found {
				if unknown[w.ID] {
					rows[i].Detail += " · " + i18n.T(c.UserContext(), "ops.payout_unknown")
				}
			}
			return rows, err
		}}
}

func (s *console) withdrawalRows(c *fiber.Ctx, found []models.AccountWithdrawal) (rows []queued) {
	for _, w := range found {
		amount := w.Amount
		row := queued{at: models.Position{CreatedAt: w.CreatedAt, ID: w.ID}, Item: pages.Item{
			Href: "/ops/saques/" + w.ID, Title: w.AccountName, Amount: &amount, Since: w.CreatedAt,
			Detail: destinationKind(c.UserContext(), &w.Destination) + " · " + w.Destination.Masked,
			Badge:  pages.WithdrawalBadge(string(w.Status)),
			Late:   withdrawalWaits(w.Status) && s.late(w.CreatedAt),
		}}
		if w.Status == models.WithdrawalPendingReview && w.FirstApprovedBy != nil {
			row.Detail = row.Detail + " · " + i18n.T(c.UserContext(), "ops.second_waits")
		}
		rows = append(rows, row)
	}
	return rows
}

// withdrawalWaits reports whether a withdrawal waits for staff.
func withdrawalWaits(status models.WithdrawalStatus) bool {
	return slices.Contains([]models.WithdrawalStatus{models.WithdrawalPendingReview, models.WithdrawalApproved,
		models.WithdrawalProcessing}, status)
}

// withdrawal shows GET /ops/saques/:id.
func (s *console) withdrawal(c *fiber.Ctx) error {
	return s.showWithdrawal(c, decision{id: c.Params("id")}, nil, false)
}

// withdrawalCase is the decision about a withdrawal.
func (s *console) withdrawalCase() decisionCase {
	return decisionCase{
		show: s.showWithdrawal,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			w, err := models.AccountWithdrawalByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			if !slices.Contains(withdrawalOutcomes[w.Status], d.Outcome) {
				d.Outcome = ""
			}
			errs := checkWithdrawal(c, d)
			if len(errs) == 0 && (d.Outcome == outcomeApprove || d.Outcome == outcomeStart) {
				if errs, err = s.checkStops(c, w.AccountID, s.withdrawalStopsFor); err != nil {
					return nil, false, err
				}
			}
			if d.Outcome == outcomeApprove && approvedFirst(c, w) {
				errs = components.FieldErrors{{Field: "outcome",
					Text: i18n.T(c.UserContext(), "problem.ops_"+string(refusal.SecondPersonRequired))}}
			}
			return errs, w.Version == d.version, nil
		},
		preview: s.previewWithdrawal,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			by, ctx, w := page.Actor(c), c.UserContext(), (*models.Withdrawal)(nil)
			switch d.Outcome {
			case outcomeApprove:
				w, err = s.Payments.ApproveWithdrawal(ctx, by, d.id, d.version)
				if err == nil && w.Status == models.WithdrawalPendingReview {
					return "ops_first_approved", "/ops/saques/" + d.id, nil
				}
			case outcomeAsk, outcomeReject:
				_, err = s.Payments.RejectWithdrawal(ctx, by, d.id, d.version, d.ReasonCode, d.Reason)
			case outcomeStart:
				_, err = s.Payments.StartPayout(ctx, by, d.id, d.version)
			case outcomeComplete:
				_, err = s.Payments.CompleteWithdrawal(ctx, by, d.id, d.version,
					payments.Proof{EndToEndID: d.Proof, TxHash: d.Proof})
			case outcomeFail:
				_, err = s.Payments.FailWithdrawal(ctx, by, d.id, d.version, d.ReasonCode, d.Reason)
			case outcomeReturn:
				_, err = s.Payments.ReturnWithdrawal(ctx, by, d.id, d.version, d.ReasonCode, d.Reason)
			}
			return "ops_decided", "/ops/saques/" + d.id, err
		},
	}
}

// checkWithdrawal returns what is wrong with the form.
func checkWithdrawal(c *fiber.Ctx, d *decision) components.FieldErrors {
	switch d.Outcome {
	case outcomeStart:
		d.ReasonCode, d.Reason = "", ""
		return nil
	case outcomeComplete:
		d.ReasonCode, d.Reason = "", ""
		if d.Proof == "" {
			return components.FieldErrors{{Field: "proof", Text: i18n.T(c.UserContext(), "problem.ops_proof_required")}}
		}
		return nil
	case outcomeFail, outcomeReturn:
		return reasonErrors(c, d, withdrawalReasons)
	}
	return checkReview(c, d, withdrawalReasons)
}
