package payments

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp/simulator"
)

// Proof is how the institution or the wallet's network names a payment that was
// made: EndToEndID for Pix, TxHash for USDT.
type Proof struct {
	EndToEndID string
	TxHash     string
}

// StartPayout notes that an approved withdrawal is being paid: the money may be on
// its way from now on. For staff who are not members of its account. Faults:
// WithdrawalNotFound, Forbidden, WrongState.
func (s *Service) StartPayout(ctx context.Context, by Actor, id string) (*models.Withdrawal, error) {
	return s.startPayout(ctx, by, id, staff)
}

// allowed says who may do something to an account's money.
type allowed func(tx *models.Tx, by Actor, accountID string) error

// anyone is for what the gateway itself does.
func anyone(*models.Tx, Actor, string) error { return nil }

func (s *Service) startPayout(ctx context.Context, by Actor, id string, may allowed) (*models.Withdrawal, error) {
	return s.moveWithdrawal(ctx, by, "", id, models.WithdrawalProcessing, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := may(tx, by, w.AccountID); err != nil {
			return err
		}
		return inState(w, models.WithdrawalApproved)
	})
}

// CompleteWithdrawal records that a payout arrived, with its proof: the reserved
// amount leaves the account, the fee to the installation. For staff who are not
// members of its account. Faults: WithdrawalNotFound, Forbidden, WrongState,
// ProofRequired, ProofTaken.
func (s *Service) CompleteWithdrawal(ctx context.Context, by Actor, id string, proof Proof) (*models.Withdrawal, error) {
	return s.completeWithdrawal(ctx, by, id, func(models.Rail) Proof { return proof }, staff)
}

func (s *Service) completeWithdrawal(ctx context.Context, by Actor, id string, proof func(models.Rail) Proof, may allowed) (*models.Withdrawal, error) {
	w, err := s.moveWithdrawal(ctx, by, "", id, models.WithdrawalCompleted, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := may(tx, by, w.AccountID); err != nil {
			return err
		}
		if err := inState(w, models.WithdrawalProcessing); err != nil {
			return err
		}
		if err := prove(w, proof(w.Rail)); err != nil {
			return err
		}
		now := s.now()
		w.CompletedAt = &now
		reserved := ledger.Account(w.AccountID, true, ledger.Reserved)
		_, err := ledger.Spend(tx, w.AccountID, true, withdrawalFact(w, "/completed"), now,
			ledger.Transfer{From: reserved, To: ledger.PaidOut(true), Amount: w.Net()},
			ledger.Transfer{From: reserved, To: ledger.Fees(true), Amount: w.Fee})
		if err != nil {
			return err
		}
		return models.AddUncovered(tx, w.AccountID, true, w.Amount)
	})
	if models.Violates(err, models.WithdrawalsEndToEndIDUnique) || models.Violates(err, models.WithdrawalsTxHashUnique) {
		return nil, fault.New(fault.ProofTaken, "Another withdrawal has this id.").Because(err)
	}
	return w, err
}

var (
	endToEndIDText = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)
	txHashText     = regexp.MustCompile(`^(0x)?[0-9a-fA-F]{64}$`)
)

// prove gives the withdrawal the proof of its rail.
func prove(w *models.Withdrawal, p Proof) error {
	p.EndToEndID, p.TxHash = strings.TrimSpace(p.EndToEndID), strings.TrimSpace(p.TxHash)
	switch {
	case w.Rail == models.RailPix && endToEndIDText.MatchString(p.EndToEndID):
		w.EndToEndID = &p.EndToEndID
	case w.Rail == models.RailUSDT && txHashText.MatchString(p.TxHash):
		w.TxHash = &p.TxHash
	case w.Rail == models.RailPix:
		return fault.New(fault.ProofRequired, "A Pix payout needs its EndToEndId: up to 64 letters and digits.")
	default:
		return fault.New(fault.ProofRequired, "A payout in USDT needs its transaction's hash: 64 hex digits.")
	}
	return nil
}

