package merchants

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"garoupa/models"
)

// AccessReasons are the codes of reasons for refusing, revoking, or postponing production
// access.
var AccessReasons = []string{"INCOMPLETE", "DOCUMENT_MISMATCH", "ACTIVITY_UNCLEAR", "ACTIVITY_NOT_ACCEPTED",
	"RISK", "OTHER"}

// RequestAccess requests production access with the answers of the form. It fails with
// ErrChanged if the account already has access or has requested it, with Invalid naming the
// fields, with refusal.Forbidden for a role that may not request it, and with ErrUnverified
// for a person whose address is not proven.
func (s *Service) RequestAccess(
	ctx context.Context, by models.Actor, in AccessForm,
) (request *models.AccessRequest, err error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil {
			return err
		}
		if account.ProductionAccess != models.AccessNotRequested && account.ProductionAccess != models.AccessRejected {
			return ErrChanged
		}
		if user, err := models.UserByID(ctx, tx, by.UserID); err != nil || user.EmailVerifiedAt == nil {
			return errors.Join(err, ErrUnverified)
		}
		now, id := s.now(), models.NewAccessRequestID()
		request = &models.AccessRequest{
			ID: id, AccountID: account.ID, Status: models.AccessRequestPending, Version: 1,
			LegalName: in.LegalName, Document: in.Document, Website: orNone(in.Website), Sells: orNone(in.Sells),
			MonthlyVolume: in.MonthlyVolume,
			ContactName:   in.ContactName, ContactEmail: in.ContactEmail,
			ContactPhone: s.Vault.Seal(models.SealedContactPhone.Place(id), in.ContactPhone),
			SubmittedBy:  by.UserID, SubmittedAt: now, UpdatedAt: now,
		}
		if err := s.sealAnswers(request, account.Name); err != nil {
			return err
		}
		if err := models.InsertAccessRequest(tx, request); err != nil {
			return err
		}
		if err := models.DeleteAccessDraft(tx, account.ID); err != nil {
			return err
		}
		return s.moveAccess(tx, by, account, models.AccessPendingReview, "access.requested", id, nil)
	})
	if err == nil {
		err = s.openAnswers(request)
	}
	if err != nil {
		return nil, accessError("request", err)
	}
	return request, nil
}

// WithdrawAccessRequest withdraws the request in review. It fails with ErrChanged if there is
// none.
func (s *Service) WithdrawAccessRequest(ctx context.Context, by models.Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil {
			return err
		}
		request, err := models.LatestAccessRequest(ctx, tx, account.ID)
		if errors.Is(err, models.ErrNotFound) {
			return ErrChanged
		} else if err != nil {
			return err
		}
		if err := s.moveRequest(tx, request, request.Version, models.AccessRequestPending,
			models.AccessRequestWithdrawn); err != nil {
			return err
		}
		return s.moveAccess(tx, by, account, models.AccessNotRequested, "access.withdrawn", request.ID, nil)
	})
	return accessError("withdraw", err)
}

// Reason is the reason for a decision of staff against a merchant.
type Reason struct {
	Code string // one of AccessReasons
	Text string // shown to the merchant
}

// AccessDecision is a decision about a request in review.
type AccessDecision struct {
	Version int                 // of the request that the decider saw
	Outcome models.AccessStatus // APPROVED, REJECTED, or RETURNED with a question
	Reason  Reason              // unused for APPROVED
}

// Check normalizes the reason. It fails with Invalid.
func (d *AccessDecision) Check() error {
	switch d.Outcome {
	case models.AccessRequestApproved:
		d.Reason = Reason{}
		return nil
	case models.AccessRequestRejected, models.AccessRequestReturned:
		return d.Reason.Check()
	}
	return Invalid{"outcome": Unknown}
}

// DecideAccess decides about a request in review and notifies the account's owner. If the
// request has changed since the decider saw it, it fails with ErrChanged and does nothing. It
// also fails with Invalid naming the fields of the reason, with ErrOwnAccount and
// refusal.Forbidden, and with models.ErrNotFound for an unknown request.
func (s *Service) DecideAccess(ctx context.Context, by models.Actor, requestID string, d AccessDecision) error {
	if err := d.Check(); err != nil {
		return err
	}
	access := models.AccessRejected
	if d.Outcome == models.AccessRequestApproved {
		access = models.AccessApproved
	}
	request, err := s.AccessRequest(ctx, requestID)
	if err != nil {
		return accessError("decide", err)
	}
	by.AccountID = request.AccountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, request.AccountID)
		if err != nil {
			return err
		}
		matter := models.Matter{AccountID: account.ID, Since: request.SubmittedAt, AskedBy: request.SubmittedBy}
		if err := staffFor(tx, by, matter, models.Review); err != nil {
			return err
		}
		if err := s.moveRequest(tx, request, d.Version, models.AccessRequestPending, d.Outcome); err != nil {
			return err
		}
		if d.Outcome == models.AccessRequestApproved {
			if err := models.SetAccountDocument(tx, account.ID, request.Document); err != nil {
				return err
			}
		}
		return s.decide(tx, by, account, access, &requestID, d.Outcome, d.Reason)
	})
	return accessError("decide", err)
}

