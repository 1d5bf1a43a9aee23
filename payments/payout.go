package payments

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp/simulator"
)

// Proof is the id of an executed payment at the institution or network: EndToEndID for Pix,
// TxHash for USDT.
type Proof struct {
	EndToEndID string
	TxHash     string
}

// StartPayout records that an approved withdrawal is being paid: from now on the money may be
// on its way. For staff who are not involved and who saw its current version. Refusals:
// WithdrawalNotFound, Forbidden, WrongState, ChangedMeanwhile, AccountStopped.
func (s *Service) StartPayout(ctx context.Context, by models.Actor, id string, seen int) (*models.Withdrawal, error) {
	return s.startPayout(ctx, by, id, byStaff(by, seen))
}

// mayMove refuses a change of a withdrawal, for example because its status is not from.
type mayMove func(tx *models.Tx, w *models.Withdrawal, from models.WithdrawalStatus) error

// byStaff lets staff change a withdrawal whose current version they saw.
func byStaff(by models.Actor, seen int) mayMove {
	return func(tx *models.Tx, w *models.Withdrawal, from models.WithdrawalStatus) error {
		return decidable(tx, by, w, seen, from)
	}
}

// byItself checks changes that the gateway makes itself.
func byItself(_ *models.Tx, w *models.Withdrawal, from models.WithdrawalStatus) error {
	return inState(w, from)
}

func (s *Service) startPayout(
	ctx context.Context, by models.Actor, id string, may mayMove,
) (*models.Withdrawal, error) {
	look, err := s.anyWithdrawal(ctx, id)
	if err != nil {
		return nil, err
	}
	account := models.Account{ID: look.AccountID}
	return s.moveWithdrawal(ctx, by, heldWith(&account, id), models.WithdrawalProcessing,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := may(tx, w, models.WithdrawalApproved); err != nil {
				return err
			}
			return mayPayOut(&account)
		})
}

// CompleteWithdrawal records that a payout has arrived, with its proof: the reserved amount
// leaves the account, and the fee goes to the installation. Since it has happened, it is
// recorded for a stopped account as well. For staff who are not involved and who saw its
// current version; of a withdrawal that a bank pays not before PayoutUnknownAfter. Refusals:
// WithdrawalNotFound, Forbidden, WrongState, ChangedMeanwhile, ProofRequired, ProofTaken.
func (s *Service) CompleteWithdrawal(
	ctx context.Context, by models.Actor, id string, seen int, proof Proof,
) (*models.Withdrawal, error) {
	return s.completeWithdrawal(ctx, by, id, func(models.Rail) Proof { return proof }, byStaff(by, seen))
}

func (s *Service) completeWithdrawal(
	ctx context.Context, by models.Actor, id string, proof func(models.Rail) Proof, may mayMove,
) (*models.Withdrawal, error) {
	w, err := s.moveWithdrawal(ctx, by, held("", id), models.WithdrawalCompleted,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := may(tx, w, models.WithdrawalProcessing); err != nil {
				return err
			}
			if err := prove(w, proof(w.Rail)); err != nil {
				return err
			}
			if err := s.endPayout(tx, by, w, models.PayoutDone, "", ""); err != nil {
				return err
			}
			now := s.now()
			w.CompletedAt = &now
			reserved := ledger.Account(w.AccountID, models.Live, ledger.Reserved)
			_, err := ledger.Spend(tx, w.AccountID, models.Live, withdrawalFact(w, "/completed"), now,
				ledger.Transfer{From: reserved, To: ledger.PaidOut(models.Live), Amount: w.Net()},
				ledger.Transfer{From: reserved, To: ledger.Fees(models.Live), Amount: w.Fee})
			if err != nil {
				return err
			}
			return models.AddUncovered(tx, w.AccountID, models.Live, w.Amount)
		})
	if models.Violates(err, models.WithdrawalsEndToEndIDUnique) ||
		models.Violates(err, models.WithdrawalsTxHashUnique) {
		return nil, refusal.New(refusal.ProofTaken, "Another withdrawal has this id.").Because(err)
	}
	return w, err
}

