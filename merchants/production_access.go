package merchants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"garoupa/fault"
	"garoupa/models"
)

// AccessReasons are the codes of why production access is refused, taken back, or
// not decided yet.
var AccessReasons = []string{"INCOMPLETE", "DOCUMENT_MISMATCH", "ACTIVITY_UNCLEAR", "ACTIVITY_NOT_ACCEPTED", "RISK", "OTHER"}

// The shortest and the longest text of a reason, in characters: less helps nobody.
const (
	MinReasonLength = 10
	MaxReasonLength = 500
)

// RequestAccess asks for production access with the answers of the form. The
// account must not have it, nor have asked for it: else ErrChanged. It fails with
// Invalid, naming the fields, with fault.Forbidden for a role that may not, and with
// ErrUnverified for a person whose address is not proven.
func (s *Service) RequestAccess(ctx context.Context, by Actor, in AccessForm) (request *models.AccessRequest, err error) {
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
		if user, err := models.UserByID(tx.DB, by.UserID); err != nil || user.EmailVerifiedAt == nil {
			return errors.Join(err, ErrUnverified)
		}
		now, id := s.now(), models.NewAccessRequestID()
		request = &models.AccessRequest{
			ID: id, AccountID: account.ID, Status: models.AccessRequestPending, Version: 1,
			LegalName: in.LegalName, Document: in.Document, Website: orNone(in.Website), Sells: orNone(in.Sells), MonthlyVolume: in.MonthlyVolume,
			ContactName: in.ContactName, ContactEmail: in.ContactEmail, ContactPhone: s.Vault.Seal(models.SealedContactPhone.Place(id), in.ContactPhone),
			SubmittedBy: by.UserID, SubmittedAt: now, UpdatedAt: now,
		}
		if err := models.InsertAccessRequest(tx, request); err != nil {
			return err
		}
		if err := models.DeleteAccessDraft(tx, account.ID); err != nil {
			return err
		}
		return s.moveAccess(tx, by, account, models.AccessPendingReview, "access.requested", id, nil)
	})
	if err != nil {
		return nil, accessError("request", err)
	}
	return request, nil
}

// WithdrawAccessRequest takes back the request in review. When there is none any
// more it fails with ErrChanged.
func (s *Service) WithdrawAccessRequest(ctx context.Context, by Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil {
			return err
		}
		request, err := models.LatestAccessRequest(tx.DB, account.ID)
		if errors.Is(err, models.ErrNotFound) {
			return ErrChanged
		} else if err != nil {
			return err
		}
		if err := s.moveRequest(tx, request, request.Version, models.AccessRequestPending, models.AccessRequestWithdrawn); err != nil {
			return err
		}
		return s.moveAccess(tx, by, account, models.AccessNotRequested, "access.withdrawn", request.ID, nil)
	})
	return accessError("withdraw", err)
}

// Reason is why staff decided against a merchant.
type Reason struct {
	Code string // one of AccessReasons
	Text string // as the merchant reads it
}

// AccessDecision is what staff decide about a request in review.
type AccessDecision struct {
	Version int                 // of the request, as it was looked at
	Outcome models.AccessStatus // APPROVED, REJECTED, or RETURNED with a question
	Reason  Reason              // not for APPROVED
}

// Check brings the reason into the form in which it is kept. It fails with Invalid.
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

