package payments_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
)

// disputes returns what happens to payments that their payers contest, in every order.
func (w *world) disputes() []deed {
	const open = "SELECT id FROM disputes WHERE closed_at IS NULL"
	return []deed{
		w.onPayment("contest", "SELECT id FROM payments WHERE livemode", w.contest),
		w.onPayment("contest what goes back", "SELECT payment_id FROM refunds WHERE next_try_at IS NOT NULL",
			w.contest),
		{"defend", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, open)
			if err != nil {
				return err
			}
			_, err = s.AnswerDispute(ctx, w.Owner, w.Account.ID, id,
				payments.DisputeAnswer{Agrees: random.IntN(2) == 0, Text: "Foi entregue"})
			return err
		}},
		{"win", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, open+" OR status = 'LOST' AND released = 0")
			if err != nil {
				return err
			}
			_, err = s.CloseDispute(ctx, w.person(random), id, paymentstest.Reason)
			return err
		}},
		w.debit("lose", "MED_FRAUDE", `SELECT p.end_to_end_id FROM payments p JOIN disputes d ON d.payment_id = p.id
			WHERE p.amount > (SELECT coalesce(sum(amount), 0) FROM refunds
				WHERE payment_id = p.id AND status <> 'FAILED')`),
		w.debit("debit", "MED_FRAUDE", "SELECT end_to_end_id FROM payments WHERE livemode"),
		w.debit("give back by app", "", "SELECT end_to_end_id FROM payments WHERE livemode"),
		w.debit("return accepted", "", `SELECT p.end_to_end_id FROM payments p JOIN payment_exceptions x
			ON x.payment_id = p.id WHERE p.livemode AND x.decision = 'ACCEPTED'`),
	}
}

// contest opens a dispute of a payment.
func (w *world) contest(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
	_, err := s.OpenDispute(ctx, w.person(random), payments.NewDispute{PaymentID: id,
		BankRef: fmt.Sprint(random.IntN(2000)), Amount: money.Cents(random.IntN(300_00)), Cause: "FRAUDE",
		AnswerBy: w.Clock.Now().Add(time.Hour)})
	return err
}

// debit returns the deed of a bank that gives an amount of a Pix back, for a contested one or by its app, wherever its
// money is.
func (w *world) debit(name, nature, query string) deed {
	return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
		e2e, err := w.one(ctx, s, query)
		if err != nil {
			return err
		}
		var left int64
		if err := s.DB.Pool.QueryRow(ctx, `SELECT amount - (SELECT coalesce(sum(amount), 0)::bigint FROM refunds
			WHERE payment_id = p.id AND status <> 'FAILED') FROM payments p WHERE livemode AND end_to_end_id = $1`,
			e2e).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return models.ErrNotFound
		}
		err = s.RecordReturns(ctx, psp.Payment{EndToEndID: e2e, Returns: []psp.Return{{
			ID: fmt.Sprint("med", random.IntN(2000)), Nature: nature, Status: psp.TransferDone,
			Amount: 1 + random.Int64N(left)}}})
		if models.Violates(err, models.RefundsWithinPayment) {
			return models.ErrNotFound // another gave it back meanwhile
		}
		return err
	}}
}
