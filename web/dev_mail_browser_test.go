package web_test

import (
	"testing"

	"garoupa/models"
	"garoupa/web/browsertest"
)

// The mails of an installation that sends none, and one of them in its frame.
func TestDevMail_Browser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMails(tx, models.Mail{
			Fact: "invite/1", To: "bia@example.com", Language: "pt-BR", Kind: models.MailInvite, CreatedAt: s.Clock.Now(),
			Params: map[string]string{"inviter": "Ana Lima", "account": "Ateliê Aurora", "role": "ADMIN", "token": "tok_1"},
		}, models.Mail{
			Fact: "password/1", To: "ana@example.com", Language: "en", Kind: models.MailPasswordChanged, CreatedAt: s.Clock.Now(),
			Params: map[string]string{"name": "Ana Lima", "at": "2026-03-01T12:00:00Z"},
		})
	}); err != nil {
		t.Fatal(err)
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Open(t, s.url+"/dev/mail", look)
			see(page, "dev-mails-"+name)
			page.Click("main li:last-child a")
			page.WaitVisible("iframe")
			see(page, "dev-mail-"+name)
		})
	}
}
