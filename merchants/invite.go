package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
)

// InviteLifetime is how long an invitation is valid after it was last sent.
const InviteLifetime = 7 * 24 * time.Hour

// maxInvites limits the open invitations of an account, because they are mails to strangers.
const maxInvites = 50

// ErrTooMany reports that an account has the largest allowed number of open invitations.
var ErrTooMany = errors.New("merchants: the account has too many open invitations")

// ErrOthersInvite reports an invitation to an address other than the visitor's.
var ErrOthersInvite = errors.New("merchants: the invitation is to another address")

// ErrKnown reports that the invited person already has a log-in and must use it to accept.
var ErrKnown = errors.New("merchants: a user has the address")

// NewInvite describes an invitation to send.
type NewInvite struct {
	Email string
	Role  models.Role // one of GivenRoles
}

// Invite invites a person by mail to join the actor's account. It fails with Invalid (Taken
// for an address of a member or of an open invitation), ErrTooMany, and refusal.Forbidden if
// the actor's role cannot Administer.
func (s *Service) Invite(ctx context.Context, by models.Actor, in NewInvite) (*models.Invite, error) {
	in.Email = normalEmail(in.Email)
	problems := Invalid{}
	if !input.MemberEmail(in.Email) {
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
		if err := t.need(models.Administer); err != nil {
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
		return s.audit(tx, by, "member.invited", invite.ID,
			map[string]string{"email": in.Email, "role": string(in.Role)})
	})
	if models.Violates(err, models.InvitesOneOpen) {
		return nil, Invalid{"email": Taken}
	}
	return invite, err
}

// mayInvite fails for the address of a member, and if there are maxInvites open invitations.
func (s *Service) mayInvite(tx *models.Tx, t *team, email string) error {
	user, err := models.UserByEmail(tx.Context(), tx, email)
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

// sendInvite writes the mail, in the language of the invited person if the person is a user,
// otherwise in that of the member who invites.
func (s *Service) sendInvite(tx *models.Tx, by models.Actor, i *models.Invite) error {
	inviter, err := models.UserByID(tx.Context(), tx, by.UserID)
	if err != nil {
		return err
	}
	account, err := models.AccountByID(tx.Context(), tx, by.AccountID)
	if err != nil {
		return err
	}
	language := inviter.Language
	if known, err := models.UserByEmail(tx.Context(), tx, i.Email); err == nil {
		language = known.Language
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: fmt.Sprintf("invite/%s/%d", i.ID, s.now().UnixMilli()), To: i.Email, Language: language,
		Kind: models.MailInvite, CreatedAt: s.now(),
		Params: map[string]string{"inviter": inviter.Name, "account": account.Name, "role": string(i.Role),
			"token": i.ID},
	})
}

