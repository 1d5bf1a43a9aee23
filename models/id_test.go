package models_test

import (
	"regexp"
	"testing"

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
