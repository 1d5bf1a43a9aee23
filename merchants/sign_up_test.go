package merchants_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// SignUp creates a user, the user's account and its first project.
func TestSignUp(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m, err := g.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "  Rui Sá ", Business: " Padaria Sol\n", Email: " Rui.SA@Example.COM ", Password: password,
	}, "203.0.113.7")
	if err != nil {
		t.Fatal(err)
	}
	user, err := models.UserByEmail(t.Context(), g.DB, "rui.sa@example.com")
	if err != nil || user.ID != m.UserID || user.Name != "Rui Sá" || user.StaffRole != nil {
		t.Errorf("the user is %+v, %v", user, err)
	}
	account, err := models.AccountByID(t.Context(), g.DB, m.AccountID)
	if err != nil || account.Name != "Padaria Sol" || account.ProductionAccess != models.AccessNotRequested ||
		account.Suspended {
		t.Errorf("the account is %+v, %v", account, err)
	}
	terms, err := g.TermsAt(t.Context(), account, g.Clock.Now())
	if err != nil || terms.MinAmount != 1 || terms.MaxAmount != 100000000 || terms.Fee != (money.Fee{BasisPoints: 99}) {
		t.Errorf("the terms of the account are %+v, %v", terms, err)
	}
	project, err := models.FirstProject(t.Context(), g.DB, m.UserID)
	if err != nil || project.ID != m.ProjectID || project.AccountID != m.AccountID || project.Name != "Default" {
		t.Errorf("the project is %+v, %v", project, err)
	}
	roles := modelstest.Column[string](t, g.DB, "SELECT role FROM members WHERE account_id = $1", m.AccountID)
	if diff := cmp.Diff([]string{"OWNER"}, roles); diff != "" {
		t.Errorf("roles (-want +got)\n%s", diff)
	}
}

