package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
)

// ErrNotYet reports that a notice is about a charge whose checkout is being created.
var ErrNotYet = errEarly

const (
	// manyHints is the number of hints above which reading the whole list is cheaper.
	manyHints = 20
	// noticesTogether limits the notices that one call of FollowNotices follows, and noticesAtOnce those for
	// which the bank is read at the same time.
	noticesTogether, noticesAtOnce = 64, 8
	// noticePause is the first wait between two tries to follow a notice. It doubles with each try.
	noticePause = time.Second
	// noticesFollowedFor is how long a notice is tried. The sweeps go on.
	noticesFollowedFor = 24 * time.Hour
)

// FollowNotices reads at a bank what the notices of an account that are due are about, and returns how many
// it took. Instances may call it at the same time: each takes different notices. If this process ends
// meanwhile, another one takes them again after bankLease. What fails is repeated later.
func (s *Service) FollowNotices(ctx context.Context, bankAccountID string) (taken int, err error) {
	notices, err := models.ClaimBankNotices(ctx, s.DB.Pool, bankAccountID, s.now(), bankLease, noticesTogether)
	if err != nil || len(notices) == 0 {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, bankWorkWithin)
	defer cancel()
	var hints []models.NoticeHint
	for _, n := range notices {
		hints = append(hints, n.Hints...)
	}
	if len(distinct(hints)) > manyHints {
		return len(notices), s.sweepFor(ctx, bankAccountID, notices)
	}
	err = errors.Join(each("follow a notice", len(notices), noticesAtOnce, func(i int) error {
		return s.followNotice(ctx, &notices[i])
	})...)
	return len(notices), err
}

// sweepFor lets the next sweep find what notices are about.
func (s *Service) sweepFor(ctx context.Context, bankAccountID string, notices []models.BankNotice) error {
	ids := make([]int64, len(notices))
	for i, n := range notices {
		ids[i] = n.ID
	}
	err := models.HurryBankSweep(ctx, s.DB.Pool, bankAccountID)
	if err == nil {
		err = models.EndBankNotices(ctx, s.DB.Pool, ids, models.NoticeSwept, s.now())
	}
	if err != nil {
		return fmt.Errorf("payments: sweep for notices of %s: %w", bankAccountID, err)
	}
	return nil
}

// followNotice follows one notice. It is not an error that the bank does not answer: the notice is tried
// again.
func (s *Service) followNotice(ctx context.Context, n *models.BankNotice) error {
	outcome, err := s.FollowHints(ctx, n.BankAccountID, n.Hints)
	_, bank := errors.AsType[*psp.Error](err)
	if err == nil || s.now().After(n.ReceivedAt.Add(noticesFollowedFor)) {
		if err != nil {
			outcome = models.NoticeGivenUp
		}
		err = models.EndBankNotices(context.WithoutCancel(ctx), s.DB.Pool, []int64{n.ID}, outcome, s.now())
		if err != nil {
			err = fmt.Errorf("payments: end a notice: %w", err)
		}
		return err
	}
	next := s.now().Add(pause(noticePause, n.Tries-1))
	if bank || errors.Is(err, ErrNotYet) {
		err = nil
	}
	return errors.Join(err, models.DeferBankNotice(context.WithoutCancel(ctx), s.DB.Pool, n.ID, next))
}

// outcomes are the outcomes of hints. That of a notice is the first one that one of its hints has.
var outcomes = []models.NoticeOutcome{models.NoticeRecorded, models.NoticeSwept, models.NoticeRead,
	models.NoticeRepeated, models.NoticeForeign, models.NoticeUnknown, models.NoticeEmpty}

// FollowHints reads at a bank account what a notice is about, and returns what came of it. It believes the
// bank's answers and nothing of the notice. A hint costs one read at most. FollowHints fails with ErrNotYet if
// a checkout is being created, and with a *psp.Error if the bank does not answer: the caller repeats it later.
func (s *Service) FollowHints(ctx context.Context, bankAccountID string, hints []models.NoticeHint) (
	models.NoticeOutcome, error) {
	hints = distinct(hints)
	if len(hints) > manyHints {
		return models.NoticeSwept, models.HurryBankSweep(ctx, s.DB.Pool, bankAccountID)
	}
	account, err := models.BankAccountByID(ctx, s.DB, bankAccountID)
	if err != nil {
		return "", fmt.Errorf("payments: follow a notice: %w", err)
	}
	bank, err := s.Banks.For(ctx, bankAccountID)
	if err != nil {
		return "", fmt.Errorf("payments: follow a notice: %w", err)
	}
	best := len(outcomes) - 1
	var failed []error
	for _, hint := range hints {
		outcome, err := s.followHint(ctx, bank, account, hint)
		if kind, ok := errors.AsType[*psp.Error](err); ok && (kind.Kind == psp.NotFound || kind.Kind == psp.Invalid) {
			outcome, err = models.NoticeUnknown, nil
		}
		failed = append(failed, err)
		if err == nil {
			best = min(best, slices.Index(outcomes, outcome))
		}
	}
	return outcomes[best], errors.Join(failed...)
}

// distinct leaves out hints that were there before. A return is read with its Pix.
func distinct(hints []models.NoticeHint) (different []models.NoticeHint) {
	seen := map[models.NoticeHint]bool{}
	for _, hint := range hints {
		if hint.EndToEndID != "" {
			hint = models.NoticeHint{EndToEndID: hint.EndToEndID}
		}
		if !seen[hint] {
			seen[hint] = true
			different = append(different, hint)
		}
	}
	return different
}

func (s *Service) followHint(ctx context.Context, bank psp.Bank, account *models.BankAccount,
	hint models.NoticeHint) (models.NoticeOutcome, error) {
	if hint.EndToEndID != "" {
		paid, err := bank.Payment(ctx, hint.EndToEndID)
		if err != nil {
			return "", fmt.Errorf("payments: read a Pix: %w", err)
		}
		return s.recordRead(ctx, account, []psp.Payment{paid})
	}
	charge, err := models.BankChargeByTxID(ctx, s.DB.Pool, hint.TxID)
	if errors.Is(err, models.ErrNotFound) || err == nil && charge.BankAccountID != account.ID {
		return models.NoticeUnknown, nil // a charge of other software
	} else if err != nil {
		return "", fmt.Errorf("payments: read a charge: %w", err)
	}
	if charge.Status == models.BankChargePaid && hint.ReturnID == "" {
		return models.NoticeRepeated, nil
	}
	state, err := bank.Charge(ctx, charge.TxID)
	if err != nil {
		return "", fmt.Errorf("payments: read a charge: %w", err)
	}
	if state.Status != psp.ChargePaid {
		return models.NoticeRead, s.heed(ctx, bank, charge, state)
	}
	paid, err := s.paidFor(ctx, bank, charge, state)
	if err != nil {
		return "", err
	}
	return s.recordRead(ctx, account, paid)
}

// recordRead records the Pix that the bank has shown for a hint.
func (s *Service) recordRead(ctx context.Context, account *models.BankAccount,
	paid []psp.Payment) (models.NoticeOutcome, error) {
	left, err := s.unrecorded(ctx, account, paid)
	if err != nil {
		return "", err
	}
	early, err := s.RecordBankPayments(ctx, account.ID, paid)
	switch {
	case err != nil:
		return "", err
	case len(early) > 0:
		return "", ErrNotYet
	case len(left) > 0:
		return models.NoticeRecorded, nil
	case slices.ContainsFunc(paid, func(p psp.Payment) bool { return foreign(p, account) }):
		return models.NoticeForeign, nil
	}
	return models.NoticeRepeated, nil
}
