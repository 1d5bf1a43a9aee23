package merchants

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// furthestStart is how far in the future new terms may begin.
const furthestStart = 366 * 24 * time.Hour

// NewFeeProposal is the fees that a member of staff proposes for an account.
type NewFeeProposal struct {
	Fee           *money.Fee // of charges; nil means the installation's fee
	WithdrawalFee *money.Fee // nil means the installation's fee
	StartsAt      *time.Time // nil means from the approval on
	Reason        string     // shown to the owner after the approval
	Seen          int        // the number of the account's proposals when the form was shown
}

// Check normalizes the reason. It fails with Invalid, which names "fee", "withdrawalFee",
// "starts" and "reason".
func (in *NewFeeProposal) Check(now time.Time) error {
	problems := Invalid{}
	problems.reason(&in.Reason)
	problems.start(in.StartsAt, now)
	problems.fee("fee", in.Fee)
	problems.fee("withdrawalFee", in.WithdrawalFee)
	return problems.orNil()
}

// fee checks the range of a fee, which may be nil.
func (p Invalid) fee(field string, f *money.Fee) {
	if f != nil && (f.BasisPoints < 0 || f.BasisPoints > 100_00 || f.Fixed < 0 || f.Fixed > money.Max) {
		p[field] = Unknown
	}
}

// start checks the moment from which the terms apply.
func (p Invalid) start(at *time.Time, now time.Time) {
	if at != nil && (!at.After(now) || at.Sub(now) > furthestStart) {
		p["starts"] = Unknown
	}
}

// ProposeFee proposes the fees of charges that an account creates, and of withdrawals that it
// requests, from a moment on, and returns the proposal's id. Nothing changes until another
// person approves it. Any member of staff who is not a member of the account may call it. If
// the account has a pending proposal, or has had another one since the form was shown, it
// fails with ErrChanged. It also fails with Invalid, ErrOwnAccount, refusal.Forbidden and
// models.ErrNotFound.
func (s *Service) ProposeFee(ctx context.Context, by models.Actor, accountID string, in NewFeeProposal) (id string,
	err error) {
	now := s.now()
	if err := in.Check(now); err != nil {
		return "", err
	}
	p := models.FeeProposal{
		ID: models.NewFeeProposalID(), AccountID: accountID, Fee: in.Fee, WithdrawalFee: in.WithdrawalFee,
		StartsAt: in.StartsAt, Reason: in.Reason, ProposedBy: by.UserID, ProposedAt: now,
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockAccount(tx, accountID); err != nil {
			return err
		}
		if err := staffFor(tx, by, models.Matter{AccountID: accountID}, models.Review); err != nil {
			return err
		}
		if err := tx.PGX(func(ctx context.Context, q models.Querier) error {
			made, err := models.FeeProposalCount(ctx, q, accountID)
			if err == nil && made != in.Seen {
				err = ErrChanged
			}
			return err
		}); err != nil {
			return err
		}
		if err := models.InsertFeeProposal(tx, p); err != nil {
			return err
		}
		return s.auditProposal(tx, by, &p, "fee.proposed")
	})
	if models.Violates(err, models.FeeProposalsOnePending) {
		err = ErrChanged.Because(err)
	}
	if err != nil {
		return "", fmt.Errorf("merchants: propose a fee: %w", err)
	}
	return p.ID, nil
}

// ApproveFee makes proposed fees the account's, from the proposed moment or, if that has
// passed, from now on, and mails the change to the owner. Only a SUPERVISOR may call it who is
// not a member of the account and did not propose the fees. The person who proposed them must
// still be staff and not be a member of the account. If the proposal is no longer pending it
// fails with ErrChanged. It also fails with refusal.ProposerGone, refusal.Forbidden, ErrOwnAccount and
// models.ErrNotFound.
func (s *Service) ApproveFee(ctx context.Context, by models.Actor, proposalID string) error {
	return s.decideFee(ctx, by, proposalID, func(tx *models.Tx, account *models.Account, p *models.FeeProposal) error {
		if err := models.ShareUsers(tx, by.UserID, p.ProposedBy); err != nil {
			return err
		}
		matter := models.Matter{AccountID: account.ID, Since: p.ProposedAt, AskedBy: p.ProposedBy}
		if err := staffFor(tx, by, matter, models.SetTerms); err != nil {
			return err
		}
		matter.AskedBy = ""
		err := staffFor(tx, models.Actor{UserID: p.ProposedBy}, matter, models.Review)
		if refusal.Of(err).Code == refusal.Forbidden {
			return proposerGone.Because(err)
		} else if err != nil {
			return err
		}
		p.Status = models.ProposalApproved
		return s.startFee(tx, by, account, p)
	})
}

var proposerGone = refusal.New(refusal.ProposerGone, "The person who proposed it may not propose it any more.")

