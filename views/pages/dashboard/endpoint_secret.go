package dashboard

import (
	"context"
	"time"

	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// WebhookSecretProps is GET /app/webhooks/{id}/segredo, for a member who has just
// proved who they are. Its forms post to …/segredo/trocar (seen) and
// …/segredo/encerrar.
type WebhookSecretProps struct {
	Shell         layouts.Shell
	ID            string
	URL           string
	Secret        string
	Seen          string     // its last characters, so that a form rotates it once
	PreviousUntil *time.Time // until then the secret before signs too
}

// rotateWarning is what a rotation does to receivers: a third secret ends at once.
func (p WebhookSecretProps) rotateWarning(ctx context.Context) string {
	if p.PreviousUntil != nil {
		return i18n.T(ctx, "secret.rotate_warning_again")
	}
	return i18n.T(ctx, "secret.rotate_warning")
}
