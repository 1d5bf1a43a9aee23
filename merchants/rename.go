package merchants

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/input"
	"garoupa/models"
)

// Rename changes the name of the actor's account for buyers. The name of an account that may
// create live charges changes only when staff approve it: then reviewed is true, and the name
// replaces one that waits. It fails with Invalid, and with refusal.Forbidden if the actor's
// role cannot Administer.
func (s *Service) Rename(ctx context.Context, by models.Actor, name string) (reviewed bool, err error) {
	name = input.TrimLine(name)
	problems := Invalid{}
	problems.line("business", name, 1, 200)
	if err := problems.orNil(); err != nil {
		return false, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil || account.Name == name {
			return err
		}
		waiting, err := models.LockPendingName(tx, account.ID)
		if err != nil && !errors.Is(err, models.ErrNotFound) {
			return err
		}
		reviewed = account.ProductionAccess == models.AccessApproved
		if waiting != nil {
			if reviewed && waiting.Name == name {
				return nil
			}
			if err := s.withdrawName(tx, by, &waiting.NameProposal); err != nil {
				return err
			}
		}
		if reviewed {
			return s.proposeName(tx, by, account, name)
		}
		if err := models.RenewAccessRequest(tx, account.ID, s.now()); err != nil {
			return err
		}
		return s.writeName(tx, by, account, name, "account.renamed", account.ID)
	})
	s.keys.clear() // cached keys contain the account's name
	return reviewed, expected(err, "rename account")
}

func (s *Service) proposeName(tx *models.Tx, by models.Actor, account *models.Account, name string) error {
	p := models.NameProposal{ID: models.NewNameProposalID(), AccountID: account.ID, Before: account.Name, Name: name,
		ProposedBy: by.UserID, ProposedAt: s.now()}
	if err := models.InsertNameProposal(tx, p); err != nil {
		return err
	}
	c := change{map[string]string{"name": account.Name}, map[string]string{"name": name}}
	return s.auditChange(tx, by, "account.name_proposed", p.ID, c, nil)
}

// writeName makes a name the account's, with its audit line.
func (s *Service) writeName(tx *models.Tx, by models.Actor, account *models.Account, name, action,
	objectID string) error {
	if err := models.SetAccountName(tx, account.ID, name); err != nil {
		return err
	}
	c := change{map[string]string{"name": account.Name}, map[string]string{"name": name}}
	return s.auditChange(tx, by, action, objectID, c, nil)
}

// withdrawName ends a proposal that tx has locked.
func (s *Service) withdrawName(tx *models.Tx, by models.Actor, p *models.NameProposal) error {
	now := s.now()
	p.Status, p.DecidedBy, p.DecidedAt = models.ProposalWithdrawn, &by.UserID, &now
	if err := models.SaveNameDecision(tx, p); err != nil {
		return err
	}
	return s.auditChange(tx, by, "account.name_withdrawn", p.ID, change{}, map[string]string{"name": p.Name})
}

// WithdrawName withdraws a name of the actor's account that waits for staff. It fails with
// ErrChanged if the proposal is no longer pending, and with refusal.Forbidden if the actor's
// role cannot Administer.
func (s *Service) WithdrawName(ctx context.Context, by models.Actor, proposalID string) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil {
			return err
		}
		waiting, err := lockName(tx, account.ID, proposalID)
		if err != nil {
			return err
		}
		return s.withdrawName(tx, by, waiting)
	})
	return expected(err, "withdraw a name", ErrChanged)
}

// lockName locks a pending proposal of an account. It fails with ErrChanged if the proposal is
// no longer pending.
func lockName(tx *models.Tx, accountID, proposalID string) (*models.NameProposal, error) {
	waiting, err := models.LockPendingName(tx, accountID)
	if errors.Is(err, models.ErrNotFound) || err == nil && waiting.ID != proposalID {
		return nil, ErrChanged
	} else if err != nil {
		return nil, err
	}
	return &waiting.NameProposal, nil
}

// ApproveName makes a proposed name the account's, and mails the owner. Only staff may call it
// who are not members of the account and did not propose the name. If the proposal is no
// longer pending it fails with ErrChanged. It also fails with refusal.Forbidden, ErrOwnAccount
// and models.ErrNotFound.
func (s *Service) ApproveName(ctx context.Context, by models.Actor, proposalID string) error {
	err := s.decideName(ctx, by, proposalID, func(tx *models.Tx, by models.Actor, account *models.Account,
		p *models.NameProposal) error {
		p.Status = models.ProposalApproved
		if err := s.writeName(tx, by, account, p.Name, "account.name_approved", p.ID); err != nil {
			return err
		}
		return s.tellOwner(tx, account, models.MailNameApproved, p.ID, map[string]string{"new_name": p.Name})
	})
	s.keys.clear() // cached keys contain the account's name
	return err
}

// RefuseName leaves the account's name as it is, and mails the reason to the owner. It fails
// with Invalid, which names "reason", and like ApproveName.
func (s *Service) RefuseName(ctx context.Context, by models.Actor, proposalID, reason string) error {
	problems := Invalid{}
	problems.reason(&reason)
	if err := problems.orNil(); err != nil {
		return err
	}
	return s.decideName(ctx, by, proposalID, func(tx *models.Tx, by models.Actor, account *models.Account,
		p *models.NameProposal) error {
		p.Status, p.DecisionReason = models.ProposalRefused, &reason
		if err := s.auditChange(tx, by, "account.name_refused", p.ID, change{},
			map[string]string{"name": p.Name, "reason": reason}); err != nil {
			return err
		}
		return s.tellOwner(tx, account, models.MailNameRefused, p.ID,
			map[string]string{"new_name": p.Name, "reason": reason})
	})
}

// decideName locks the account and then the pending proposal, calls act, and writes the
// decision.
func (s *Service) decideName(ctx context.Context, by models.Actor, proposalID string,
	act func(*models.Tx, models.Actor, *models.Account, *models.NameProposal) error) error {
	found, err := models.NameProposalByID(ctx, s.DB.Pool, proposalID)
	if err != nil {
		return fmt.Errorf("merchants: read the name %.40q: %w", proposalID, err)
	}
	by.AccountID = found.AccountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, found.AccountID)
		if err != nil {
			return err
		}
		matter := models.Matter{AccountID: account.ID, Since: found.ProposedAt, AskedBy: found.ProposedBy}
		if err := staffFor(tx, by, matter, models.Review); err != nil {
			return err
		}
		p, err := lockName(tx, account.ID, proposalID)
		if err != nil {
			return err
		}
		now := s.now()
		p.DecidedBy, p.DecidedAt = &by.UserID, &now
		if err := act(tx, by, account, p); err != nil {
			return err
		}
		return models.SaveNameDecision(tx, p)
	})
	if err != nil {
		return fmt.Errorf("merchants: decide about a name: %w", err)
	}
	return nil
}
