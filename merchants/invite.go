package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"garoupa/models"
)

// InviteLifetime is how long an invitation can be accepted after it was last sent.
const InviteLifetime = 7 * 24 * time.Hour

// maxInvites bounds the open invitations of an account: they are mails to strangers.
const maxInvites = 50

// ErrTooMany reports an account with as many open invitations as there may be.
var ErrTooMany = errors.New("merchants: the account has too many open invitations")

// ErrOthersInvite reports an invitation to another address than the visitor's.
var ErrOthersInvite = errors.New("merchants: the invitation is to another address")

// ErrKnown reports that the person invited is no newcomer: they log in and accept.
var ErrKnown = errors.New("merchants: somebody has the address")

// NewInvite is an invitation that a member asks for.
type NewInvite struct {
	Email string
	Role  models.Role // one of GivenRoles
}

// Invite asks somebody by mail to join the actor's account. It fails with Invalid
// (an address that is a member's, or has an open invitation, is Taken), ErrTooMany,
// and fault.Forbidden for an actor who does not look after the team.
func (s *Service) Invite(ctx context.Context, by Actor, in NewInvite) (*models.Invite, error) {
	in.Email = normalEmail(in.Email)
	problems := Invalid{}
	if !validEmail(in.Email) {
		problems["email"] = Malformed
	}
	if !slices.Contains(GivenRoles, in.Role) {
		problems["role"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return nil, err
	}
	var invite *models.Invite
	err := s.changeTeam(ctx, by, "invite", func(tx *models.Tx, t *team) error {
		if err := t.need(Administrators...); err != nil {
			return err
		}
		if err := s.mayInvite(tx, t, in.Email); err != nil {
			return err
		}
		now := s.now()
		invite = &models.Invite{
			ID: models.NewInviteID(), AccountID: by.AccountID, Email: in.Email, Role: in.Role, InvitedBy: by.UserID,
			CreatedAt: now, SentAt: now, ExpiresAt: now.Add(InviteLifetime),
		}
		if err := models.InsertInvite(tx, invite); err != nil {
			return err
		}
		if err := s.sendInvite(tx, by, invite); err != nil {
			return err
		}
		return s.audit(tx, by, "member.invited", invite.ID, map[string]string{"email": in.Email, "role": string(in.Role)})
	})
	if models.Violates(err, models.InvitesOneOpen) {
		return nil, Invalid{"email": Taken}
	}
	return invite, err
}

// mayInvite fails for an address that is a member's, and when there are too many.
func (s *Service) mayInvite(tx *models.Tx, t *team, email string) error {
	user, err := models.UserByEmail(tx.DB, email)
	if err == nil && t.roles[user.ID] != "" {
		return Invalid{"email": Taken}
	} else if err != nil && !errors.Is(err, models.ErrNotFound) {
		return err
	}
	n, err := models.OpenInviteCount(tx, t.by.AccountID)
	if err == nil && n >= maxInvites {
		return ErrTooMany
	}
	return err
}

// sendInvite writes the mail, in the language of whom it is for if they are known,
// else of who invites.
func (s *Service) sendInvite(tx *models.Tx, by Actor, i *models.Invite) error {
	inviter, err := models.UserByID(tx.DB, by.UserID)
	if err != nil {
		return err
	}
	account, err := models.AccountByID(tx.DB, by.AccountID)
	if err != nil {
		return err
	}
	language := inviter.Language
	if known, err := models.UserByEmail(tx.DB, i.Email); err == nil {
		language = known.Language
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: fmt.Sprintf("invite/%s/%d", i.ID, s.now().UnixMilli()), To: i.Email, Language: language, Kind: models.MailInvite, CreatedAt: s.now(),
		Params: map[string]string{"inviter": inviter.Name, "account": account.Name, "role": string(i.Role), "token": i.ID},
	})
}

// ResendInvite sends an open invitation of the actor's account once more, for another
// seven days and as the actor's own. It fails with ErrTooSoon, models.ErrNotFound or fault.Forbidden.
func (s *Service) ResendInvite(ctx context.Context, by Actor, id string) error {
	return s.withInvite(ctx, by, id, "resend invitation", func(tx *models.Tx, i *models.Invite) error {
		now := s.now()
		if now.Sub(i.SentAt) < resendAfter {
			return ErrTooSoon
		}
		if err := models.ExtendInvite(tx, i.ID, by.UserID, now, now.Add(InviteLifetime)); err != nil {
			return err
		}
		if err := s.sendInvite(tx, by, i); err != nil {
			return err
		}
		return s.audit(tx, by, "member.invite_resent", i.ID, nil)
	})
}

// RevokeInvite takes an open invitation of the actor's account back. It fails with
// models.ErrNotFound or fault.Forbidden.
func (s *Service) RevokeInvite(ctx context.Context, by Actor, id string) error {
	return s.withInvite(ctx, by, id, "revoke invitation", func(tx *models.Tx, i *models.Invite) error {
		if err := models.RevokeInvite(tx, i.ID, s.now()); err != nil {
			return err
		}
		return s.audit(tx, by, "member.invite_revoked", i.ID, map[string]string{"email": i.Email})
	})
}