// FailWithdrawal records that a payout will certainly not arrive, with a code for
// programs and a text for the merchant: the reserved amount is available again. For
// staff who are not members of its account, and only when it is certain: what is
// unknown stays PROCESSING. Faults: WithdrawalNotFound, Forbidden, WrongState,
// ReasonRequired.
func (s *Service) FailWithdrawal(ctx context.Context, by Actor, id, code, reason string) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	return s.moveWithdrawal(ctx, by, "", id, models.WithdrawalFailed, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := staff(tx, by, w.AccountID); err != nil {
			return err
		}
		if err := inState(w, models.WithdrawalApproved, models.WithdrawalProcessing); err != nil {
			return err
		}
		w.FailureCode, w.Reason = &code, &reason
		return s.release(tx, w)
	})
}

// ReturnWithdrawal records that the money of a completed withdrawal came back, whole:
// what was paid out is available again; the fee is not. For staff who are not
// members of its account. Faults: WithdrawalNotFound, Forbidden, WrongState,
// ReasonRequired.
func (s *Service) ReturnWithdrawal(ctx context.Context, by Actor, id, code, reason string) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	return s.moveWithdrawal(ctx, by, "", id, models.WithdrawalReturned, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := staff(tx, by, w.AccountID); err != nil {
			return err
		}
		if err := inState(w, models.WithdrawalCompleted); err != nil {
			return err
		}
		w.FailureCode, w.Reason = &code, &reason
		_, err := ledger.Spend(tx, w.AccountID, true, withdrawalFact(w, "/returned"), s.now(), ledger.Transfer{
			From: ledger.PaidOut(true), To: ledger.Account(w.AccountID, true, ledger.Available), Amount: w.Net(),
		})
		if err != nil {
			return err
		}
		return models.AddUncovered(tx, w.AccountID, true, -w.Net())
	})
}

var codeText = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,39}$`)

// checkRefusal checks the code and text of a refusal. The fault is ReasonRequired.
func checkRefusal(code, reason string) (string, string, error) {
	if !codeText.MatchString(code) {
		return "", "", fault.New(fault.ReasonRequired, "The reason needs a code in capitals, such as DATA_MISMATCH.")
	}
	reason, err := checkReason(reason)
	return code, reason, err
}

// payoutAfter is how long a simulated payout stays in each state, so that a person
// can watch it.
const payoutAfter = 2 * time.Second

// payoutBatch bounds how many payouts one sweep moves on.
const payoutBatch = 100

// PayOutDue pays approved withdrawals where the simulator is the live institution,
// step by step, and does nothing elsewhere: there staff pay, and record it.
// Instances may run it at the same time: each step happens once.
func (s *Service) PayOutDue(ctx context.Context) error {
	if !s.simulated(true) {
		return nil
	}
	return errors.Join(
		s.eachUnpaid(ctx, models.WithdrawalProcessing, func(id string) error {
			_, err := s.completeWithdrawal(ctx, system, id, s.simulatedProof, anyone)
			return err
		}),
		s.eachUnpaid(ctx, models.WithdrawalApproved, func(id string) error {
			_, err := s.startPayout(ctx, system, id, anyone)
			return err
		}))
}

// eachUnpaid moves withdrawals on that have been in a state for long enough. One that
// fails does not keep the others.
func (s *Service) eachUnpaid(ctx context.Context, status models.WithdrawalStatus, move func(id string) error) error {
	ids, err := models.UnpaidWithdrawals(ctx, s.DB.Pool, status, s.now().Add(-payoutAfter), payoutBatch)
	if err != nil {
		return fmt.Errorf("payments: find payouts: %w", err)
	}
	for _, id := range ids {
		if failed := move(id); failed != nil && fault.Of(failed).Code != fault.WrongState { // another instance was faster
			err = errors.Join(err, failed)
		}
	}
	return err
}

func (s *Service) simulatedProof(rail models.Rail) Proof {
	if rail == models.RailPix {
		return Proof{EndToEndID: simulator.PayOut(s.now())}
	}
	return Proof{TxHash: simulator.TransferUSDT()}
}
