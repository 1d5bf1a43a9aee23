package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"garoupa/internal/mail"
	"garoupa/internal/mail/mailtest"
	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// startMailing is start with an SMTP server.
func (g *gateway) startMailing(t *testing.T, server *mailtest.Server) *jobs.Runner {
	t.Helper()
	smtp, err := mail.ParseServer("smtp://" + server.Address)
	if err != nil {
		t.Fatal(err)
	}
	return g.startWith(t, func(o *jobs.Options) {
		o.Mail = &mail.Sender{
			Writer: &mail.Writer{Vault: g.Vault, AppURL: "https://app.example", CheckoutURL: "https://pay.example"},
			Server: smtp, From: netmail.Address{Address: "pix@garoupa.example"},
		}
	})
}

// write inserts a mail for each fact.
func (g *gateway) write(t *testing.T, to string, at time.Time, facts ...string) {
	t.Helper()
	for _, fact := range facts {
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertMails(tx, models.Mail{
				Fact: fact, To: to, Language: "en", Kind: models.MailPasswordChanged, CreatedAt: at,
				Params: map[string]string{"name": "Ana", "at": at.Format(time.RFC3339)},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (g *gateway) mail(t *testing.T, fact string) models.Mail {
	t.Helper()
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		if m.Fact == fact {
			return m
		}
	}
	t.Fatalf("no mail about %s", fact)
	return models.Mail{}
}

// A mail is sent once, and its params are deleted. An old mail is not sent.
func TestSendMail(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	server := mailtest.New(t, mailtest.Options{})
	g.write(t, "ana@example.com", time.Now().Add(-100*time.Hour), "old")
	g.write(t, "ana@example.com", time.Now(), "new", "new")
	g.startMailing(t, server)
	if m := server.Next(t); m.To != "ana@example.com" || m.Subject != "Your password was changed" {
		t.Errorf("sent %q to %s", m.Subject, m.To)
	}
	g.settled(t)
	server.None(t)
	if m := g.mail(t, "new"); m.SentAt == nil || m.Attempts != 1 || m.Error != "" || len(m.Params) != 0 {
		t.Errorf("the mail is %+v", m)
	}
	if m := g.mail(t, "old"); m.SentAt != nil {
		t.Errorf("the old mail is %+v", m)
	}
}

// A failed mail is tried again, and its error is recorded without the address. A mailbox
// that does not exist is given up at once.
func TestSendMail_Refused(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	var asked atomic.Int32
	server := mailtest.New(t, mailtest.Options{Refuse: func(to string) *smtp.SMTPError {
		if to == "gone@example.com" {
			return &smtp.SMTPError{
				Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "<gone@example.com> unknown",
			}
		}
		if asked.Add(1) == 1 {
			return &smtp.SMTPError{
				Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "<" + to + "> try again later",
			}
		}
		return nil
	}})
	g.write(t, "gone@example.com", time.Now(), "gone")
	g.write(t, "ana@example.com", time.Now(), "later")
	g.startMailing(t, server)
	if m := server.Next(t); m.To != "ana@example.com" {
		t.Errorf("sent to %s", m.To)
	}
	g.settled(t)
	if m := g.mail(t, "later"); m.SentAt == nil || m.Attempts != 2 || m.Error != "" {
		t.Errorf("the mail is %+v", m)
	}
	if m := g.mail(t, "gone"); m.SentAt != nil || m.Attempts != 1 || !strings.Contains(m.Error, "550") ||
		strings.Contains(m.Error, "@") {
		t.Errorf("the mail is %+v", m)
	}
	var told string
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(errors::text, ''), '')
		FROM river_job`).Scan(&told); err != nil || strings.Contains(told, "@example") {
		t.Errorf("the queue contains an address: %s, %v", told, err)
	}
}

// The log has a line for each failed attempt, by the mail's id and without its address, and
// says which attempt was the final one.
func TestSendMail_Loud(t *testing.T) {
	g := newGateway(t, quick...) // not parallel: it reads the process's log
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	var asked atomic.Int32
	server := mailtest.New(t, mailtest.Options{Refuse: func(to string) *smtp.SMTPError {
		switch {
		case to == "gone@example.com":
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "<" + to + "> unknown"}
		case to == "full@example.com", asked.Add(1) == 1:
			return &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 2, 2}, Message: "<" + to + "> is full"}
		}
		return nil
	}})
	g.write(t, "full@example.com", time.Now(), "last")
	modelstest.Exec(t, g.DB, "UPDATE river_job SET max_attempts = 1 WHERE queue = 'mails'")
	g.write(t, "gone@example.com", time.Now(), "gone")
	g.write(t, "ana@example.com", time.Now(), "later")
	runner := g.startMailing(t, server)
	server.Next(t)
	g.settled(t)
	if err := runner.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	for fact, final := range map[string]string{"last": "true", "gone": "true", "later": "false"} {
		id := g.mail(t, fact).ID
		if strings.Count(text, id) != 1 || !strings.Contains(text, "mail="+id+
			" kind=password_changed attempt=1 final="+final+" ") {
			t.Errorf("%s, the mail %s, is not logged once with final=%s:\n%s", fact, id, final, text)
		}
	}
	if strings.Contains(text, "@example.com") {
		t.Errorf("the log contains an address: %s", text)
	}
}

// An SMTP server that hangs delays no webhook.
func TestSendMail_Hanging(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	hang := make(chan struct{})
	server := mailtest.New(t, mailtest.Options{Hang: hang})
	receiver := newReceiver(t, answers(204))
	g.Endpoint(t, receiver.url)
	facts := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	g.write(t, "ana@example.com", time.Now(), facts...)
	g.startMailing(t, server)
	t.Cleanup(func() { close(hang) })
	g.checkout(t, payments.NewCheckout{})
	receiver.next(t)
	server.None(t)
}

// settled waits until no mail is in progress or due.
func (g *gateway) settled(t *testing.T) {
	t.Helper()
	eventually(t, "a queue without mails", func() bool {
		var n int
		if err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job
			WHERE queue = 'mails' AND finalized_at IS NULL`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
}
