package dashboard

import (
	"context"
	"strconv"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// SettingsBuyerPath is the page of the data of a buyer.
const SettingsBuyerPath = "/app/configuracoes/comprador"

// SettingsBuyerProps is GET and POST /app/configuracoes/comprador. Field: buyer; the form that removes has confirm,
// too.
type SettingsBuyerProps struct {
	layouts.Shell
	Text    string // as typed
	Found   bool   // it was searched for
	Charges int    // that hold the buyer's data
	Kept    int    // of them, those whose data are still needed
	Errors  components.FieldErrors
}

// removable is the number of charges from which the buyer can be removed.
func (p SettingsBuyerProps) removable() int { return p.Charges - p.Kept }

func (p SettingsBuyerProps) confirmHint(ctx context.Context) string {
	return i18n.T(ctx, "settings.buyer_confirm_hint", strconv.Itoa(p.removable()))
}
