package models_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
)

// Ids have the forms of contract 2.1 and of docs/rules.md, "Ids", and never repeat.
func TestIDs(t *testing.T) {
	t.Parallel()
	for shape, id := range map[string]func() string{
		`^acc_[0-9a-f]{20}$`: models.NewAccountID, `^prj_[0-9a-f]{20}$`: models.NewProjectID,
		`^usr_[0-9a-f]{20}$`: models.NewUserID,
		`^key_[0-9a-f]{20}$`: models.NewAPIKeyID, `^chk_[0-9a-f]{20}$`: models.NewCheckoutID,
		`^pay_[0-9a-f]{20}$`: models.NewPaymentID,
		`^we_[0-9a-f]{20}$`:  models.NewEndpointID, `^evt_[0-9a-f]{24}$`: models.NewEventID,
		`^prod_[0-9a-f]{20}$`: models.NewProductID,
	} {
		seen := map[string]bool{}
		for range 1000 {
			made := id()
			if seen[made] || !regexp.MustCompile(shape).MatchString(made) {
				t.Errorf("%q does not match %s, or is repeated", made, shape)
			}
			seen[made] = true
		}
	}
}

// Ids that many indexes hold begin with the time of their making, so that new ones lie together, and the ids of one
// moment still differ in 64 random bits (docs/decisions/0092).
func TestIDs_Ordered(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func() string{
		"checkout": models.NewCheckoutID, "payment": models.NewPaymentID, "refund": models.NewRefundID,
		"withdrawal": models.NewWithdrawalID,
	} {
		before := time.Now()
		made := id()
		hours := []string{hourDigits(before), hourDigits(time.Now())}
		_, digits, _ := strings.Cut(made, "_")
		if !slices.Contains(hours, digits[:4]) || len(digits) != 4+64/4 {
			t.Errorf("%s has the id %s, whose hour is not among %v", name, made, hours)
		}
	}
	if got := models.HourOf("chk_9cd40123456789abcdef"); got != "9cd4" {
		t.Errorf("the hour of a checkout is %q", got)
	}
	for _, other := range []string{"", "chk_", "pay_9cd40123456789abcdef", "chk_9CD40123456789abcdef"} {
		if got := models.HourOf(other); got != "" {
			t.Errorf("%q has the hour %q", other, got)
		}
	}
}

// hourDigits returns the hours since 1970, the last four digits of the hexadecimal number.
func hourDigits(at time.Time) string {
	return fmt.Sprintf("%04x", at.Unix()/3600%65536)
}
