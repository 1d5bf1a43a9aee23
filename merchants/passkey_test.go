package merchants_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

const passkeyAddress = "https://app.example"

// holder is an owner with a passkey.
type holder struct {
	*paymentstest.Gateway
	v        *models.Visitor // logged in with the password
	device   *passkeytest.Device
	recovery []string // of a holder with a password
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	g := paymentstest.New(t)
	g.Merchants.Passkeys = passkey.NewSite("Garoupa", passkeyAddress)
	h := &holder{Gateway: g, v: logIn(t, g), device: passkeytest.New(t, passkeyAddress)}
	if err := h.add(t, h.device, "iPhone"); err != nil {
		t.Fatal(err)
	}
	return h
}

// add adds the passkey of a device.
func (h *holder) add(t *testing.T, d *passkeytest.Device, name string) error {
	t.Helper()
	options, err := h.Merchants.AskNewPasskey(t.Context(), h.v)
	if err != nil {
		return err
	}
	a, err := passkey.ReadNewAnswer(d.Make(options))
	if err != nil {
		t.Fatal(err)
	}
	codes, err := h.Merchants.AddPasskey(t.Context(), h.v, h.Owner, name, a)
	if len(codes) > 0 {
		h.recovery = codes
	}
	return err
}

// sign returns a device's signature of a new challenge for logging in.
func (h *holder) sign(t *testing.T, d *passkeytest.Device, browser string) *passkey.Answer {
	t.Helper()
	options, err := h.Merchants.AskPasskeyLogIn(t.Context(), browser)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, d.Sign(options))
}

func read(t *testing.T, answer string) *passkey.Answer {
	t.Helper()
	a, err := passkey.ReadAnswer(answer)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (h *holder) logIn(t *testing.T, browser string, a *passkey.Answer) (token string, err error) {
	t.Helper()
	return h.Merchants.LogInWithPasskey(t.Context(), browser, a,
		merchants.Browser{IP: "203.0.113.7", UserAgent: "test"})
}

// in fails the test unless the device's next signature can log in, or cannot if want is false.
func (h *holder) in(t *testing.T, d *passkeytest.Device, want bool, why string) {
	t.Helper()
	if _, err := h.logIn(t, "browser", h.sign(t, d, "browser")); (err == nil) != want ||
		err != nil && !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("%s: %v", why, err)
	}
}

func (h *holder) passkeys(t *testing.T) []models.Passkey {
	t.Helper()
	all, err := models.UserPasskeys(t.Context(), h.DB, h.Owner.UserID)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A passkey is enough to log in: no code is needed, and the session equals one of a password
// and a code.
func TestLogInWithPasskey(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	secret, err := h.Merchants.BeginTOTP(t.Context(), h.v.UserID)
	if err != nil {
		t.Fatal(err)
	}
	e := &enrolled{Gateway: h.Gateway, secret: secret}
	if _, err := h.Merchants.EnrollTOTP(t.Context(), h.v, h.Owner, e.code()); err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(time.Hour)
	token, err := h.logIn(t, "browser", h.sign(t, h.device, "browser"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Merchants.Visitor(t.Context(), token)
	if err != nil || v.UserID != h.Owner.UserID || !v.SecondFactor || !v.HasPasskey || v.AwaitsCode ||
		!v.ProvenAt.Equal(v.CreatedAt) || v.ID == h.v.ID ||
		v.ExpiresAt.Sub(v.CreatedAt) != merchants.IdleMember || v.ProjectID == nil || v.IP != "203.0.113.7" ||
		v.UserAgent != "test" {
		t.Errorf("the visitor is %+v, %v", v, err)
	}
	if p := h.passkeys(t); len(p) != 1 || p[0].LastUsedAt == nil || !p[0].LastUsedAt.Equal(v.CreatedAt) ||
		p[0].Name != "iPhone" {
		t.Errorf("passkeys %+v", p)
	}
	if string(h.device.Handle) == h.Email || strings.Contains(string(h.device.Handle), "@") {
		t.Errorf("the device stores %q about the person", h.device.Handle)
	}
}

// A challenge is valid once, in the browser that received it, for its purpose, and for five
// minutes. A wrong answer uses it up.
func TestPasskeyChallenge(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	a := h.sign(t, h.device, "browser")
	for range 2 {
		if _, err := h.logIn(t, "another", a); !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("an answer in another browser: %v", err)
		}
	}
	if n := succeeded(t, 8, merchants.ErrCredentials,
		func() error { _, err := h.logIn(t, "browser", a); return err }); n != 1 {
		t.Errorf("one answer logged in %d times, want 1", n)
	}

	late := h.sign(t, h.device, "browser")
	h.Clock.Advance(5 * time.Minute)
	if _, err := h.logIn(t, "browser", late); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("an answer after five minutes: %v", err)
	}
	token, err := h.logIn(t, "browser", h.sign(t, h.device, "browser"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Merchants.ProveWithPasskey(t.Context(), v, h.sign(t, h.device, token),
		merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("ProveWithPasskey with a challenge for a log-in: %v", err)
	}

	options, err := h.Merchants.AskPasskeyLogIn(t.Context(), "browser")
	if err != nil {
		t.Fatal(err)
	}
	liar := *h.device
	liar.Unverified = true
	if _, err := h.logIn(t, "browser", read(t, liar.Sign(options))); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("an answer without verification of the person: %v", err)
	}
	if _, err := h.logIn(t, "browser", read(t, h.device.Sign(options))); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("a challenge is valid after a wrong answer: %v", err)
	}
	made := passkeytest.New(t, passkeyAddress)
	if options, err = h.Merchants.AskNewPasskey(t.Context(), h.v); err != nil {
		t.Fatal(err)
	}
	n, err := passkey.ReadNewAnswer(made.Make(options))
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Merchants.AddPasskey(t.Context(), other, h.Owner, "x", n); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("AddPasskey in another session: %v", err)
	}
}

