package merchants_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/auth/totp"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// enrolled is an owner whose log-in requires codes.
type enrolled struct {
	*paymentstest.Gateway
	secret   string
	recovery []string
}

func enrol(t *testing.T, g *paymentstest.Gateway) *enrolled {
	t.Helper()
	return enrolVisitor(t, g, logIn(t, g))
}

func enrolVisitor(t *testing.T, g *paymentstest.Gateway, v *models.Visitor) *enrolled {
	t.Helper()
	secret, err := g.Merchants.BeginTOTP(t.Context(), v.UserID)
	if err != nil {
		t.Fatal(err)
	}
	e := &enrolled{Gateway: g, secret: secret}
	if e.recovery, err = g.Merchants.EnrollTOTP(t.Context(), v, g.Owner, e.code()); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Minute) // the code of the enrollment cannot be used again
	return e
}

func (e *enrolled) code() string { return totp.Code(e.secret, totp.Step(e.Clock.Now())) }

// wrongCode returns a code that the generator does not show now.
func wrongCode(secret string, now time.Time) string {
	for n := 0; ; n++ {
		code := fmt.Sprintf("%06d", n)
		if _, right := totp.Match(secret, code, now); !right {
			return code
		}
	}
}

// pending logs in with the password and returns the token of the session, which waits for a
// code.
func (e *enrolled) pending(t *testing.T) (token string) {
	t.Helper()
	token, err := e.Merchants.LogIn(t.Context(), e.Email, paymentstest.Password, merchants.Browser{})
	if !errors.Is(err, merchants.ErrCodeNeeded) {
		t.Fatalf("LogIn without a code: %v", err)
	}
	return token
}