var endToEndIDText = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)

// prove stores the proof of the withdrawal's rail.
func prove(w *models.Withdrawal, p Proof) error {
	p.EndToEndID, p.TxHash = strings.TrimSpace(p.EndToEndID), strings.TrimSpace(p.TxHash)
	switch {
	case w.Rail == models.RailPix && endToEndIDText.MatchString(p.EndToEndID):
		w.EndToEndID = &p.EndToEndID
	case w.Rail == models.RailUSDT && models.IsTxHash(p.TxHash):
		w.TxHash = &p.TxHash
	case w.Rail == models.RailPix:
		return refusal.New(refusal.ProofRequired, "A Pix payout needs its EndToEndId: up to 64 letters and digits.")
	default:
		return refusal.New(refusal.ProofRequired, "A payout in USDT needs its transaction's hash: 64 hex digits.")
	}
	return nil
}

// FailWithdrawal records that a payout will certainly not arrive, with a code for programs and
// a text for the merchant: the reserved amount is available again. If this is uncertain, the
// withdrawal must stay PROCESSING. For staff who are not involved and who saw its current
// version; of a withdrawal that a bank pays only if nothing has left yet, or while the bank has
// said nothing of it for PayoutUnknownAfter. Refusals: WithdrawalNotFound, Forbidden, WrongState,
// ChangedMeanwhile, ReasonRequired.
func (s *Service) FailWithdrawal(
	ctx context.Context, by models.Actor, id string, seen int, code, reason string,
) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	return s.moveWithdrawal(ctx, by, held("", id), models.WithdrawalFailed,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := decidable(tx, by, w, seen, models.WithdrawalApproved, models.WithdrawalProcessing); err != nil {
				return err
			}
			w.FailureCode, w.Reason = &code, &reason
			if err := s.endPayout(tx, by, w, models.PayoutRefused, code, reason); err != nil {
				return err
			}
			return s.release(tx, w)
		})
}

var codeText = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,39}$`)

// checkRefusal checks the code and text of a rejection. The refusal is ReasonRequired.
func checkRefusal(code, reason string) (string, string, error) {
	if !codeText.MatchString(code) {
		return "", "", refusal.New(refusal.ReasonRequired,
			"The reason needs a code in capitals, such as DATA_MISMATCH.")
	}
	reason, err := checkReason(reason)
	return code, reason, err
}

// payoutAfter is how long a simulated payout stays in each status, so that a person can watch
// it.
const payoutAfter = 2 * time.Second

// payoutBatch limits the payouts that one sweep changes.
const payoutBatch = 100

// PayOutDue moves approved withdrawals step by step to COMPLETED if the simulator is the live
// institution. Otherwise it does nothing: staff pay and record it. Withdrawals of a stopped
// account continue when the stop ends. Instances may run it at the same time: each step
// happens once.
func (s *Service) PayOutDue(ctx context.Context) error {
	if !s.simulated(models.Live) {
		return nil
	}
	return errors.Join(
		s.eachUnpaid(ctx, models.WithdrawalProcessing, func(id string) error {
			_, err := s.completeWithdrawal(ctx, system, id, s.simulatedProof, byItself)
			return err
		}),
		s.eachUnpaid(ctx, models.WithdrawalApproved, func(id string) error {
			_, err := s.startPayout(ctx, system, id, byItself)
			return err
		}))
}

// eachUnpaid calls move for withdrawals that have been in a status for long enough. An error
// of one does not stop the others.
func (s *Service) eachUnpaid(ctx context.Context, status models.WithdrawalStatus, move func(id string) error) error {
	ids, err := models.UnpaidWithdrawals(ctx, s.DB.Pool, "", status, s.now().Add(-payoutAfter), payoutBatch)
	if err != nil {
		return fmt.Errorf("payments: find payouts: %w", err)
	}
	for _, id := range ids {
		failed := move(id)
		switch refusal.Of(failed).Code {
		// Another instance was first, or staff have just stopped the account.
		case refusal.WrongState, refusal.AccountStopped:
		default:
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
