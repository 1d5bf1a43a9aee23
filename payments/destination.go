package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/pixkey"
	"garoupa/wallet"
)

// NewDestination is where a merchant wants withdrawals of a rail to go.
type NewDestination struct {
	Rail       models.Rail
	Type       string // pixkey.Type for Pix, wallet.Network for USDT
	Address    string // the key, or the wallet's address
	HolderName string // whose it is, 1 to 200 characters
}

// RequestDestination hands in a destination for review. The present one, if any,
// stays in use until this one is approved and its hold is over. For members with
// the role OWNER, ADMIN or FINANCE, in live. Faults: InvalidDestination, with one of
// the errors of pixkey or wallet as its cause, or none if the holder's name is
// wrong; DestinationInReview.
func (s *Service) RequestDestination(ctx context.Context, by Actor, accountID string, in NewDestination) (*models.Destination, error) {
	address, canonical, masked, err := readAddress(in)
	if err != nil {
		return nil, fault.New(fault.InvalidDestination, "The address is none of its type, or has a typing mistake.").Because(err)
	}
	in.HolderName = strings.TrimSpace(in.HolderName)
	if n := utf8.RuneCountInString(in.HolderName); n == 0 || n > 200 || !utf8.ValidString(in.HolderName) || strings.ContainsRune(in.HolderName, 0) {
		return nil, fault.New(fault.InvalidDestination, "The holder's name must have 1 to 200 characters.")
	}
	id := models.NewDestinationID()
	d := &models.Destination{
		ID: id, AccountID: accountID, Rail: in.Rail, Type: in.Type, Address: s.Vault.Seal(models.SealedDestination.Place(id), address), Masked: masked,
		Digest: s.Vault.Digest("destination", string(in.Rail), "/", in.Type, "/", canonical), HolderName: in.HolderName,
		Status: models.DestinationPendingReview, Version: 1, CreatedBy: by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := models.InsertDestination(tx, d); err != nil {
			return err
		}
		if err := s.tellOfDestination(tx, d, models.MailDestinationRequested, d.CreatedAt); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.requested", nil)
	})
	if models.Violates(err, models.DestinationsOneInReview) {
		return nil, fault.New(fault.DestinationInReview, "Another destination of this rail waits for its review.").Because(err)
	} else if err != nil {
		return nil, fmt.Errorf("payments: request a destination: %w", err)
	}
	return d, nil
}

// readAddress checks an address by its checksums, and returns it with the one way of
// writing it and the one that everybody may see.
func readAddress(in NewDestination) (address, canonical, masked string, err error) {
	switch in.Rail {
	case models.RailPix:
		kind := pixkey.Type(in.Type)
		address, err = pixkey.Parse(kind, in.Address)
		return address, address, pixkey.Mask(kind, address), err
	case models.RailUSDT:
		network := wallet.Network(in.Type)
		address, err = wallet.Parse(network, in.Address)
		return address, wallet.Canonical(network, address), wallet.Mask(address), err
	}
	return "", "", "", fmt.Errorf("payments: no rail %.40q", in.Rail)
}

// DestinationAddress opens the whole key or address, for staff who review it or pay
// to it, and for the member who is about to confirm a withdrawal to it; others see
// d.Masked.
func (s *Service) DestinationAddress(d *models.Destination) (string, error) {
	address, err := s.Vault.Open(models.SealedDestination.Place(d.ID), d.Address)
	if err != nil {
		return "", fmt.Errorf("payments: address of %s: %w", d.ID, err)
	}
	return address, nil
}

// RemoveDestination ends a destination of the account, in review or approved. What
// was asked for before still goes to it: that is cancelled apart. If it was to
// replace another and had not yet, the other stays. For members with the role OWNER,
// ADMIN or FINANCE. Faults: DestinationNotFound, WrongState.
func (s *Service) RemoveDestination(ctx context.Context, by Actor, accountID, id string) error {
	return s.changeDestination(ctx, accountID, id, func(tx *models.Tx, d *models.Destination) error {
		now := s.now()
		if d.Status != models.DestinationPendingReview && d.Status != models.DestinationApproved {
			return fault.New(fault.WrongState, "The destination is %s already.", d.Status)
		}
		d.Status, d.RemovedAt = models.DestinationRemoved, &now
		if err := models.SaveDestination(tx, d); err != nil {
			return err
		}
		if err := models.RestoreReplaced(tx, d, now); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.removed", nil)
	})
}

// ApproveDestination lets a destination in review be used, once the hold is over. It
// takes the place of the account's destination of the rail then, not before. For
// staff who are not members of its account, and who saw the version that it still
// has. Faults: DestinationNotFound, Forbidden, WrongState, ChangedMeanwhile.
func (s *Service) ApproveDestination(ctx context.Context, by Actor, id string, seen int) error {
	return s.changeDestination(ctx, "", id, func(tx *models.Tx, d *models.Destination) error {
		if err := reviewableDestination(tx, by, d, seen); err != nil {
			return err
		}
		now := s.now()
		usable := now.Add(s.Withdrawals.Hold)
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

// RejectDestination refuses a destination in review, with a code for programs and a
// text for the merchant. For staff who are not members of its account, and who saw
// the version that it still has. Faults: DestinationNotFound, Forbidden, WrongState,
// ChangedMeanwhile, ReasonRequired.
func (s *Service) RejectDestination(ctx context.Context, by Actor, id string, seen int, code, reason string) error {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return err
	}
	return s.changeDestination(ctx, "", id, func(tx *models.Tx, d *models.Destination) error {
		if err := reviewableDestination(tx, by, d, seen); err != nil {
			return err
		}
		now := s.now()
		d.Status, d.ReviewedBy, d.ReviewedAt, d.ReasonCode, d.Reason = models.DestinationRejected, &by.UserID, &now, &code, &reason
		if err := models.SaveDestination(tx, d); err != nil {
			return err
		}
		if err := s.tellOfDestination(tx, d, models.MailDestinationRejected, now); err != nil {
			return err
		}
		return s.auditDestination(tx, by, d, "destination.rejected", map[string]string{"code": code, "reason": reason})
	})
}

func reviewableDestination(tx *models.Tx, by Actor, d *models.Destination, seen int) error {
	if err := staff(tx, by, d.AccountID); err != nil {
		return err
	}
	if d.Status != models.DestinationPendingReview {
		return fault.New(fault.WrongState, "The destination is %s, so it is not to be reviewed.", d.Status)
	}
	return unchanged(seen, d.Version)
}

func (s *Service) changeDestination(ctx context.Context, accountID, id string, change func(*models.Tx, *models.Destination) error) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		d, err := models.LockDestination(tx, accountID, id)
		if errors.Is(err, models.ErrNotFound) {
			return fault.New(fault.DestinationNotFound, "No destination has this id.")
		} else if err != nil {
			return err
		}
		return change(tx, d)
	})
	if err != nil {
		return fmt.Errorf("payments: change the destination %s: %w", id, err)
	}
	return nil
}

func (s *Service) auditDestination(tx *models.Tx, by Actor, d *models.Destination, action string, detail map[string]string) error {
	if detail == nil {
		detail = map[string]string{}
	}
	detail["rail"], detail["type"], detail["masked"] = string(d.Rail), d.Type, d.Masked
	return s.audit(tx, by, d.AccountID, action, d.ID, detail)
}
