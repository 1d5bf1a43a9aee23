package merchants_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// A passkey belongs to one person and has a name. Adding it is reported by mail and in the
// audit log, and a person has at most ten.
func TestAddPasskey(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	if v, err := models.SessionByToken(t.Context(), h.DB, h.v.TokenHash, h.Clock.Now()); err != nil || !v.SecondFactor {
		t.Errorf("the session that added it is %+v, %v", v, err)
	}
	for name, problem := range map[string]merchants.Problem{
		"": merchants.Missing, " \t": merchants.Missing, strings.Repeat("é", 61): merchants.TooLong,
		"a\x01b": merchants.Malformed,
	} {
		err := h.add(t, passkeytest.New(t, passkeyAddress), name)
		if problems, ok := errors.AsType[merchants.Invalid](err); !ok || problems["passkey_name"] != problem {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := h.add(t, h.device, "again"); !errors.Is(err, merchants.ErrPasskeyKnown) {
		t.Errorf("adding a registered passkey: %v", err)
	}
	liar := passkeytest.New(t, "https://evil.example")
	if err := h.add(t, liar, "liar"); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("adding a passkey of another site: %v", err)
	}
	for range merchants.MaxPasskeys - 2 {
		if err := h.add(t, passkeytest.New(t, passkeyAddress), "  Meu   celular "); err != nil {
			t.Fatal(err)
		}
	}
	made := make(chan *passkey.NewAnswer, 3) // created while one more passkey is allowed
	for range cap(made) {
		options, err := h.Merchants.AskNewPasskey(t.Context(), h.v)
		if err != nil {
			t.Fatal(err)
		}
		a, err := passkey.ReadNewAnswer(passkeytest.New(t, passkeyAddress).Make(options))
		if err != nil {
			t.Fatal(err)
		}
		made <- a
	}
	if n := succeeded(t, cap(made), merchants.ErrPasskeys,
		func() error {
			_, err := h.Merchants.AddPasskey(t.Context(), h.v, h.Owner, "Meu celular", <-made)
			return err
		}); n != 1 {
		t.Errorf("%d concurrent calls added the tenth passkey", n)
	}
	if _, err := h.Merchants.AskNewPasskey(t.Context(), h.v); !errors.Is(err, merchants.ErrPasskeys) {
		t.Errorf("AskNewPasskey for the eleventh: %v", err)
	}
	if err := h.add(t, passkeytest.New(t, passkeyAddress), "x"); !errors.Is(err, merchants.ErrPasskeys) {
		t.Errorf("AddPasskey of the eleventh: %v", err)
	}
	names := map[string]int{}
	for _, p := range h.passkeys(t) {
		names[p.Name]++
	}
	if len(names) != 2 || names["iPhone"] != 1 || names["Meu celular"] != merchants.MaxPasskeys-1 {
		t.Errorf("passkeys %v", names)
	}
	var mails, audits int
	mails = modelstest.One[int](t, h.DB, `SELECT count(*) FROM mails
		WHERE kind = 'passkey_added' AND recipient = $1 AND params->>'passkey' =
		'iPhone'`, h.Email)
	audits = modelstest.One[int](t, h.DB, `SELECT count(*) FROM audit_log
		WHERE action = 'passkey.added' AND actor = $1`,
		h.Owner.UserID)
	if mails != 1 || audits != merchants.MaxPasskeys {
		t.Errorf("%d mails, %d audit lines", mails, audits)
	}
}

// A removed passkey gives no access, and neither does a passkey with another person's handle.
func TestRemovePasskey(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	id := h.passkeys(t)[0].ID
	stranger := h.Owner
	stranger.UserID, _ = h.Merchants.AddStaff(t.Context(),
		merchants.NewStaff{Name: "Eva", Email: "eva@example.com", Password: password, Role: models.StaffReviewer})
	for _, wrong := range []error{
		h.Merchants.RemovePasskey(t.Context(), stranger, id), h.Merchants.RenamePasskey(t.Context(), stranger, id, "x"),
		h.Merchants.RemovePasskey(t.Context(), h.Owner, "pky_x"),
		h.Merchants.RenamePasskey(t.Context(), h.Owner, models.NewPasskeyID(), "x"),
	} {
		if !errors.Is(wrong, models.ErrNotFound) {
			t.Error(wrong)
		}
	}
	for range 2 {
		if err := h.Merchants.RenamePasskey(t.Context(), h.Owner, id, "Notebook"); err != nil {
			t.Fatal(err)
		}
	}
	impostor := *h.device
	impostor.Handle = []byte(stranger.UserID)
	h.in(t, &impostor, false, "another's handle")
	impostor.Handle = nil
	h.in(t, &impostor, false, "an unknown handle")
	h.in(t, h.device, true, "its own handle")

	pending := h.sign(t, h.device, "browser")
	if err := h.Merchants.RemovePasskey(t.Context(), h.Owner, id); err != nil {
		t.Fatal(err)
	}
	if _, err := h.logIn(t, "browser", pending); !errors.Is(err, merchants.ErrCredentials) {
		t.Errorf("an answer to a challenge from before the removal: %v", err)
	}
	h.in(t, h.device, false, "removed")
	if err := h.Merchants.RemovePasskey(t.Context(), h.Owner, id); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("RemovePasskey for the second time: %v", err)
	}
	if _, err := h.Merchants.AskPasskeyProof(t.Context(), h.v); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("AskPasskeyProof without a passkey: %v", err)
	}
	last := slices.DeleteFunc(audited(t, h.Gateway, 100), func(e entry) bool {
		return !strings.HasPrefix(e.Action, "passkey.") // the log-ins that failed
	})
	last = last[len(last)-2:]
	if last[0].Action != "passkey.renamed" || last[0].Before != `{"name": "iPhone"}` ||
		last[0].After != `{"name": "Notebook"}` ||
		last[1].Action != "passkey.removed" || last[1].Object != id || last[1].Detail != `{"name": "Notebook"}` {
		t.Errorf("the audit log has %+v", last)
	}
	mails := modelstest.One[int](t, h.DB, `SELECT count(*) FROM mails
		WHERE kind = 'passkey_removed' AND params->>'passkey' = 'Notebook'`)
	if mails != 1 {
		t.Errorf("%d mails", mails)
	}
}
