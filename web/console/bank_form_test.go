package console_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/web/webtest"
)

// What is wrong with the form stands beside its field, in both languages, and nothing typed is lost
// but secrets and files.
func TestOps_BankWrong(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	good := h.account(t)
	for name, tc := range map[string]struct {
		form  bankForm
		field string
		texts [2]string
	}{
		"name": {good.with("name", " "), "name", [2]string{"Dê à conta um nome", "Give the account a name"}},
		"bank": {good.with("profile", "stone"), "profile", [2]string{"Escolha um dos", "Choose one of"}},
		"key":  {good.with("pixKey", "chave"), "pixKey", [2]string{"Digite a chave Pix", "Type the Pix key"}},
		"number": {good.with("accountNumber", strings.Repeat("1", 41)), "accountNumber",
			[2]string{"até 40 caracteres", "up to 40 characters"}},
		"holder": {good.with("holderName", ""), "holderName", [2]string{"nome do titular", "holder’s name"}},
		"document": {good.with("holderDocument", "123"), "holderDocument",
			[2]string{"CPF ou CNPJ válido", "a valid CPF or CNPJ"}},
		"client":    {good.with("clientId", ""), "clientId", [2]string{"ID do cliente", "client ID"}},
		"no secret": {good.with("clientSecret", ""), "clientSecret", [2]string{"exige o segredo", "requires the"}},
		"secret": {good.with("clientSecret", "a\nb"), "clientSecret",
			[2]string{"em uma só linha", "in one line"}},
		"JSON": {good.with("overrides", `{"bass": 1}`), "overrides", [2]string{"objeto JSON", "a JSON object"}},
		"address": {good.with("overrides", ""), "overrides",
			[2]string{"não tem o endereço", "has no address"}},
		"no file": {good.withFile("certificate", nil), "certificate", [2]string{"Escolha o arquivo", "Choose the"}},
		"no key":  {good.withFile("privateKey", nil), "certificate", [2]string{"Não há chave", "There is no private"}},
		"garbage": {good.withFile("certificate", []byte("x")), "certificate", [2]string{"danificado", "damaged"}},
		"too long": {good.withFile("certificate", bytes.Repeat([]byte("x"), 65<<10)), "certificate",
			[2]string{"passa de 64 KB", "larger than 64 KB"}},
		"two too long": {good.withFile("certificate", bytes.Repeat([]byte("x"), 65<<10)).
			withFile("privateKey", bytes.Repeat([]byte("x"), 1100<<10)), "certificate",
			[2]string{"passa de 64 KB", "larger than 64 KB"}},
		"another's": {good.withFile("privateKey", h.credential(t, time.Hour).files["privateKey"]), "certificate",
			[2]string{"de outro certificado", "belongs to another"}},
		"holder's": {good.with("holderDocument", "529.982.247-25"), "certificate",
			[2]string{"de outro CPF ou CNPJ", "names another CPF"}},
	} {
		for i, lang := range []string{"pt-BR", "en"} {
			h.eva.Lang = lang
			h.eva.Post("/preferencias", "lang", lang, "next", "/ops")
			a := h.send(h.eva, "/ops/bancos/nova", tc.form)
			if text := a.Find("#" + tc.field + "-error").Text(); a.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(text, tc.texts[i]) {
				t.Errorf("%s in %s: %d %q %s", name, lang, a.Status, text, a.Find("#errors").Text())
			}
			for field, value := range tc.form.fields {
				shown := a.Find("#"+field).AttrOr("value", "")
				switch field {
				case "clientSecret", "appKey", "certificatePassword":
					value = ""
				case "overrides":
					shown = a.Find("#overrides").Text()
				case "profile":
					continue // an unknown one is not offered
				}
				if shown != value {
					t.Errorf("%s: %s is %q", name, field, shown)
				}
			}
		}
	}
	if all, err := models.BankAccounts(t.Context(), h.DB); err != nil || len(all) != 0 {
		t.Errorf("proposed: %d, %v", len(all), err)
	}
}