// endInvitesOf takes back the open invitations of a member who may invite no more: who
// has left must not have a way to bring people in.
func (s *Service) endInvitesOf(tx *models.Tx, by Actor, userID string) error {
	revoked, err := models.RevokeInvitesBy(tx, by.AccountID, userID, s.now())
	if err != nil {
		return err
	}
	for _, i := range revoked {
		if err := s.audit(tx, by, "member.invite_revoked", i.ID, map[string]string{"email": i.Email, "invitedBy": userID}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) withInvite(ctx context.Context, by Actor, id, doing string, fn func(*models.Tx, *models.Invite) error) error {
	return s.changeTeam(ctx, by, doing, func(tx *models.Tx, t *team) error {
		if err := t.need(Administrators...); err != nil {
			return err
		}
		invite, err := models.LockInvite(tx, by.AccountID, id)
		if err != nil {
			return err
		}
		return fn(tx, invite)
	})
}

// Invitation returns what a link invites to, or ErrLink.
func (s *Service) Invitation(ctx context.Context, token string) (*models.Invitation, error) {
	id, ours := s.Vault.TokenID(token)
	if !ours {
		return nil, ErrLink
	}
	i, err := models.InvitationByID(s.DB.WithContext(ctx), id, s.now())
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrLink
	} else if err != nil {
		return nil, fmt.Errorf("merchants: read invitation: %w", err)
	}
	return i, nil
}

// AcceptInvite makes the visitor, to whose address the link was sent, a member, and
// their browser look at the account. It fails with ErrLink or ErrOthersInvite.
func (s *Service) AcceptInvite(ctx context.Context, v *models.Visitor, by Actor, token string) error {
	i, err := s.Invitation(ctx, token)
	if err != nil {
		return err
	}
	if i.Email != v.Email {
		return ErrOthersInvite
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error { return s.join(tx, i, v.UserID, by.IP) })
	if err != nil {
		return expected(err, "accept invitation", ErrLink)
	}
	return s.LookAtAccount(ctx, v, i.AccountID)
}

// join uses the invitation up and makes the user a member, unless they are one.
func (s *Service) join(tx *models.Tx, i *models.Invitation, userID, ip string) error {
	if accepted, err := models.AcceptInvite(tx, i.ID, userID, s.now()); err != nil || !accepted {
		return errors.Join(err, ErrLink)
	}
	if err := s.verified(tx, userID, ip); err != nil { // the link came to their address
		return err
	}
	if _, err := models.JoinAccount(tx, &models.Member{AccountID: i.AccountID, UserID: userID, Role: i.Role, CreatedAt: s.now()}); err != nil {
		return err
	}
	return s.audit(tx, Actor{UserID: userID, AccountID: i.AccountID, IP: ip}, "member.joined", userID, map[string]string{"invite": i.ID, "role": string(i.Role)})
}

// Newcomer is a person who joins by an invitation and has no log-in yet.
type Newcomer struct {
	Name, Password, Language string // who joins with a passkey needs no password
	Terms                    Acceptance
}

// checked is Newcomer as it is kept, with what is wrong with it, the password apart.
func (in Newcomer) checked() (Newcomer, Invalid) {
	in.Name = strings.TrimSpace(in.Name)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 200)
	in.Terms.check(problems)
	return in, problems
}

// JoinAsNewcomer makes the person whom the link was sent to a user and a member, and
// returns their address. It fails with ErrLink, Invalid, or ErrKnown.
func (s *Service) JoinAsNewcomer(ctx context.Context, token string, in Newcomer, ip string) (email string, err error) {
	i, err := s.Invitation(ctx, token)
	if err != nil {
		return "", err
	}
	in, problems := in.checked()
	problems.length("password", in.Password, MinPasswordLength, MaxPasswordLength)
	if err := problems.orNil(); err != nil {
		return "", err
	}
	hash := hashPassword(in.Password)
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		return s.joinAs(tx, i, in, models.User{ID: models.NewUserID(), PasswordHash: &hash}, ip)
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", ErrKnown
	}
	return i.Email, expected(err, "join", ErrLink)
}

// joinAs writes the user, of whom is given the id and how they log in, and makes them a
// member. The link came to their address.
func (s *Service) joinAs(tx *models.Tx, i *models.Invitation, in Newcomer, user models.User, ip string) error {
	now := s.now()
	user.Email, user.Name, user.Language, user.CreatedAt, user.EmailVerifiedAt = i.Email, in.Name, in.Language, now, &now
	in.Terms.note(&user, now)
	if err := models.InsertUser(tx, &user); err != nil {
		return err
	}
	return s.join(tx, i, user.ID, ip)
}