// The count of a device that counts its signatures must increase: of two copies, the one with
// the lower count is refused, and the audit log reports it.
func TestPasskeyCopies(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	h.device.SignCount = 5
	h.in(t, h.device, true, "the first count")
	stolen := *h.device
	h.device.SignCount = 6
	h.in(t, h.device, true, "the next count")
	for _, count := range []uint32{6, 5, 0} {
		stolen.SignCount = count
		h.in(t, &stolen, false, fmt.Sprintf("count %d after 6", count))
	}
	h.device.SignCount = 7
	h.in(t, h.device, true, "a larger count")
	h.device.SignCount = math.MaxUint32
	h.in(t, h.device, true, "the largest count")
	suspected := modelstest.One[int](t, h.DB, `SELECT count(*) FROM audit_log
		WHERE action = 'passkey.copy_suspected' AND actor = $1 AND object_id = $2`,
		h.Owner.UserID, h.passkeys(t)[0].ID)
	if suspected != 3 {
		t.Errorf("the audit log reports %d copies", suspected)
	}
	for _, sql := range []string{
		"UPDATE passkeys SET sign_count = 1", "UPDATE passkeys SET public_key = 'x'",
		"UPDATE passkeys SET user_id = user_id || 'x'",
	} {
		if _, err := h.DB.Pool.Exec(t.Context(), sql); !models.Violates(err, "passkeys_stay") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// A logged-in person proves their identity only with their own passkey. A person who was
// removed from a team gets no more access with a passkey than with the password.
func TestProveWithPasskey(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	prove := func(v *models.Visitor, d *passkeytest.Device) error {
		t.Helper()
		options, err := h.Merchants.AskPasskeyProof(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return h.Merchants.ProveWithPasskey(t.Context(), v, read(t, d.Sign(options)), merchants.Browser{})
	}
	v := h.v
	h.Clock.Advance(time.Hour)
	if err := prove(v, h.device); err != nil {
		t.Fatal(err)
	}
	session, err := models.SessionByToken(t.Context(), h.DB, v.TokenHash, h.Clock.Now())
	if err != nil || !session.SecondFactor || !session.ProvenAt.Equal(h.Clock.Now()) ||
		!session.ExpiresAt.Equal(v.ExpiresAt) {
		t.Errorf("proven: %+v, %v", session, err)
	}

	if _, err := h.Merchants.AddStaff(t.Context(),
		merchants.NewStaff{Name: "Eva", Email: "eva@example.com", Password: password,
			Role: models.StaffReviewer}); err != nil {
		t.Fatal(err)
	}
	token, err := h.Merchants.LogIn(t.Context(), "eva@example.com", password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	eva, err := h.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	other := &holder{Gateway: h.Gateway, v: eva, device: passkeytest.New(t, passkeyAddress)}
	if err := other.add(t, other.device, "Chave USB"); err != nil {
		t.Fatal(err)
	}
	if err := prove(eva, h.device); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("ProveWithPasskey with another person's passkey: %v", err)
	}

	modelstest.Exec(t, h.DB, `ALTER TABLE members DISABLE TRIGGER members_keep_owner; DELETE FROM members`)
	token, err = h.logIn(t, "browser", h.sign(t, h.device, "browser"))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := h.Merchants.Visitor(t.Context(), token); err != nil || v.ProjectID != nil || v.Role != "" {
		t.Errorf("removed: %+v, %v", v, err)
	}
}