// The form of new credentials names what is wrong with them as well.
func TestOps_BankCredentialWrong(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	path := h.propose(t)
	h.act(h.rui, path, "/aprovar")
	form := h.credential(t, time.Hour)
	a := h.send(h.rui, path+"/credenciais", form.withFile("privateKey", nil))
	if a.Status != http.StatusUnprocessableEntity || a.Find("#certificate-error").Length() != 1 ||
		a.Find("#clientSecret-error").Length() != 1 || a.Find("#appKey-error").Length() != 1 ||
		a.Find("#clientId").AttrOr("value", "") != form.fields["clientId"] {
		t.Errorf("without a key: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := h.send(h.rui, "/ops/bancos/bac_00000000000000000000/credenciais", form); a.Status != http.StatusNotFound {
		t.Errorf("of an unknown account: %d", a.Status)
	}
}

// A proposal that is sent when the twelve hours are over is kept until its sender has logged in, without secrets and
// files, for which the form asks then.
func TestOps_BankKept(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	form := h.account(t)
	h.Clock.Advance(afterHalfADay)
	kept := h.send(h.eva, "/ops/bancos/nova", form)
	if kept.Status != http.StatusUnauthorized {
		t.Fatalf("after half a day: %d %s", kept.Status, kept.Find("main").Text())
	}
	shows(t, kept, "main", "O arquivo escolhido não pode ser guardado")
	c := h.staff(t, "rita", models.StaffSupervisor)
	a := c.Post("/ops/bancos/nova", webtest.HiddenFields(kept)...)
	for field, value := range form.fields {
		wrong := 0
		switch field {
		case "clientSecret":
			value, wrong = "", 1
		case "appKey", "certificatePassword":
			value = ""
		case "profile":
			continue // it is a choice
		}
		shown := a.Find("#" + field)
		if got := shown.AttrOr("value", shown.Text()); got != value || a.Find("#"+field+"-error").Length() != wrong {
			t.Errorf("%s is %q with %d errors", field, got, a.Find("#"+field+"-error").Length())
		}
	}
}

// Who proved their identity a while ago proves it again. The page that asks for it keeps what was
// typed, and no secret.
func TestOps_BankStepUp(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	form := h.account(t)
	path := h.propose(t)
	waits := hiddenOf(h.rui, h.rui.Get(path), path+"/aprovar")
	h.Clock.Advance(11 * time.Minute)
	asks := func(a webtest.Answer) bool { return a.Find("input[name="+webtest.ProofField+"]").Length() == 1 }
	for _, action := range []string{"/aprovar", "/descartar", "/aposentar"} {
		if a := h.rui.Post(path+action, waits...); !asks(a) {
			t.Errorf("%s: %d", action, a.Status)
		}
	}
	for _, page := range []string{"/ops/bancos/nova", path + "/credenciais"} {
		if a := h.rui.Get(page); !asks(a) {
			t.Errorf("%s: %d", page, a.Status)
		}
		a := h.send(h.rui, page, form)
		if kept := a.Find("input[name=clientId]").AttrOr("value", ""); !asks(a) || kept != form.fields["clientId"] {
			t.Errorf("%s sent late: %d, keeps %q", page, a.Status, kept)
		}
		pairs := []string{}
		for name, value := range form.fields {
			pairs = append(pairs, name, value)
		}
		if a := h.clean(h.rui, h.rui.Post(page, pairs...)); !asks(a) {
			t.Errorf("%s sent late without files: %d", page, a.Status)
		}
	}
	h.Clock.Advance(13 * time.Hour) // the session has ended as well
	a := h.send(h.rui, "/ops/bancos/nova", form.with("version", "1"))
	if a.Status != http.StatusUnauthorized || a.Find("input[name=clientId]").Length() != 1 {
		t.Errorf("after the session: %d", a.Status)
	}
}
