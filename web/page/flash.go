package page

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// flashKey is the value that the cookie of a message holds.
const flashKey = "flash"

func (s *Site) flashCookie() string { return CookieName(s.AppURL, "/", "garoupa_flash") }

// Flash stores a message for the next page: a key of the catalogs, under "flash".
func (s *Site) Flash(c *fiber.Ctx, key string) error {
	return s.keepSealed(c, s.flashCookie(), flashKey, key)
}

// refusals are the messages about something that could not be done.
var refusals = []string{
	"access_changed",
	"checkout_just_paid",
	"checkout_not_pending",
	"company_decided",
	"destination_not_removed",
	"endpoint_not_subscribed", "resends_wait",
	"endpoint_off",
	"invite_too_soon", "invites_wait",
	"key_made", "key_over", "key_rolled_before",
	"ops_changed",
	"owner_stays",
	"provider_only_way",
	"provider_unavailable",
	"replayed_before",
	"sales_stopped",
	"secret_changed",
	"sheet_too_long",
	"verified_before",
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
	key, _ := s.cookie(c, s.flashCookie()).Values[flashKey].(string)
	if key == "" {
		return nil, nil
	}
	if err := s.keepSealed(c, s.flashCookie(), flashKey, ""); err != nil {
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
