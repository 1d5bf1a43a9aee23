package payments_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// The bank accounts of a world: the installation's, and the merchant's own.
const ourBank, ownBank = "bnk_00000000000000000001", "bnk_00000000000000000002"

// openBanks writes the bank accounts of a world.
func (w *world) openBanks(t *testing.T) {
	t.Helper()
	modelstest.Exec(t, w.DB, `INSERT INTO bank_accounts (id, account_id, name, profile, sandbox, pix_key, holder_name,
			holder_document, status, created_at)
		SELECT id, owner, id, 'generic', false, id, id, '11222333000181', 'ACTIVE', now()
		FROM (VALUES ($1, NULL), ($2, $3)) AS b (id, owner)`, ourBank, ownBank, w.Account.ID)
}

// atBanks returns the operations on money at bank accounts. What the banks say is what their lists would say.
func (w *world) atBanks() []deed {
	pay := func(ctx context.Context, s *payments.Service, random *rand.Rand, more int64) error {
		c, _, err := s.CreateCheckout(ctx, w.Live, w.Account,
			paymentstest.Filled(payments.NewCheckout{Amount: money.Cents(100 + random.IntN(300_00))}))
		if err != nil {
			return err
		}
		bank := []string{ourBank, ownBank}[random.IntN(2)]
		if _, err := s.DB.Pool.Exec(ctx, `INSERT INTO bank_charges (txid, bank_account_id, project_id, checkout_id,
				generation, amount, expiration, status, bank_created_at, payable_until, next_check_at, created_at)
			VALUES ($1, $2, $3, $4, 0, $5, 3600, 'OPEN', $6, $7, $7, $6)`, c.TxID, bank, w.Live.ProjectID, c.ID,
			c.Amount, c.CreatedAt, c.ExpiresAt); err != nil {
			return err
		}
		_, err = s.RecordBankPayments(ctx, bank,
			[]psp.Payment{simulator.Pay(c.TxID, int64(c.Amount)+more, w.Clock.Now())})
		return err
	}
	const own = "SELECT p.id FROM payments p WHERE p.bank_account_id = '" + ownBank + "' AND "
	const theirs = "SELECT p.id FROM payments p WHERE p.bank_account_id = '" + ourBank + "' AND "
	return []deed{
		{"pay at a bank", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, 0)
		}},
		{"pay less at a bank", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, -1)
		}},
		{"pay the own key", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			_, err := s.RecordBankPayments(ctx, ownBank, []psp.Payment{simulator.Pay("", 33, w.Clock.Now())})
			return err
		}},
		w.onPayment("accept the own", own+`EXISTS (SELECT FROM payment_exceptions x
			WHERE x.payment_id = p.id AND x.decision IS NULL)`,
			func(ctx context.Context, s *payments.Service, _ *rand.Rand, id string) error {
				_, err := s.AcceptException(ctx, w.Owner, id, paymentstest.Reason)
				return err
			}),
		w.onPayment("refund the own", own+"p.settles", w.refundAtBank),
		w.onPayment("refund at the installation's", theirs+"p.settles", w.refundAtBank),
		w.onPayment("answer for what is contested", `SELECT r.id FROM refunds r JOIN disputes d USING (payment_id)
			WHERE r.next_try_at IS NOT NULL AND d.closed_at IS NULL AND d.blocked < d.amount`, w.answer),
		w.onPayment("the bank returns", "SELECT id FROM refunds WHERE next_try_at IS NOT NULL", w.answer),
		w.onPayment("return in the own app", own+"p.settles",
			func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
				var endToEnd string
				var left int64
				if err := s.DB.Pool.QueryRow(ctx, `SELECT end_to_end_id, amount - coalesce((
					SELECT sum(amount) FROM refunds WHERE payment_id = p.id AND status <> 'FAILED'), 0)::bigint
					FROM payments p WHERE id = $1`, id).Scan(&endToEnd, &left); err != nil || left < 1 {
					return err
				}
				return w.returned(ctx, s, ownBank, endToEnd, psp.Return{ID: fmt.Sprint("app", random.Uint64()),
					Amount: 1, Status: psp.TransferDone})
			}),
	}
}

// onPayment is a deed on a random row of a query.
func (w *world) onPayment(name, query string, act func(ctx context.Context, s *payments.Service, random *rand.Rand,
	id string) error) deed {
	return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
		id, err := w.one(ctx, s, query)
		if err != nil {
			return err
		}
		return act(ctx, s, random, id)
	}}
}

// refundAtBank asks for a refund of a checkout that was paid at a bank.
func (w *world) refundAtBank(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
	var checkoutID string
	if err := s.DB.Pool.QueryRow(ctx, "SELECT checkout_id FROM payments WHERE id = $1",
		id).Scan(&checkoutID); err != nil {
		return err
	}
	_, _, err := s.RefundCheckout(ctx, w.Live, payments.RefundRequest{By: w.Owner, AccountID: w.Account.ID,
		CheckoutID: checkoutID, Amount: money.Cents(1 + random.IntN(90_00)), Reason: "Troca",
		IdempotencyKey: models.NewRefundID(), RequestHash: make([]byte, 32)})
	return err
}

// answer is what a bank says in the end of a refund that it was asked for: it is done, or refused.
func (w *world) answer(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
	var bank, endToEnd string
	var amount int64
	if err := s.DB.Pool.QueryRow(ctx, `SELECT p.bank_account_id, p.end_to_end_id, r.amount FROM refunds r
		JOIN payments p ON p.id = r.payment_id WHERE r.id = $1`, id).Scan(&bank, &endToEnd, &amount); err != nil {
		return err
	}
	status := []psp.TransferStatus{psp.TransferDone, psp.TransferRefused}[random.IntN(2)]
	return w.returned(ctx, s, bank, endToEnd, psp.Return{ID: strings.ReplaceAll(id, "_", ""), Amount: amount,
		Status: status})
}

func (w *world) returned(ctx context.Context, s *payments.Service, bank, endToEnd string, r psp.Return) error {
	_, err := s.RecordBankPayments(ctx, bank, []psp.Payment{{EndToEndID: endToEnd, Returns: []psp.Return{r}}})
	return err
}