// RevokeAccess revokes an approved account's production access. Only a SUPERVISOR may call it.
// seen is the id of the last decision that the person saw, 0 for none. It fails like
// DecideAccess.
func (s *Service) RevokeAccess(ctx context.Context, by models.Actor, accountID string, seen int64, why Reason) error {
	if err := why.Check(); err != nil {
		return err
	}
	by.AccountID = accountID
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, accountID)
		if err != nil {
			return err
		}
		if err := staffFor(tx, by, models.Matter{AccountID: accountID}, models.RevokeAccess); err != nil {
			return err
		}
		last, err := lastAccessDecision(tx, accountID)
		if err != nil {
			return err
		}
		if account.ProductionAccess != models.AccessApproved || last != seen {
			return ErrChanged
		}
		requestID, err := s.revokeRequest(tx, accountID)
		if err != nil {
			return err
		}
		return s.decide(tx, by, account, models.AccessRejected, requestID, models.AccessRequestRevoked, why)
	})
	s.keys.clear()
	return accessError("revoke", err)
}

func lastAccessDecision(tx *models.Tx, accountID string) (id int64, err error) {
	err = tx.PGX(func(ctx context.Context, conn models.Querier) error {
		id, err = models.LastAccessDecision(ctx, conn, accountID)
		return err
	})
	return id, err
}

// revokeRequest marks the request that gave the account its access as revoked, and returns its
// id, or nil if access was given without a request.
func (s *Service) revokeRequest(tx *models.Tx, accountID string) (*string, error) {
	request, err := models.LatestAccessRequest(tx.Context(), tx, accountID)
	if errors.Is(err, models.ErrNotFound) || err == nil && request.Status != models.AccessRequestApproved {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &request.ID, s.moveRequest(tx, request, request.Version, models.AccessRequestApproved,
		models.AccessRequestRevoked)
}

// decide writes a decision about an account whose row tx has locked.
func (s *Service) decide(
	tx *models.Tx, by models.Actor, account *models.Account, access models.ProductionAccess,
	requestID *string, outcome models.AccessStatus, why Reason,
) error {
	object := account.ID
	if requestID != nil {
		object = *requestID
	}
	err := models.InsertAccessDecision(tx, models.AccessDecision{
		AccountID: account.ID, RequestID: requestID, Outcome: outcome, ReasonCode: orNone(why.Code),
		Reason:    orNone(why.Text),
		DecidedBy: by.UserID, DecidedAt: s.now(),
	})
	if err != nil {
		return err
	}
	var detail map[string]string
	if why != (Reason{}) {
		detail = map[string]string{"reasonCode": why.Code, "reason": why.Text}
	}
	told := accessOutcomes[outcome]
	if err := s.tellOwner(tx, account, told.mail, object, nil); err != nil {
		return err
	}
	return s.moveAccess(tx, by, account, access, told.action, object, detail)
}

// accessOutcomes are the audit actions of decisions, and the mails to the owner.
var accessOutcomes = map[models.AccessStatus]struct{ action, mail string }{
	models.AccessRequestApproved: {"access.approved", models.MailAccessApproved},
	models.AccessRequestRejected: {"access.rejected", models.MailAccessRejected},
	models.AccessRequestReturned: {"access.returned", models.MailAccessReturned},
	models.AccessRequestRevoked:  {"access.revoked", models.MailAccessRevoked},
}

// tellOwner mails the owner of an account about a change that takes effect now. params are the
// mail's params other than names.
func (s *Service) tellOwner(tx *models.Tx, account *models.Account, kind, objectID string,
	params map[string]string) error {
	now := s.now()
	var owners []models.Recipient
	err := tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
		owners, err = models.MembersToTell(ctx, conn, account.ID, kind)
		return err
	})
	if err != nil {
		return err
	}
	var mails []models.Mail
	for _, owner := range owners {
		own := map[string]string{"name": owner.Name, "account": account.Name}
		maps.Copy(own, params)
		mails = append(mails, models.Mail{
			Fact: fmt.Sprintf("%s/%s/%d", kind, objectID, now.UnixMilli()), To: owner.Email,
			Language: owner.Language, Kind: kind,
			Params: own, CreatedAt: now,
		})
	}
	return models.InsertMails(tx, mails...)
}

// moveAccess writes the account's access status, with its audit line.
func (s *Service) moveAccess(
	tx *models.Tx, by models.Actor, account *models.Account, to models.ProductionAccess, action,
	objectID string, detail map[string]string,
) error {
	if err := models.SetProductionAccess(tx, account.ID, to); err != nil {
		return err
	}
	c := change{
		before: map[string]string{"productionAccess": string(account.ProductionAccess)},
		after:  map[string]string{"productionAccess": string(to)},
	}
	return s.auditChange(tx, by, action, objectID, c, detail)
}

// moveRequest changes the status of a request of an account whose row tx has locked.
func (s *Service) moveRequest(tx *models.Tx, request *models.AccessRequest, version int, from,
	to models.AccessStatus) error {
	moved, err := models.SetAccessRequestStatus(tx, request.ID, version, from, to, s.now())
	if err == nil && !moved {
		err = ErrChanged
	}
	return err
}

// lockForAdministrator returns the actor's account and locks its row until tx ends. It fails
// with refusal.Forbidden if the actor's role cannot Administer.
func (s *Service) lockForAdministrator(tx *models.Tx, by models.Actor) (*models.Account, error) {
	account, err := models.LockAccount(tx, by.AccountID)
	if err != nil {
		return nil, err
	}
	role, err := models.LockMember(tx, by.AccountID, by.UserID)
	if err != nil {
		return nil, err
	}
	if !role.Can(models.Administer) {
		return nil, errRole
	}
	return account, nil
}

func accessError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("merchants: %s production access: %w", what, err)
}
