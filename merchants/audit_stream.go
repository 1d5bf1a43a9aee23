package merchants

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"garoupa/internal/auditlog"
	"garoupa/models"
)

const (
	// streamSealsEvery is how long new lines wait for a seal while the log is streamed.
	streamSealsEvery = time.Minute
	// sendWithin limits the handing over of one seal, and is shorter than the lease.
	sendWithin  = 45 * time.Second
	streamLease = time.Minute
	// The pause after a failure is as long as the failing has lasted, within these bounds.
	streamPauseLeast = time.Second
	streamPauseMost  = time.Minute
)

// StreamAudit hands the lines of the audit log of all accounts to a receiver, seal by seal, and returns when it has
// all sealed ones. A job runs it about every second. Several processes may run it at the same time: one of them
// streams. Each line comes in its order and at least once: what was sent before the process died is sent again.
//
// Lines become visible in another order than that of their ids. A seal covers all lines up to its last one, so what
// is sealed can be sent in order and nothing can appear before it. While the log is streamed, it is sealed every
// minute.
//
// A failure of the receiver is no error: it is logged once and stored, and a pause follows it.
func (s *Service) StreamAudit(ctx context.Context, to auditlog.Receiver) error {
	if err := s.sealForStream(ctx); err != nil {
		return fmt.Errorf("merchants: stream the audit log: %w", err)
	}
	holder := rand.Text()
	stream, err := models.LeaseAuditStream(ctx, s.DB.Background, holder, s.now(), s.now().Add(streamLease))
	if err != nil {
		return fmt.Errorf("merchants: stream the audit log: %w", err)
	}
	if stream == nil {
		return nil
	}
	err = s.streamSeals(ctx, holder, stream, to)
	if err != nil {
		err = fmt.Errorf("merchants: stream the audit log: %w", err)
	}
	return err
}

func (s *Service) sealForStream(ctx context.Context) error {
	due, err := models.AuditSealDue(ctx, s.DB.Pool, s.now().Add(-streamSealsEvery))
	if err != nil || !due {
		return err
	}
	if err := s.sealAudit(ctx); !errors.Is(err, models.ErrUndecided) {
		return err
	}
	return nil // what is sealed already can be sent
}

// streamSeals sends what follows the stream's seal, and releases the lease, if no pause follows.
func (s *Service) streamSeals(ctx context.Context, holder string, stream *models.AuditStream,
	to auditlog.Receiver) (err error) {
	for {
		seal, previous, lines, err := models.AuditSealAfter(ctx, s.DB.Background, stream.Seal)
		if err == nil && seal == nil {
			return models.ReleaseAuditStream(ctx, s.DB.Pool, holder, s.now())
		}
		if err != nil {
			return errors.Join(err, s.releaseStream(ctx, holder))
		}
		encoded, err := streamed(seal, previous, lines)
		if err != nil {
			return errors.Join(err, s.releaseStream(ctx, holder))
		}
		if err := sendSeal(ctx, to, encoded); err != nil {
			if ctx.Err() != nil { // the process stops
				return s.releaseStream(ctx, holder)
			}
			return s.streamFailed(ctx, holder, stream, err)
		}
		if stream.FailingSince != nil {
			slog.InfoContext(ctx, "the receiver of the audit log takes lines again", "seal", seal.Number)
		}
		stream.Seal, stream.FailingSince = seal.Number, nil
		saved, err := models.SaveAuditStream(ctx, s.DB.Pool, holder, seal.Number, s.now(), s.now().Add(streamLease))
		if err != nil || !saved {
			return err
		}
	}
}

func sendSeal(ctx context.Context, to auditlog.Receiver, lines [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return to.Send(ctx, lines)
}

func (s *Service) releaseStream(ctx context.Context, holder string) error {
	return models.ReleaseAuditStream(context.WithoutCancel(ctx), s.DB.Pool, holder, s.now())
}

func (s *Service) streamFailed(ctx context.Context, holder string, stream *models.AuditStream, failure error) error {
	now, pause := s.now(), streamPauseLeast
	if stream.FailingSince == nil {
		slog.WarnContext(ctx, "the receiver of the audit log fails; see docs/operations.md", "error", failure)
	} else {
		pause = min(max(now.Sub(*stream.FailingSince), streamPauseLeast), streamPauseMost)
	}
	return models.FailAuditStream(ctx, s.DB.Pool, holder, failure.Error(), now, now.Add(pause))
}

// streamed returns the lines of a seal in the form for a receiver.
func streamed(seal *models.AuditSeal, previous []byte, lines []models.SealedAuditLine) (encoded [][]byte, err error) {
	if previous == nil {
		previous = make([]byte, sha256.Size)
	}
	over := auditlog.Seal{Number: seal.Number, Lines: seal.Count(), Previous: hex.EncodeToString(previous),
		Hash: hex.EncodeToString(seal.Hash)}
	for _, l := range lines {
		line := auditlog.Line{
			ID: strconv.FormatInt(l.ID, 10), At: auditlog.FormatTime(l.At), Actor: l.Actor, ActorRole: l.ActorRole,
			AccountID: l.AccountID, Type: l.Action, ObjectID: l.ObjectID, Detail: l.Detail, Before: l.Before,
			After: l.After, IP: l.IP, RequestID: l.RequestID, SHA256: hex.EncodeToString(l.Sealed), Seal: over,
		}
		text, err := line.Encode()
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, text)
	}
	return encoded, nil
}
