package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// PastSale is a test checkout of the past, and what became of it.
type PastSale struct {
	NewCheckout
	Link      *models.PaymentLink // if it is set, NewCheckout needs only Customer
	Visits    int                 // of the page of Link, on the day of CreatedAt
	CreatedAt time.Time
	// PaidAt is when the buyer paid, CancelledAt when the merchant canceled it. If both are zero it expires.
	PaidAt, CancelledAt time.Time
	// RefundedAt is when By, who must be able to MoveMoney, asks for a refund of the whole amount for Reason; zero
	// means no refund.
	RefundedAt time.Time
	RefundedBy models.Actor
	Reason     string
}

// WriteHistory writes test sales of the past, for demonstrations, as if each operation had run at its time: the
// rows, the postings, the events and the lines of the audit log have that time, and follow the rules of the
// operations. The sales are in the order of their creation. What would happen after now is left to the sweeps. The
// account must be new: without endpoints, so that no delivery is made of the past. Either the whole history is
// written, or nothing.
func (s *Service) WriteHistory(ctx context.Context, scope models.Scope, account *models.Account,
	sales []PastSale) error {
	if scope.Environment != models.Test || len(sales) == 0 {
		return errors.New("payments: only sales in test have an invented past")
	}
	err := s.DB.InBatchTx(ctx, func(tx *models.Tx) error {
		h := s.historian(tx, scope, account)
		rows, err := h.create(sales)
		if err != nil {
			return err
		}
		if err := h.visit(sales); err != nil {
			return err
		}
		for _, step := range h.steps(sales, rows, s.now()) {
			h.at = step.at
			if err := step.do(); err != nil {
				return err
			}
		}
		if err := models.GatherAgain(tx, rows[0].CreatedAt); err != nil {
			return err
		}
		if err := models.WriteWordsAgain(tx); err != nil {
			return err
		}
		if err := models.RecountLinkDays(tx, scope, rows[0].CreatedAt); err != nil {
			return err
		}
		return models.RecountHours(tx, scope, rows[0].CreatedAt)
	})
	if err != nil {
		return fmt.Errorf("payments: write the history of %s: %w", account.ID, err)
	}
	return nil
}

// historian runs operations in one transaction, at a time that it sets.
type historian struct {
	*Service
	tx      *models.Tx
	scope   models.Scope
	account *models.Account
	at      time.Time
}

// historian returns a service with a clock of its own, which notifies no worker and no stream.
func (s *Service) historian(tx *models.Tx, scope models.Scope, account *models.Account) *historian {
	h := &historian{tx: tx, scope: scope, account: account}
	h.Service = &Service{Options: s.Options, cursorKey: s.cursorKey, documentKey: s.documentKey}
	h.Now = func() time.Time { return h.at }
	h.Wake, h.Tell = func() {}, func(string) {}
	return h
}

// pastStep is something that happened at a time.
type pastStep struct {
	at time.Time
	do func() error
}

// historyBatch limits the checkouts that one statement writes. All at once would take a busy machine so long to issue
// that PostgreSQL would end the idle transaction.
const historyBatch = 100

