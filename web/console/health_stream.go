package console

import (
	"context"
	"time"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
)

// streamLate is how long a line of the audit log waits at most while its receiver takes lines.
const streamLate = 5 * time.Minute

// streamHealth returns how far the receiver of the audit log is behind.
func (s *console) streamHealth(ctx context.Context, now time.Time) (pages.HealthPart, error) {
	stream, waiting, err := models.AuditStreamLag(ctx, s.DB.Pool)
	if err != nil {
		return pages.HealthPart{}, err
	}
	part := waitingHealth(ctx, "stream", waiting, now, streamLate)
	if stream.SentAt != nil {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, "ops.health_sent"),
			Value: i18n.DateTime(ctx, *stream.SentAt)})
	}
	if stream.FailingSince != nil {
		part.Facts = append(part.Facts,
			components.KeyValue{Key: i18n.T(ctx, "ops.health_failing"),
				Value: i18n.DateTime(ctx, *stream.FailingSince)},
			components.KeyValue{Key: i18n.T(ctx, "ops.health_failure"), Value: stream.Failure, Mono: true})
	}
	return part, nil
}
