package merchants_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Each operation that raises a session's rights gives it a new token. The former one brings nothing of
// the rise, stays good for ten seconds for what the browser had sent, and proves nothing more.
func TestRise(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	e.Merchants.Passkeys = passkey.NewSite("Garoupa", passkeyAddress)
	who := oidc.Identity{Issuer: issuer, Subject: "ana", Email: e.Email, Strong: true}
	token, err := e.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.rises(t) {
		e.Clock.Advance(time.Hour)
		modelstest.Exec(t, e.DB, "UPDATE sessions SET second_factor = false")
		token = e.rise(t, token, r)
	}
}

// rise is an operation that raises the rights of a session.
type rise struct {
	name   string
	proves bool
	do     func(ctx context.Context, v *models.Visitor) error
}

// rises returns the operations, each of which can follow the one before.
func (e *enrolled) rises(t *testing.T) []rise {
	device := passkeytest.New(t, passkeyAddress)
	return []rise{
		{"Prove with a code", true, func(ctx context.Context, v *models.Visitor) error {
			return e.Merchants.Prove(ctx, v, e.code(), merchants.Browser{})
		}},
		{"ChangePassword", false, func(ctx context.Context, v *models.Visitor) error {
			return e.Merchants.ChangePassword(ctx, v, e.Owner, paymentstest.Password, password)
		}},
		{"AddPasskey", true, func(ctx context.Context, v *models.Visitor) error {
			options, err := e.Merchants.AskNewPasskey(ctx, v)
			if err != nil {
				return err
			}
			a, err := passkey.ReadNewAnswer(device.Make(options))
			if err == nil {
				_, err = e.Merchants.AddPasskey(ctx, v, e.Owner, "x", a)
			}
			return err
		}},
		{"ProveWithPasskey", true, func(ctx context.Context, v *models.Visitor) error {
			options, err := e.Merchants.AskPasskeyProof(ctx, v)
			if err != nil {
				return err
			}
			return e.Merchants.ProveWithPasskey(ctx, v, read(t, device.Sign(options)), merchants.Browser{})
		}},
		{"FirstPassword", false, func(ctx context.Context, v *models.Visitor) error {
			modelstest.Exec(t, e.DB, "UPDATE users SET password_hash = NULL WHERE id = $1", v.UserID)
			_, err := e.Merchants.FirstPassword(ctx, v, e.Owner, password)
			return err
		}},
		{"EnrollTOTP", true, func(ctx context.Context, v *models.Visitor) error {
			err := e.Merchants.DisableTOTP(ctx, e.Owner)
			if err != nil {
				return err
			}
			if e.secret, err = e.Merchants.BeginTOTP(ctx, v.UserID); err != nil {
				return err
			}
			_, err = e.Merchants.EnrollTOTP(ctx, v, e.Owner, e.code())
			return err
		}},
		{"ProveWithIdentity", true, func(ctx context.Context, v *models.Visitor) error {
			who := oidc.Identity{Issuer: issuer, Subject: "ana", Strong: true}
			return e.Merchants.ProveWithIdentity(ctx, v, who, merchants.Browser{})
		}},
		{"Prove with the password", true, func(ctx context.Context, v *models.Visitor) error {
			modelstest.Exec(t, e.DB, "DELETE FROM passkeys")
			if err := e.Merchants.DisableTOTP(ctx, e.Owner); err != nil {
				return err
			}
			v.TOTPEnrolled, v.HasPasskey = false, false
			return e.Merchants.Prove(ctx, v, password, merchants.Browser{})
		}},
	}
}

// rise does one operation with the session of a token, and returns the session's new token.
func (e *enrolled) rise(t *testing.T, token string, r rise) string {
	t.Helper()
	before, after := e.visitor(t, token), e.visitor(t, token)
	if err := r.do(t.Context(), after); err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	if after.NewToken == "" || after.NewToken == token {
		t.Fatalf("%s leaves the session its token", r.name)
	}
	if v := e.visitor(t, after.NewToken); v.ID != before.ID || r.proves && !v.ProvenAt.Equal(e.Clock.Now()) {
		t.Errorf("%s: the new token's session is %+v", r.name, v)
	}
	e.Clock.Advance(merchants.FormerTokenLasts - time.Millisecond)
	former := e.visitor(t, token)
	if former.ID != before.ID || former.SecondFactor || !former.ProvenAt.Equal(before.ProvenAt) {
		t.Errorf("%s: within ten seconds the former token's session is %+v", r.name, former)
	}
	if err := e.Merchants.ProveWithIdentity(t.Context(), former, oidc.Identity{Issuer: issuer, Subject: "ana",
		Strong: true}, merchants.Browser{}); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("%s: a proof with the former token: %v", r.name, err)
	}
	e.Clock.Advance(time.Millisecond)
	if v, err := e.Merchants.Visitor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("%s: ten seconds later the former token's session is %+v, %v", r.name, v, err)
	}
	return after.NewToken
}

func (e *enrolled) visitor(t *testing.T, token string) *models.Visitor {
	t.Helper()
	v, err := e.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The token of a session that waits for a code ends with it: it never gave access.
func TestRise_Code(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	waiting := e.pending(t)
	token, err := e.Merchants.LogInWithCode(t.Context(), waiting, e.code(), merchants.Browser{})
	if err != nil || token == waiting {
		t.Fatalf("LogInWithCode returned the token %q, %v", token, err)
	}
	if !e.visitor(t, token).SecondFactor {
		t.Error("the new token's session has no second factor")
	}
	if v, err := e.Merchants.Visitor(t.Context(), waiting); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the token that waited: %+v, %v", v, err)
	}
	if _, err := e.Merchants.Session(t.Context(), waiting); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the session that waited: %v", err)
	}
}

// A log-out, and the end of a session, end the former token, too. Two proofs in one request change the
// token once, since the browser has not got the first.
func TestRise_End(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	for name, end := range map[string]func(v *models.Visitor, former string) error{
		"log-out": func(v *models.Visitor, _ string) error {
			return e.Merchants.LogOut(t.Context(), v.NewToken, merchants.Browser{})
		},
		"log-out by the former token": func(_ *models.Visitor, former string) error {
			return e.Merchants.LogOut(t.Context(), former, merchants.Browser{})
		},
		"end": func(v *models.Visitor, _ string) error { return e.Merchants.EndSession(t.Context(), e.Owner, v.ID) },
	} {
		e.Clock.Advance(time.Minute)
		former, err := e.Merchants.LogInWithCode(t.Context(), e.pending(t), e.code(), merchants.Browser{})
		if err != nil {
			t.Fatal(err)
		}
		v, first := e.visitor(t, former), ""
		for range 2 {
			e.Clock.Advance(time.Minute)
			if err := e.Merchants.Prove(t.Context(), v, e.code(), merchants.Browser{}); err != nil {
				t.Fatal(err)
			}
			if first != "" && v.NewToken != first {
				t.Error("the second proof changed the token again")
			}
			first = v.NewToken
			modelstest.Exec(t, e.DB, "UPDATE former_tokens SET ends_at = $1", e.Clock.Now().Add(2*time.Minute))
		}
		e.visitor(t, former)
		if err := end(v, former); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, token := range []string{former, v.NewToken} {
			if _, err := e.Merchants.Visitor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s leaves a token: %v", name, err)
			}
		}
	}
	if n := modelstest.One[int](t, e.DB, "SELECT count(*) FROM former_tokens"); n > 1 { // of enrol's own session
		t.Errorf("%d former tokens are left", n)
	}
}
