package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/internal/usdt"
	"garoupa/models"
	"garoupa/pix/pixkey"
)

// NewDestination is a destination for withdrawals of a rail.
type NewDestination struct {
	Rail       models.Rail
	Type       string // pixkey.Type for Pix, usdt.Network for USDT
	Address    string // the key, or the wallet's address
	HolderName string // owner of the key or wallet, 1 to 200 characters
}

// RequestDestination submits a destination for review. The current destination, if any, stays
// in use until the new one is approved and its hold is over. For members who can MoveMoney, in
// live. Refusals: Forbidden; InvalidDestination, with an error of pixkey or wallet as its
// cause, or without a cause if the holder's name is invalid; DestinationInReview.
func (s *Service) RequestDestination(
	ctx context.Context, by models.Actor, accountID string, in NewDestination,
) (*models.Destination, error) {
	address, canonical, masked, err := readAddress(in)
	if err != nil {
		return nil, refusal.New(refusal.InvalidDestination,
			"The address is none of its type, or has a typing mistake.").Because(err)
	}
	in.HolderName = input.Trim(in.HolderName)
	if !ValidHolderName(in.HolderName) {
		return nil, refusal.New(refusal.InvalidDestination, "The holder's name must have 1 to 200 characters.")
	}
	id := models.NewDestinationID()
	d := &models.Destination{
		ID: id, AccountID: accountID, Rail: in.Rail, Type: in.Type,
		Address: s.Vault.Seal(models.SealedDestination.Place(id), address), Masked: masked,
		Digest: s.Vault.Digest("destination", string(in.Rail), "/", in.Type, "/", canonical), HolderName: in.HolderName,
		Status: models.DestinationPendingReview, Version: 1, CreatedBy: by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := member(tx, by, accountID, models.MoveMoney); err != nil {
			return err
		}
		if err := models.InsertDestination(tx, d); err != nil {
			return err
		}
		if err := s.tellOfDestination(tx, d, models.MailDestinationRequested, d.CreatedAt); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.requested", nil)
	})
	if models.Violates(err, models.DestinationsOneInReview) {
		return nil, refusal.New(refusal.DestinationInReview,
			"Another destination of this rail waits for its review.").Because(err)
	} else if err != nil {
		return nil, fmt.Errorf("payments: request a destination: %w", err)
	}
	return d, nil
}

// readAddress checks an address by its checksums, and returns it with its canonical and its
// masked form.
func readAddress(in NewDestination) (address, canonical, masked string, err error) {
	switch in.Rail {
	case models.RailPix:
		kind := pixkey.Type(in.Type)
		address, err = pixkey.Parse(kind, in.Address)
		return address, address, pixkey.Mask(kind, address), err
	case models.RailUSDT:
		network := usdt.Network(in.Type)
		address, err = usdt.Parse(network, in.Address)
		return address, usdt.Canonical(network, address), usdt.Mask(address), err
	}
	return "", "", "", fmt.Errorf("payments: no rail %.40q", in.Rail)
}

// DestinationAddress returns the unmasked key or address, for staff who review it or pay to
// it, and for a member who confirms a withdrawal to it. Others see d.Masked.
func (s *Service) DestinationAddress(d *models.Destination) (string, error) {
	address, err := s.Vault.Open(models.SealedDestination.Place(d.ID), d.Address)
	if err != nil {
		return "", fmt.Errorf("payments: address of %s: %w", d.ID, err)
	}
	return address, nil
}

// RemoveDestination removes a destination of the account, in review or approved. Earlier
// withdrawals still go to it unless they are canceled separately, but their versions increase,
// so staff who looked at them must look again. If the destination would have replaced another
// one later, the other one stays. For members who can MoveMoney. Refusals:
// DestinationNotFound, Forbidden, WrongState.
func (s *Service) RemoveDestination(ctx context.Context, by models.Actor, accountID, id string) error {
	return s.changeDestination(ctx, accountID, id, func(tx *models.Tx, _ *models.Account, d *models.Destination) error {
		if err := member(tx, by, accountID, models.MoveMoney); err != nil {
			return err
		}
		now := s.now()
		if d.Status != models.DestinationPendingReview && d.Status != models.DestinationApproved {
			return refusal.New(refusal.WrongState, "The destination is %s already.", d.Status)
		}
		d.Status, d.RemovedAt = models.DestinationRemoved, &now
		if err := models.SaveDestination(tx, d); err != nil {
			return err
		}
		if err := models.RestoreReplaced(tx, d, now); err != nil {
			return err
		}
		waiting, err := models.RaiseWithdrawalsTo(tx, d.ID)
		if err != nil {
			return err
		}
		for _, id := range waiting {
			if err := s.audit(tx, by, accountID, "withdrawal.destination_removed", id, nil); err != nil {
				return err
			}
		}
		return s.auditDestination(tx, by, d, "destination.removed", nil)
	})
}