// create writes the checkouts of sales as they were in the beginning.
func (h *historian) create(sales []PastSale) (rows []*models.NewCheckout, err error) {
	for batch := range slices.Chunk(sales, historyBatch) {
		written := len(rows)
		for _, sale := range batch {
			if sale.Link != nil {
				sale.NewCheckout = linkCheckout(sale.Link, LinkChoice{Buyer: sale.Customer})
			}
			h.at = sale.CreatedAt
			row := h.newRow(h.scope, sale.NewCheckout, earlier{})
			if err := h.issue(h.tx.Context(), h.account, sale.NewCheckout, row); err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		if err := models.InsertCheckouts(h.tx, rows[written:]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// visit writes the visits of the links of sales.
func (h *historian) visit(sales []PastSale) error {
	var visits linkVisits
	for _, sale := range sales {
		if sale.Link != nil {
			visits.add(models.NewLinkVisits(sale.Link.ID, sale.CreatedAt, int64(sale.Visits)))
		}
	}
	return h.tx.PGX(func(ctx context.Context, conn models.Querier) error {
		return models.AddLinkVisits(ctx, conn, visits.take())
	})
}

// steps returns what happened to the checkouts of sales up to now, in order.
func (h *historian) steps(sales []PastSale, rows []*models.NewCheckout, now time.Time) []pastStep {
	var steps []pastStep
	add := func(at time.Time, do func() error) { steps = append(steps, pastStep{at, do}) }
	for i := range sales {
		sale, row := &sales[i], rows[i]
		switch {
		case !sale.PaidAt.IsZero():
			add(sale.PaidAt, func() error { return h.pay(row) })
			add(sale.PaidAt.Add(h.SettlementDelayTest), h.settle)
		case !sale.CancelledAt.IsZero():
			add(sale.CancelledAt, func() error {
				return h.end(row.ID, models.CheckoutCancelled, models.EventCheckoutCancelled)
			})
		default:
			add(row.ExpiresAt.Add(time.Second), func() error {
				return h.end(row.ID, models.CheckoutExpired, models.EventCheckoutExpired)
			})
		}
		if !sale.RefundedAt.IsZero() {
			refund := new(models.Refund)
			add(sale.RefundedAt, func() (err error) {
				*refund, err = h.refund(row.ID, sale)
				return err
			})
			add(sale.RefundedAt.Add(refundedAfter), func() error { return h.giveBack(refund) })
		}
	}
	steps = slices.DeleteFunc(steps, func(step pastStep) bool { return step.at.After(now) })
	slices.SortStableFunc(steps, func(a, b pastStep) int { return a.at.Compare(b.at) })
	return steps
}

// pay receives the payment of a checkout.
func (h *historian) pay(row *models.NewCheckout) error {
	paid := receipt{Payment: simulator.Pay(row.TxID, int64(row.Amount), h.now()), environment: h.scope.Environment,
		whenPending: true}
	_, err := h.recordRound(h.tx, []receipt{paid}, []int{0}, make([]recorded, 1))
	return err
}

// settle settles the account's payments that are due. Those of others are left to the sweeps.
func (h *historian) settle() error {
	due, err := models.LockUnsettled(h.tx, h.scope.Environment, h.now(), settleBatch)
	if err != nil {
		return err
	}
	due = slices.DeleteFunc(due, func(u models.Unsettled) bool { return u.AccountID != h.account.ID })
	if len(due) == 0 {
		return nil
	}
	return settle(h.tx, h.scope.Environment, due, h.now())
}

// end moves a pending checkout to its final status.
func (h *historian) end(id string, to models.CheckoutStatus, event string) error {
	c, err := models.LockCheckoutByID(h.tx, id)
	if err == nil {
		_, err = h.transitionWanted(h.tx, to, event, c)
	}
	return err
}

func (h *historian) refund(id string, sale *PastSale) (models.Refund, error) {
	r := models.Refund{ID: models.NewRefundID(), Status: models.RefundRequested, Origin: models.RefundByMember,
		Reason: sale.Reason, CreatedBy: &sale.RefundedBy.UserID, CreatedAt: h.now()}
	_, err := h.requestRefund(h.tx, h.scope, RefundRequest{By: sale.RefundedBy, AccountID: h.account.ID, CheckoutID: id,
		Reason: sale.Reason, IdempotencyKey: r.ID, RequestHash: make([]byte, 32)}, &r)
	return r, err
}

// giveBack ends a refund as SimulateRefunds does.
func (h *historian) giveBack(asked *models.Refund) error {
	p, err := h.refundable(h.tx, asked.PaymentID)
	if err != nil {
		return err
	}
	r, err := models.LockRefund(h.tx, asked.ID)
	if err != nil {
		return err
	}
	if _, err := h.applyReturn(h.tx, p, r, psp.Return{ID: bankReturnID(r.ID), Status: psp.TransferDone,
		Amount: int64(r.Amount), RtrID: simulatedReturnID(r.ID, h.now())}); err != nil {
		return err
	}
	return models.SaveRefund(h.tx, r)
}