// ResendInvite sends an open invitation of the actor's account again, valid for another seven
// days, and makes the actor its sender. It fails with ErrTooSoon, models.ErrNotFound or
// refusal.Forbidden.
func (s *Service) ResendInvite(ctx context.Context, by models.Actor, id string) error {
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

// RevokeInvite revokes an open invitation of the actor's account. It fails with
// models.ErrNotFound or refusal.Forbidden.
func (s *Service) RevokeInvite(ctx context.Context, by models.Actor, id string) error {
	return s.withInvite(ctx, by, id, "revoke invitation", func(tx *models.Tx, i *models.Invite) error {
		if err := models.RevokeInvite(tx, i.ID, s.now()); err != nil {
			return err
		}
		return s.audit(tx, by, "member.invite_revoked", i.ID, map[string]string{"email": i.Email})
	})
}

// endInvitesOf revokes the open invitations of a member who can no longer invite, so that a
// person who has left cannot admit people.
func (s *Service) endInvitesOf(tx *models.Tx, by models.Actor, userID string) error {
	revoked, err := models.RevokeInvitesBy(tx, by.AccountID, userID, s.now())
	if err != nil {
		return err
	}
	for _, i := range revoked {
		if err := s.audit(tx, by, "member.invite_revoked", i.ID,
			map[string]string{"email": i.Email, "invitedBy": userID}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) withInvite(
	ctx context.Context, by models.Actor, id, doing string, fn func(*models.Tx, *models.Invite) error,
) error {
	return s.changeTeam(ctx, by, doing, func(tx *models.Tx, t *team) error {
		if err := t.need(models.Administer); err != nil {
			return err
		}
		invite, err := models.LockInvite(tx, by.AccountID, id)
		if err != nil {
			return err
		}
		return fn(tx, invite)
	})
}

// Invitation returns the invitation of a link, or ErrLink.
func (s *Service) Invitation(ctx context.Context, token string) (*models.Invitation, error) {
	id, ours := s.Vault.TokenID(token)
	if !ours {
		return nil, ErrLink
	}
	i, err := models.InvitationByID(ctx, s.DB.Pool, id, s.now())
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrLink
	} else if err != nil {
		return nil, fmt.Errorf("merchants: read invitation: %w", err)
	}
	return i, nil
}

// AcceptInvite makes the visitor, whose address the link was sent to, a member, and switches
// the visitor's session to the account. It fails with ErrLink or ErrOthersInvite.
func (s *Service) AcceptInvite(ctx context.Context, v *models.Visitor, by models.Actor, token string) error {
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

// join uses up the invitation and makes the user a member, unless the user already is one.
func (s *Service) join(tx *models.Tx, i *models.Invitation, userID, ip string) error {
	if accepted, err := models.AcceptInvite(tx, i.ID, userID, s.now()); err != nil || !accepted {
		return errors.Join(err, ErrLink)
	}
	if err := s.verified(tx, userID, ip); err != nil { // the link was sent to their address
		return err
	}
	// A decision about the account that the person makes as staff waits for this transaction,
	// or this transaction for the decision.
	if _, err := models.LockUser(tx, userID); err != nil {
		return err
	}
	if _, err := models.JoinAccount(tx, &models.Member{AccountID: i.AccountID, UserID: userID, Role: i.Role,
		CreatedAt: s.now()}); err != nil {
		return err
	}
	return s.audit(tx, models.Actor{UserID: userID, AccountID: i.AccountID, IP: ip}, "member.joined", userID,
		map[string]string{"invite": i.ID, "role": string(i.Role)})
}

// Newcomer is a person who joins by an invitation and has no log-in yet.
type Newcomer struct {
	Name, Password, Language string // Password is not needed with a passkey
	Terms                    Acceptance
}

// checked returns the normalized fields and their problems, except those of the password.
func (in Newcomer) checked() (Newcomer, Invalid) {
	in.Name = input.TrimLine(in.Name)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 200)
	in.Terms.check(problems)
	return in, problems
}

// JoinAsNewcomer creates a user and a membership for the person to whom the link was sent,
// and returns their address. It fails with ErrLink, Invalid, or ErrKnown.
func (s *Service) JoinAsNewcomer(ctx context.Context, token string, in Newcomer, ip string) (email string, err error) {
	i, err := s.Invitation(ctx, token)
	if err != nil {
		return "", err
	}
	in, problems := in.checked()
	problems.password(in.Password, in.Name, i.Email, i.AccountName)
	if err := problems.orNil(); err != nil {
		return "", err
	}
	hash, err := s.hashed(ctx, in.Password)
	if err != nil {
		return "", expected(err, "join")
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		return s.joinAs(tx, i, in, models.User{ID: models.NewUserID(), PasswordHash: &hash}, ip)
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", ErrKnown
	}
	return i.Email, expected(err, "join", ErrLink)
}

// joinAs writes the user and makes the user a member. user needs only ID and a credential;
// joinAs sets the rest. The address counts as proven, because the link was sent to it.
func (s *Service) joinAs(tx *models.Tx, i *models.Invitation, in Newcomer, user models.User, ip string) error {
	now := s.now()
	user.Email, user.Name, user.Language = i.Email, in.Name, in.Language
	user.CreatedAt, user.EmailVerifiedAt = now, &now
	in.Terms.note(&user, now)
	if err := models.InsertUser(tx, &user); err != nil {
		return err
	}
	return s.join(tx, i, user.ID, ip)
}