// startFee writes the fees of an approved proposal and notifies the owner of those that change.
func (s *Service) startFee(tx *models.Tx, by models.Actor, account *models.Account, p *models.FeeProposal) error {
	now := s.now()
	from := now
	if p.StartsAt != nil && p.StartsAt.After(now) {
		from = *p.StartsAt
	}
	var c change
	err := tx.PGX(func(ctx context.Context, q models.Querier) (err error) {
		c, err = s.feeChange(ctx, q, p, now)
		return err
	})
	if err != nil {
		return err
	}
	err = models.InsertAccountFee(tx, models.AccountFee{
		AccountID: account.ID, Fee: p.Fee, WithdrawalFee: p.WithdrawalFee, ValidFrom: from, ProposalID: &p.ID,
		Reason: &p.Reason, ProposedBy: &p.ProposedBy, ApprovedBy: &by.UserID, WrittenAt: now,
	})
	if err != nil {
		return err
	}
	by.AccountID = account.ID
	if err := s.auditChange(tx, by, "fee.approved", p.ID, c,
		map[string]string{"reason": p.Reason, "from": from.Format(time.RFC3339)}); err != nil {
		return err
	}
	params := map[string]string{"at": from.Format(time.RFC3339), "reason": p.Reason}
	for fact, param := range map[string]string{"fee": "fee", "withdrawalFee": "withdrawal_fee"} {
		if after, changes := c.after[fact]; changes {
			params[param+"_before"], params[param] = c.before[fact], after
		}
	}
	return s.tellOwner(tx, account, models.MailFeeChanged, p.ID, params)
}

// feeChange returns what a proposal changes: the facts "fee" and "withdrawalFee", or one of
// them. If the account only starts or ceases to follow the installation and pays the same, it
// returns both.
func (s *Service) feeChange(ctx context.Context, q models.Querier, p *models.FeeProposal,
	now time.Time) (change, error) {
	charge, err := models.FeeAt(ctx, q, p.AccountID, now)
	if err != nil {
		return change{}, err
	}
	withdrawal, err := models.WithdrawalFeeAt(ctx, q, p.AccountID, now)
	if err != nil {
		return change{}, err
	}
	installation, err := models.DefaultFeeAt(ctx, q, now)
	if err != nil {
		return change{}, err
	}
	before := map[string]string{"fee": charge.String(),
		"withdrawalFee": cmp.Or(withdrawal, &s.WithdrawalFee).String()}
	after := map[string]string{"fee": cmp.Or(p.Fee, &installation).String(),
		"withdrawalFee": cmp.Or(p.WithdrawalFee, &s.WithdrawalFee).String()}
	if c := differing(before, after); len(c.after) > 0 {
		return c, nil
	}
	return change{before, after}, nil
}

// RefuseFee ends a pending proposal without effect, with a reason for staff. Only a SUPERVISOR
// may call it who is not a member of the account and did not propose the fee. It fails with
// Invalid, which names "reason", and like ApproveFee.
func (s *Service) RefuseFee(ctx context.Context, by models.Actor, proposalID, reason string) error {
	problems := Invalid{}
	problems.reason(&reason)
	if err := problems.orNil(); err != nil {
		return err
	}
	return s.decideFee(ctx, by, proposalID, func(tx *models.Tx, account *models.Account, p *models.FeeProposal) error {
		if err := staffFor(tx, by, models.Matter{AccountID: account.ID, AskedBy: p.ProposedBy},
			models.SetTerms); err != nil {
			return err
		}
		p.Status, p.DecisionReason = models.ProposalRefused, &reason
		return s.auditProposal(tx, by, p, "fee.refused")
	})
}

// WithdrawFee withdraws a pending proposal. Only its author may call it, while still staff. It
// fails like ApproveFee.
func (s *Service) WithdrawFee(ctx context.Context, by models.Actor, proposalID string) error {
	return s.decideFee(ctx, by, proposalID, func(tx *models.Tx, account *models.Account, p *models.FeeProposal) error {
		if err := staffFor(tx, by, models.Matter{AccountID: account.ID}, models.Review); err != nil {
			return err
		}
		if p.ProposedBy != by.UserID {
			return refusal.New(refusal.Forbidden, "Only the person who proposed it may withdraw it.")
		}
		p.Status = models.ProposalWithdrawn
		return s.auditProposal(tx, by, p, "fee.withdrawn")
	})
}

// decideFee locks the account and then the pending proposal, calls act, and writes the
// decision.
func (s *Service) decideFee(ctx context.Context, by models.Actor, proposalID string,
	act func(*models.Tx, *models.Account, *models.FeeProposal) error) error {
	found, err := models.FeeProposalByID(ctx, s.DB.Pool, proposalID)
	if err != nil {
		return fmt.Errorf("merchants: read the proposal %.40q: %w", proposalID, err)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, found.AccountID)
		if err != nil {
			return err
		}
		p, err := models.LockFeeProposal(tx, proposalID)
		if err != nil {
			return err
		}
		if p.Status != models.ProposalPending {
			return ErrChanged
		}
		now := s.now()
		p.DecidedBy, p.DecidedAt = &by.UserID, &now
		if err := act(tx, account, &p.FeeProposal); err != nil {
			return err
		}
		return models.SaveFeeDecision(tx, &p.FeeProposal)
	})
	if err != nil {
		return fmt.Errorf("merchants: decide about a fee: %w", err)
	}
	return nil
}

// auditProposal writes an audit line about a proposal. Merchants can read the lines about
// their account, and a proposal is not public yet, so this line has no account.
func (s *Service) auditProposal(tx *models.Tx, by models.Actor, p *models.FeeProposal, action string) error {
	by.AccountID = ""
	detail := map[string]string{"account": p.AccountID, "reason": p.Reason}
	if p.Fee != nil {
		detail["fee"] = p.Fee.String()
	}
	if p.WithdrawalFee != nil {
		detail["withdrawalFee"] = p.WithdrawalFee.String()
	}
	if p.StartsAt != nil {
		detail["from"] = p.StartsAt.Format(time.RFC3339)
	}
	if p.DecisionReason != nil {
		detail["reason"] = *p.DecisionReason
	}
	return s.audit(tx, by, action, p.ID, detail)
}