// ApproveDestination approves a destination in review. It replaces the account's destination
// of the rail when its hold is over, not before. For staff who are not involved and who saw
// its current version. Refusals: DestinationNotFound, Forbidden, WrongState, ChangedMeanwhile,
// AccountStopped.
func (s *Service) ApproveDestination(ctx context.Context, by models.Actor, id string, seen int) error {
	return s.changeDestination(ctx, "", id, func(tx *models.Tx, account *models.Account, d *models.Destination) error {
		if err := reviewableDestination(tx, by, d, seen); err != nil {
			return err
		}
		if err := mayAddDestination(account); err != nil {
			return err
		}
		now := s.now()
		usable := now.Add(s.Resolve(account.Limits.At(now)).DestinationHold)
		d.Status, d.ReviewedBy, d.ReviewedAt, d.UsableAt = models.DestinationApproved, &by.UserID, &now, &usable
		if err := models.ReplaceDestinations(tx, d); err != nil {
			return err
		}
		if err := models.SaveDestination(tx, d); err != nil {
			return err
		}
		if err := s.tellOfDestination(tx, d, models.MailDestinationApproved, usable); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.approved", nil)
	})
}

// RejectDestination rejects a destination in review, with a code for programs and a text for
// the merchant. For staff who are not involved and who saw its current version. Refusals:
// DestinationNotFound, Forbidden, WrongState, ChangedMeanwhile, ReasonRequired.
func (s *Service) RejectDestination(
	ctx context.Context, by models.Actor, id string, seen int, code, reason string,
) error {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return err
	}
	return s.changeDestination(ctx, "", id, func(tx *models.Tx, _ *models.Account, d *models.Destination) error {
		if err := reviewableDestination(tx, by, d, seen); err != nil {
			return err
		}
		now := s.now()
		d.Status, d.ReviewedBy, d.ReviewedAt = models.DestinationRejected, &by.UserID, &now
		d.ReasonCode, d.Reason = &code, &reason
		if err := models.SaveDestination(tx, d); err != nil {
			return err
		}
		if err := s.tellOfDestination(tx, d, models.MailDestinationRejected, now); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.rejected", map[string]string{"code": code, "reason": reason})
	})
}

func reviewableDestination(tx *models.Tx, by models.Actor, d *models.Destination, seen int) error {
	if err := staff(tx, by, models.Matter{
		AccountID: d.AccountID, Since: d.CreatedAt, AskedBy: d.CreatedBy,
	}); err != nil {
		return err
	}
	if d.Status != models.DestinationPendingReview {
		return refusal.New(refusal.WrongState, "The destination is %s, so it is not to be reviewed.", d.Status)
	}
	return unchanged(seen, d.Version)
}

// changeDestination locks a destination of the account, or of any account if accountID is "",
// and calls change. It locks the account before, so that decisions about an account's
// destinations, of which one replaces the other, run one after the other.
func (s *Service) changeDestination(ctx context.Context, accountID, id string,
	change func(*models.Tx, *models.Account, *models.Destination) error) error {
	look, err := models.DestinationByID(ctx, s.DB.Pool, accountID, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			account, err := models.LockAccount(tx, look.AccountID)
			if err != nil {
				return err
			}
			d, err := models.LockDestination(tx, look.AccountID, id)
			if err != nil {
				return err
			}
			return change(tx, account, d)
		})
	}
	if errors.Is(err, models.ErrNotFound) {
		return refusal.New(refusal.DestinationNotFound, "No destination has this id.")
	} else if err != nil {
		return fmt.Errorf("payments: change the destination %s: %w", id, err)
	}
	return nil
}

func (s *Service) auditDestination(
	tx *models.Tx, by models.Actor, d *models.Destination, action string, detail map[string]string,
) error {
	if detail == nil {
		detail = map[string]string{}
	}
	detail["rail"], detail["type"], detail["masked"] = string(d.Rail), d.Type, d.Masked
	return s.audit(tx, by, d.AccountID, action, d.ID, detail)
}
