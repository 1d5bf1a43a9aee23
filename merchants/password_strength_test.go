package merchants_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A new password that is common, a sequence, a repetition, or about the person or the product is
// refused, at each door by which passwords come.
func TestPassword_Easy(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m, ctx := g.Merchants, t.Context()
	if _, err := m.Invite(ctx, g.Owner, merchants.NewInvite{Email: "bia@padaria.example",
		Role: models.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	if err := m.AskReset(ctx, g.Email); err != nil {
		t.Fatal(err)
	}
	invite, reset := g.Link(t, models.MailInvite, "bia@padaria.example"), g.Link(t, models.MailResetPassword, g.Email)
	v := logIn(t, g)
	doors := map[string]func(password string) error{
		"sign up": func(password string) error {
			_, err := m.SignUp(ctx, merchants.NewMerchant{Name: "Bia Melo", Business: "Padaria Solar",
				Email: "bia@padaria.example", Password: password}, "")
			return err
		},
		"join": func(password string) error {
			_, err := m.JoinAsNewcomer(ctx, invite, merchants.Newcomer{Name: "Bia Melo", Password: password}, "")
			return err
		},
		"reset": func(password string) error { return m.ResetPassword(ctx, reset, password, "") },
		"change": func(password string) error {
			return m.ChangePassword(ctx, v, g.Owner, paymentstest.Password, password)
		},
		"first": func(password string) error {
			_, err := m.FirstPassword(ctx, v, g.Owner, password)
			return err
		},
		"staff": func(password string) error {
			_, err := m.AddStaff(ctx, merchants.NewStaff{Name: "Bia Melo", Email: "bia@padaria.example",
				Password: password, Role: models.StaffReviewer})
			return err
		},
	}
	easy := []string{"123456789012", "password1234", "qwertyuiop12", "aaaaaaaaaaaa", "garoupagaroupa", "Garoupa@2026",
		"minhasenha123", strings.Repeat("password", 25)}
	about := map[string][]string{"sign up": {"Bia Melo 2026", "bia@padaria.example", "padariasolar"},
		"join": {"Bia Melo 2026", "bia@padaria.example", g.Account.Name}, "staff": {"bia@padaria.example"},
		"change": {g.Email + "1", g.Account.Name + "!"}, "reset": {g.Account.Name + "1"}}
	for name, door := range doors {
		for _, password := range append(easy, about[name]...) {
			problems, ok := errors.AsType[merchants.Invalid](door(password))
			if !ok || problems["password"] != merchants.Common {
				t.Errorf("%s with %q: %v", name, password, problems)
			}
		}
	}
	for i, good := range []string{paymentstest.Password, "meu gato come peixe", "um-cavalo-na-chuva", "PFHQ3YQX4ZKQ"} {
		if _, err := m.AddStaff(ctx, merchants.NewStaff{Name: "Rui", Email: strconv.Itoa(i) + "@staff.example",
			Password: good, Role: models.StaffReviewer}); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}
