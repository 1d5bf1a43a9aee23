package models_test

import (
	"errors"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// A mail and its job are committed together or not at all, once per fact and recipient.
func TestInsertMails(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	mail := func(fact, to string) models.Mail {
		return models.Mail{Fact: fact, To: to, Language: "en", Kind: models.MailInvite,
			Params: map[string]string{"account": "Ateliê"}, CreatedAt: at}
	}
	failure := errors.New("roll back")
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		return errors.Join(models.InsertMails(tx, mail("a", "ana@example.com")), failure)
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	for range 2 {
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertMails(tx, mail("a", "ana@example.com"), mail("a", "bia@example.com"),
				mail("b", "ana@example.com"))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var jobs int
	err = db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job j JOIN mails m ON m.id = j.args ->> 'mailId'
		WHERE j.kind = 'send_mail' AND j.queue = 'mails' AND j.state = 'available'`).Scan(&jobs)
	if err != nil || jobs != 3 {
		t.Errorf("%d jobs for three mails, %v", jobs, err)
	}
	mails, err := models.LatestMails(t.Context(), db.Pool, 10)
	if err != nil || len(mails) != 3 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	m, err := models.MailByID(t.Context(), db.Pool, mails[0].ID)
	if err != nil || m.Params["account"] != "Ateliê" || !m.CreatedAt.Equal(at) || m.SentAt != nil || m.Attempts != 0 {
		t.Errorf("read %+v, %v", m, err)
	}
	for _, id := range []string{"", "mail_0", "mail_00000000000000000000"} {
		if _, err := models.MailByID(t.Context(), db.Pool, id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
