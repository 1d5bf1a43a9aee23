package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"garoupa/internal/mail"
	"garoupa/models"
)

const (
	// mailsAtOnce limits the connections of one process to the SMTP server.
	mailsAtOnce = 4
	// mailTimeout limits a job that sends a mail. SMTP servers can be slow.
	mailTimeout = 25 * time.Second
	// mailStale is the age at which a mail is no longer sent, for example because no SMTP
	// server was configured before.
	mailStale = 3 * 24 * time.Hour
)

// sendMailArgs names the mail to send. models.InsertMails writes the rows, in the
// transaction of the change that the mail reports.
type sendMailArgs struct {
	MailID string `json:"mailId"`
}

// Kind implements river.JobArgs.
func (sendMailArgs) Kind() string { return models.JobSendMail }

// sendMail hands one mail to the SMTP server. River waits between attempts.
type sendMail struct {
	river.WorkerDefaults[sendMailArgs]
	Options
}

// Timeout implements river.Worker.
func (*sendMail) Timeout(*river.Job[sendMailArgs]) time.Duration { return mailTimeout }

// Work sends the mail, unless it was sent before or its notice has been turned off. If the
// process crashes before the mail is recorded as sent, it is sent again with the same
// Message-ID, by which mail programs recognize it.
func (w *sendMail) Work(ctx context.Context, job *river.Job[sendMailArgs]) error {
	m, err := models.MailByID(ctx, w.DB.Pool, job.Args.MailID)
	if errors.Is(err, models.ErrNotFound) {
		return nil // deleted while it waited
	} else if err != nil {
		return fmt.Errorf("jobs: read mail: %w", err)
	}
	now := w.Now()
	if m.SentAt != nil || now.Sub(m.CreatedAt) > mailStale {
		return nil
	}
	if dropped, err := models.DropUnwantedMail(ctx, w.DB.Pool, m); err != nil {
		return fmt.Errorf("jobs: look whether a mail is wanted: %w", err)
	} else if dropped {
		return nil
	}
	done := context.WithoutCancel(ctx)
	if err = w.Mail.Send(ctx, m); err == nil {
		return models.RecordMailSent(done, w.DB.Pool, m.ID, now)
	}
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return river.JobSnooze(0) // the process is stopping
	}
	failed, told := errors.AsType[*mail.Failure](err)
	last := job.Attempt >= job.MaxAttempts || told && failed.Permanent
	slog.WarnContext(ctx, "a mail was not sent", "mail", m.ID, "kind", m.Kind, "attempt", job.Attempt, "final",
		last, "err", err)
	if err := models.RecordMailFailed(done, w.DB.Pool, m.ID, err.Error()); err != nil {
		return fmt.Errorf("jobs: record mail: %w", err)
	}
	if told && failed.Permanent {
		return river.JobCancel(err)
	}
	return err
}