func logIn(t *testing.T, g *paymentstest.Gateway) *models.Visitor {
	t.Helper()
	token, err := g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A generator is used for log-ins once a code of it was correct. Neither its secret nor the
// recovery codes can be read in the database.
func TestEnrollTOTP(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	v := logIn(t, g)
	secret, err := g.Merchants.BeginTOTP(t.Context(), v.UserID)
	if again, errAgain := g.Merchants.BeginTOTP(t.Context(), v.UserID); err != nil || errAgain != nil ||
		again != secret {
		t.Errorf("BeginTOTP returned %q and then %q, %v %v", secret, again, err, errAgain)
	}
	if _, err := g.Merchants.EnrollTOTP(t.Context(), v, g.Owner, wrongCode(secret, g.Clock.Now())); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("EnrollTOTP with a wrong code: %v", err)
	}
	if v := logIn(t, g); v.TOTPEnrolled || v.SecondFactor {
		t.Errorf("an unconfirmed secret is in use: %+v", v)
	}
	code := totp.Code(secret, totp.Step(g.Clock.Now()))
	recovery, err := g.Merchants.EnrollTOTP(t.Context(), v, g.Owner, code[:3]+" "+code[3:])
	if err != nil || len(recovery) != 10 || len(recovery[0]) != len("01234-abcde-fghjk-mnpqr-stvwx") {
		t.Fatalf("recovery codes %v, %v", recovery, err)
	}
	if _, err := g.Merchants.EnrollTOTP(t.Context(), v, g.Owner, code); !errors.Is(err, merchants.ErrEnrolled) {
		t.Errorf("EnrollTOTP for the second time: %v", err)
	}
	if _, err := g.Merchants.BeginTOTP(t.Context(), v.UserID); !errors.Is(err, merchants.ErrEnrolled) {
		t.Errorf("BeginTOTP after the enrollment: %v", err)
	}
	var rows string
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT coalesce(encode(u.totp_secret, 'escape'), '')
		|| (SELECT string_agg(encode(digest, 'escape'), ' ') FROM recovery_codes)
		FROM users u WHERE u.id = $1`, v.UserID).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	for _, plain := range append(recovery, secret) {
		if strings.Contains(rows, strings.ReplaceAll(plain, "-", "")) {
			t.Errorf("the database contains %s", plain)
		}
	}
	var mails, audits int
	mails = modelstest.One[int](t, g.DB, `SELECT count(*) FROM mails
		WHERE kind = 'totp_enrolled' AND recipient = $1`, g.Email)
	audits = modelstest.One[int](t, g.DB, `SELECT count(*) FROM audit_log
		WHERE action = 'user.totp_enrolled' AND actor = $1`, v.UserID)
	if mails != 1 || audits != 1 {
		t.Errorf("%d mails, %d audit lines", mails, audits)
	}
}

// With a generator the password alone gives no access. A code does, once, for ten minutes.
func TestLogInWithCode(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	first, second := e.pending(t), e.pending(t)
	if _, err := e.Merchants.Visitor(t.Context(), first); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the password alone gave access: %v", err)
	}
	late := totp.Code(e.secret, totp.Step(e.Clock.Now())+2)
	if _, right := totp.Match(e.secret, late, e.Clock.Now()); right { // once in 333,333 runs
		late = ""
	}
	for _, wrong := range []string{"", wrongCode(e.secret, e.Clock.Now()), "12345", "ffff-fffff",
		e.recovery[0][:10], late} {
		if _, err := e.Merchants.LogInWithCode(t.Context(), first, wrong, merchants.Browser{}); !errors.Is(err,
			merchants.ErrCredentials) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	first, err := e.Merchants.LogInWithCode(t.Context(), first, e.code(), merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Merchants.Visitor(t.Context(), first)
	if err != nil || !v.SecondFactor || !v.TOTPEnrolled || v.ExpiresAt.Sub(v.CreatedAt) != merchants.IdleMember {
		t.Errorf("the visitor is %+v, %v", v, err)
	}
	if _, err := e.Merchants.LogInWithCode(t.Context(), second, e.code(), merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("using a code twice: %v", err)
	}
	e.Clock.Advance(30 * time.Second)
	if _, err := e.Merchants.LogInWithCode(t.Context(), second,
		totp.Code(e.secret, totp.Step(e.Clock.Now())-1), merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("using a code older than the last one: %v", err)
	}
	if err := e.Merchants.Prove(t.Context(), v, paymentstest.Password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("Prove with the password: %v", err)
	}
	if err := e.Merchants.Prove(t.Context(), v, e.code(), merchants.Browser{}); err != nil {
		t.Errorf("Prove with the next code: %v", err)
	}
	e.Clock.Advance(10 * time.Minute)
	if _, err := e.Merchants.LogInWithCode(t.Context(), second, e.code(), merchants.Browser{}); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("a code after more than ten minutes: %v", err)
	}
}

// Of two concurrent requests with the same code, one succeeds.
func TestLogInWithCode_AtOnce(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	for name, code := range map[string]string{"generator": e.code(), "recovery": strings.ToUpper(e.recovery[0])} {
		const n = 8
		tokens := make([]string, n)
		for i := range tokens {
			tokens[i] = e.pending(t)
		}
		var wg sync.WaitGroup
		errs := make([]error, n)
		for i, token := range tokens {
			wg.Go(func() {
				tokens[i], errs[i] = e.Merchants.LogInWithCode(t.Context(), token, code, merchants.Browser{})
			})
		}
		wg.Wait()
		in := 0
		for i, err := range errs {
			if err == nil {
				in++
			} else if !errors.Is(err, merchants.ErrCredentials) {
				t.Errorf("%s: %v", name, err)
			}
			if _, visitor := e.Merchants.Visitor(t.Context(), tokens[i]); (visitor == nil) != (err == nil) {
				t.Errorf("%s: LogInWithCode returned %v, Visitor %v", name, err, visitor)
			}
		}
		if in != 1 {
			t.Errorf("%s: %d log-ins succeeded, want 1", name, in)
		}
	}
	left, err := models.RecoveryCodesLeft(t.Context(), e.DB.Pool, e.Owner.UserID)
	if err != nil || left != 9 {
		t.Errorf("%d recovery codes left, %v", left, err)
	}
}

// New recovery codes invalidate the old ones. Without the generator log-in requires neither.
func TestDisableTOTP(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	renewed, err := e.Merchants.RenewRecoveryCodes(t.Context(), e.Owner)
	if err != nil {
		t.Fatal(err)
	}
	token := e.pending(t)
	if _, err := e.Merchants.LogInWithCode(t.Context(), token, e.recovery[0], merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("an old recovery code: %v", err)
	}
	if _, err := e.Merchants.LogInWithCode(t.Context(), token,
		strings.ReplaceAll(renewed[9], "-", " "), merchants.Browser{}); err != nil {
		t.Errorf("a new recovery code: %v", err)
	}
	for range 2 {
		if err := e.Merchants.DisableTOTP(t.Context(), e.Owner); err != nil {
			t.Fatal(err)
		}
	}
	if v := logIn(t, e.Gateway); v.TOTPEnrolled || v.SecondFactor {
		t.Errorf("disabled: %+v", v)
	}
	again, err := e.Merchants.BeginTOTP(t.Context(), e.Owner.UserID)
	if err != nil || again == e.secret {
		t.Errorf("the next generator has the same secret: %v", err)
	}
	mails := modelstest.One[int](t, e.DB, "SELECT count(*) FROM mails WHERE kind = 'totp_disabled'")
	if mails != 1 {
		t.Errorf("%d mails", mails)
	}
}

// A recovery code is accepted with the letters that people mistake for its digits: o for 0, i
// and l for 1.
func TestLogInWithCode_Mistaken(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	for letter, digit := range map[string]string{"o": "0", "O": "0", "i": "1", "I": "1", "l": "1", "L": "1"} {
		code := strings.ReplaceAll(e.recoveryCode(t, digit), digit, letter)
		if _, err := e.Merchants.LogInWithCode(t.Context(), e.pending(t), code, merchants.Browser{}); err != nil {
			t.Errorf("%q for %q in %s: %v", letter, digit, code, err)
		}
	}
}

// recoveryCode renews the recovery codes until one has the digit, and returns that one.
func (e *enrolled) recoveryCode(t *testing.T, digit string) string {
	t.Helper()
	for {
		renewed, err := e.Merchants.RenewRecoveryCodes(t.Context(), e.Owner)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range renewed {
			if strings.Contains(code, digit) {
				return code
			}
		}
	}
}