// All problems of a form are reported at once.
func TestSignUp_Invalid(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	long := strings.Repeat("ã", 201)
	for name, tc := range map[string]struct {
		change func(*merchants.NewMerchant)
		want   merchants.Invalid
	}{
		"no fields": {func(in *merchants.NewMerchant) { *in = merchants.NewMerchant{} },
			merchants.Invalid{"name": merchants.Missing, "business": merchants.Missing, "email": merchants.Malformed,
				"password": merchants.Missing}},
		"blank": {func(in *merchants.NewMerchant) { in.Name, in.Business = " ", "\u200b\u3164" },
			merchants.Invalid{"name": merchants.Missing, "business": merchants.Missing}},
		"too long": {func(in *merchants.NewMerchant) { in.Name, in.Business, in.Password = long, long, long },
			merchants.Invalid{"name": merchants.TooLong, "business": merchants.TooLong, "password": merchants.TooLong}},
		"a short password": {func(in *merchants.NewMerchant) { in.Password = strings.Repeat("ã", 11) },
			merchants.Invalid{"password": merchants.TooShort}},
		"not text": {func(in *merchants.NewMerchant) { in.Name, in.Business = "a\x00", "\xff" },
			merchants.Invalid{"name": merchants.Malformed, "business": merchants.Malformed}},
		"another direction": {func(in *merchants.NewMerchant) { in.Name, in.Business = "a\u202eb", "\u2066a" },
			merchants.Invalid{"name": merchants.Malformed, "business": merchants.Malformed}},
		"no email": {func(in *merchants.NewMerchant) { in.Email = "rui" },
			merchants.Invalid{"email": merchants.Malformed}},
		"no domain": {func(in *merchants.NewMerchant) { in.Email = "rui@localhost" },
			merchants.Invalid{"email": merchants.Malformed}},
		"an address with a name": {func(in *merchants.NewMerchant) { in.Email = "Rui <rui@example.com>" },
			merchants.Invalid{"email": merchants.Malformed}},
		"two emails": {func(in *merchants.NewMerchant) { in.Email = "a@example.com,b@example.com" },
			merchants.Invalid{"email": merchants.Malformed}},
		"a header": {func(in *merchants.NewMerchant) { in.Email = "a@example.com\r\nBcc: b@example.com" },
			merchants.Invalid{"email": merchants.Malformed}},
		"NUL": {func(in *merchants.NewMerchant) { in.Email = "a\x00@example.com" },
			merchants.Invalid{"email": merchants.Malformed}},
		"a long email": {func(in *merchants.NewMerchant) { in.Email = strings.Repeat("a", 243) + "@example.com" },
			merchants.Invalid{"email": merchants.Malformed}},
		"a taken email": {func(in *merchants.NewMerchant) { in.Email = g.Email },
			merchants.Invalid{"email": merchants.Taken}},
		"a taken email in capitals": {func(in *merchants.NewMerchant) { in.Email = strings.ToUpper(g.Email) },
			merchants.Invalid{"email": merchants.Taken}},
	} {
		in := newcomer()
		tc.change(&in)
		_, err := g.Merchants.SignUp(t.Context(), in, "")
		var got merchants.Invalid
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	for _, table := range []string{"users", "accounts", "projects", "members", "audit_log"} {
		var n int
		if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 1 {
			t.Errorf("there are %d %s, %v; want only the first merchant's", n, table, err)
		}
	}
}

// Values at the limits are valid.
func TestSignUp_Bounds(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, in := range []merchants.NewMerchant{
		{Name: strings.Repeat("ã", 200), Business: strings.Repeat("ã", 200), Email: "a@b.co",
			Password: strings.Repeat("ã", 12)},
		{Name: "ã", Business: "ã", Email: strings.Repeat("a", 242) + "@example.com",
			Password: strings.Repeat("ã", 200)},
	} {
		if _, err := g.Merchants.SignUp(t.Context(), in, ""); err != nil {
			t.Errorf("%.80v: %v", in, err)
		}
		if _, err := g.Merchants.LogIn(t.Context(), in.Email, in.Password, merchants.Browser{}); err != nil {
			t.Errorf("LogIn as %.80v: %v", in, err)
		}
	}
}

// Of people who sign up with the same address at the same moment, one succeeds.
func TestSignUp_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	problems := make([]error, 4)
	var group errgroup.Group
	for i := range problems {
		group.Go(func() error {
			_, problems[i] = g.Merchants.SignUp(t.Context(), newcomer(), "")
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, err := range problems {
		var invalid merchants.Invalid
		switch {
		case err == nil:
			made++
		case !errors.As(err, &invalid) || invalid["email"] != merchants.Taken:
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d sign-ups succeeded, want 1", made)
	}
}

// Passwords are stored as argon2id hashes, each with its own salt.
func TestPasswords(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Merchants.HashMemory = 0
	for i, email := range []string{"a@example.com", "b@example.com"} {
		in := newcomer()
		if in.Email = email; i == 1 {
			in.Password = password
		}
		if _, err := g.Merchants.SignUp(t.Context(), in, ""); err != nil {
			t.Fatal(err)
		}
	}
	hashes := modelstest.Column[string](t, g.DB, `SELECT password_hash FROM users
		WHERE email IN ('a@example.com', 'b@example.com')`)
	phc := regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`)
	if len(hashes) != 2 || hashes[0] == hashes[1] || !phc.MatchString(hashes[0]) || !phc.MatchString(hashes[1]) {
		t.Errorf("the hashes of one password are %q", hashes)
	}
	dump := modelstest.One[string](t, g.DB, "SELECT string_agg(u::text, '') FROM users u")
	if strings.Contains(dump, password) || strings.Contains(dump, paymentstest.Password) {
		t.Error("the users' rows contain a password")
	}
}

func TestAddStaff(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, tc := range []struct {
		in   merchants.NewStaff
		want merchants.Invalid
	}{
		{merchants.NewStaff{}, merchants.Invalid{"name": merchants.Missing, "email": merchants.Malformed,
			"password": merchants.Missing, "role": merchants.Unknown}},
		{merchants.NewStaff{Name: "Eva", Email: "eva@example.com", Password: "short", Role: "OWNER"},
			merchants.Invalid{"password": merchants.TooShort, "role": merchants.Unknown}},
		{merchants.NewStaff{Name: "Eva", Email: " ANA@example.com", Password: password, Role: models.StaffReviewer},
			merchants.Invalid{"email": merchants.Taken}},
	} {
		_, err := g.Merchants.AddStaff(t.Context(), tc.in)
		if diff := cmp.Diff(error(tc.want), err); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tc.in, diff)
		}
	}

	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: " Eva ", Email: "Eva@example.com",
		Password: password, Role: models.StaffSupervisor})
	if err != nil {
		t.Fatal(err)
	}
	token, err := g.Merchants.LogIn(t.Context(), "eva@example.com", password, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Merchants.Visitor(t.Context(), token)
	if err != nil || v.UserID != id || v.UserName != "Eva" || v.StaffRole == nil ||
		*v.StaffRole != models.StaffSupervisor {
		t.Fatalf("the visitor is %+v, %v", v, err)
	}
	if v.AccountID != "" || v.ProjectID != nil || v.Role != "" {
		t.Errorf("staff is a member of %s as %s", v.AccountID, v.Role)
	}
}