// DecideAccess decides about a request in review and tells the account's owner. If
// the request is no longer in the version that was looked at it fails with
// ErrChanged, and nothing has happened; with Invalid it names what is wrong with the
// reason; with ErrOwnAccount and fault.Forbidden it refuses the person. An unknown
// request is models.ErrNotFound.
func (s *Service) DecideAccess(ctx context.Context, by Actor, requestID string, d AccessDecision) error {
	if err := d.Check(); err != nil {
		return err
	}
	access := models.AccessRejected
	if d.Outcome == models.AccessRequestApproved {
		access = models.AccessApproved
	}
	request, err := models.AccessRequestByID(s.DB.WithContext(ctx), requestID)
	if err != nil {
		return accessError("decide", err)
	}
	by.AccountID = request.AccountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, request.AccountID, models.StaffReviewer, models.StaffSupervisor); err != nil {
			return err
		}
		account, err := models.LockAccount(tx, request.AccountID)
		if err != nil {
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

// RevokeAccess takes production access back from an approved account; only a
// SUPERVISOR may. It fails as DecideAccess does.
func (s *Service) RevokeAccess(ctx context.Context, by Actor, accountID string, why Reason) error {
	if err := why.Check(); err != nil {
		return err
	}
	by.AccountID = accountID
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, accountID, models.StaffSupervisor); err != nil {
			return err
		}
		account, err := models.LockAccount(tx, accountID)
		if err != nil {
			return err
		}
		if account.ProductionAccess != models.AccessApproved {
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

// revokeRequest marks the request that the account's access came from, and returns
// its id; nil if access was given without one.
func (s *Service) revokeRequest(tx *models.Tx, accountID string) (*string, error) {
	request, err := models.LatestAccessRequest(tx.DB, accountID)
	if errors.Is(err, models.ErrNotFound) || err == nil && request.Status != models.AccessRequestApproved {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &request.ID, s.moveRequest(tx, request, request.Version, models.AccessRequestApproved, models.AccessRequestRevoked)
}

// decide writes down a decision about an account whose row tx holds.
func (s *Service) decide(tx *models.Tx, by Actor, account *models.Account, access models.ProductionAccess, requestID *string, outcome models.AccessStatus, why Reason) error {
	object := account.ID
	if requestID != nil {
		object = *requestID
	}
	err := models.InsertAccessDecision(tx, models.AccessDecision{
		AccountID: account.ID, RequestID: requestID, Outcome: outcome, ReasonCode: orNone(why.Code), Reason: orNone(why.Text),
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

// accessOutcomes are how decisions stand in the audit log, and what the owner gets.
var accessOutcomes = map[models.AccessStatus]struct{ action, mail string }{
	models.AccessRequestApproved: {"access.approved", models.MailAccessApproved},
	models.AccessRequestRejected: {"access.rejected", models.MailAccessRejected},
	models.AccessRequestReturned: {"access.returned", models.MailAccessReturned},
	models.AccessRequestRevoked:  {"access.revoked", models.MailAccessRevoked},
}

// tellOwner mails the owner of an account of something that happens now, with what the
// kind has to say besides the names.
func (s *Service) tellOwner(tx *models.Tx, account *models.Account, kind, objectID string, params map[string]string) error {
	now := s.now()
	var owners []models.Recipient
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) (err error) {
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
			Fact: fmt.Sprintf("%s/%s/%d", kind, objectID, now.UnixMilli()), To: owner.Email, Language: owner.Language, Kind: kind,
			Params: own, CreatedAt: now,
		})
	}
	return models.InsertMails(tx, mails...)
}

// moveAccess writes how far the account has come, with its line of the audit log.
func (s *Service) moveAccess(tx *models.Tx, by Actor, account *models.Account, to models.ProductionAccess, action, objectID string, detail map[string]string) error {
	if err := models.SetProductionAccess(tx, account.ID, to); err != nil {
		return err
	}
	c := change{
		before: map[string]string{"productionAccess": string(account.ProductionAccess)},
		after:  map[string]string{"productionAccess": string(to)},
	}
	return s.auditChange(tx, by, action, objectID, c, detail)
}

// moveRequest moves a request of an account whose row tx holds.
func (s *Service) moveRequest(tx *models.Tx, request *models.AccessRequest, version int, from, to models.AccessStatus) error {
	moved, err := models.SetAccessRequestStatus(tx, request.ID, version, from, to, s.now())
	if err == nil && !moved {
		err = ErrChanged
	}
	return err
}

// lockForAdministrator holds the actor's account, if the actor is one of its
// administrators.
func (s *Service) lockForAdministrator(tx *models.Tx, by Actor) (*models.Account, error) {
	account, err := models.LockAccount(tx, by.AccountID)
	if err != nil {
		return nil, err
	}
	standing, err := models.UserStanding(tx, by.UserID, account.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Administrators, standing.Role) {
		return nil, fault.New(fault.Forbidden, "The member's role does not include this.")
	}
	return account, nil
}

// ContactPhone opens the phone number of a request's contact.
func (s *Service) ContactPhone(r *models.AccessRequest) (string, error) {
	phone, err := s.Vault.Open(models.SealedContactPhone.Place(r.ID), r.ContactPhone)
	if err != nil {
		return "", fmt.Errorf("merchants: contact of %s: %w", r.ID, err)
	}
	return phone, nil
}

func accessError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("merchants: %s production access: %w", what, err)
}
