package page

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// Flash stores a message for the next page: a key of the catalogs, under "flash".
func (s *Site) Flash(c *fiber.Ctx, key string) error {
	sess := s.Session(c)
	sess.Values[sessionFlash] = key
	return s.Save(c, sess)
}

// refusals are the messages about something that could not be done.
var refusals = []string{
	"access_changed",
	"checkout_just_paid",
	"checkout_not_pending",
	"destination_not_removed",
	"endpoint_not_subscribed", "resends_wait",
	"endpoint_off",
	"invite_too_soon",
	"key_made", "key_over", "key_rolled_before",
	"ops_changed",
	"ops_reason_missing",
	"owner_stays",
	"provider_unavailable",
	"sales_stopped",
	"secret_changed",
	"webhook_made",
	"withdrawal_not_in_review",
}

// conditions are the messages about something that must be done first.
var conditions = []string{"log_in_first", "verify_first"}

// TakeFlash returns and removes the message that Flash stored. An open page that reads itself again leaves the
// message to the page that the person opened.
func (s *Site) TakeFlash(c *fiber.Ctx) (*components.FlashProps, error) {
	if byItself(c) {
		return nil, nil
	}
	sess := s.Session(c)
	key, _ := sess.Values[sessionFlash].(string)
	if key == "" {
		return nil, nil
	}
	delete(sess.Values, sessionFlash)
	if err := s.Save(c, sess); err != nil {
		return nil, err
	}
	tone := components.ToneOK
	switch {
	case slices.Contains(refusals, key):
		tone = components.ToneBad
	case slices.Contains(conditions, key):
		tone = components.ToneInfo
	}
	return &components.FlashProps{Tone: tone, Text: i18n.T(c.UserContext(), "flash."+key)}, nil
}
