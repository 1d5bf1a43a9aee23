package web_test

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/models"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/web/webtest"
)

// walkBanks sees the pages of the installation's accounts at banks.
func walkBanks(t *testing.T, w *walk) {
	s := webtest.New(t)
	s.Clock.Advance(time.Since(s.Clock.Now())) // certificates are valid now
	rui, by := s.Console(t, models.StaffSupervisor)
	eva := s.AddStaff(t, "eva@staff.example", models.StaffSupervisor)
	page := w.openWith(t, s, "/ops", rui.Cookies()...)
	page.visit("none", "/ops/bancos")

	bank := banktest.Serve(t, "generic")
	active := proposedBank(t, s, eva, bank, 20*24*time.Hour, func(*banks.NewAccount) {})
	approveBank(t, s, by, active)
	waits := proposedBank(t, s, eva, banktest.Serve(t, "generic"), 90*24*time.Hour, func(in *banks.NewAccount) {
		in.Name, in.Credential.ClientID = "Reserva no "+strings.Repeat("Banco Cooperativo ", 3), "outro"
	})
	own := proposedBank(t, s, by, banktest.Serve(t, "generic"), 2*time.Minute, func(in *banks.NewAccount) {
		in.Sandbox, in.Overrides = true, strings.Replace(in.Overrides, `"base"`, `"test_base"`, 1)
	})
	s.Clock.Advance(5 * time.Minute) // the certificate of the last one has ended
	page.visits(map[string]string{
		"list": "/ops/bancos", "active": "/ops/bancos/" + active, "waits": "/ops/bancos/" + waits,
		"own": "/ops/bancos/" + own, "new": "/ops/bancos/nova", "credentials": "/ops/bancos/" + active + "/credenciais",
	})
	s.Banks.NoticesURL = "https://avisos.example.com"
	page.visit("notices-wait", "/ops/bancos/"+active)
	if err := models.AddNoticeCounts(t.Context(), s.DB.Pool, s.Clock.Now(), map[models.NoticeCount]int64{
		{BankAccountID: active, What: models.NoticeUnproven}: 12, {What: models.NoticeUnknownToken}: 3}); err != nil {
		t.Fatal(err)
	}
	if err := s.Banks.RegisterNotices(t.Context(), active); err != nil {
		t.Fatal(err)
	}
	page.visit("notices", "/ops/bancos/"+active)
	page.Goto(s.URL + "/ops/bancos/nova")
	page.fails("new-wrong")
	page.Goto(s.URL + "/ops/bancos/" + active + "/credenciais")
	page.fails("credentials-wrong")
	page.Goto(s.URL + "/ops/bancos/" + active)
	page.Click("form[action$='/verificar'] button")
	page.WaitVisible("#card-findings")
	page.look("checked")
	page.Goto(s.URL + "/ops/bancos/" + waits)
	page.Click("form[action$='/aprovar'] button")
	page.WaitVisible("#card-findings")
	page.look("refused")
}

// proposedBank proposes an account of a bank, whose certificate lasts for some time, and returns its
// id.
func proposedBank(t *testing.T, s *webtest.Site, by models.Actor, bank *banktest.Bank, life time.Duration,
	change func(*banks.NewAccount)) string {
	t.Helper()
	at, now := bank.Folder.Account, time.Now()
	authority, err := bank.Folder.AuthorityPEM()
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := bank.Folder.Issue(at.ClientID, now.Add(-time.Hour), now.Add(life),
		x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	in := banks.NewAccount{Name: "Conta principal", Profile: "generic", PixKey: at.PixKey, HolderName: at.HolderName,
		AccountNumber: "12345-6", HolderDocument: "11222333000181",
		Overrides: `{"base": "` + bank.Base() + `", "token_url": "` + bank.TokenURL() + `", "ca": "` +
			strings.ReplaceAll(string(authority), "\n", `\n`) + `"}`,
		Credential: banks.NewCredential{ClientID: at.ClientID, ClientSecret: at.ClientSecret}}
	in.Credential.Files.Certificate, in.Credential.Files.Key = certificate, key
	change(&in)
	id, err := s.Banks.Propose(t.Context(), by, in)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// approveBank approves the credentials that wait at an account.
func approveBank(t *testing.T, s *webtest.Site, by models.Actor, id string) {
	t.Helper()
	credential, err := models.BankCredentialOf(t.Context(), s.DB, id, models.CredentialNew)
	if err == nil {
		err = s.Banks.Approve(t.Context(), by, id, credential.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
}
