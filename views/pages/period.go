package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// ReplayPeriods are what a replay may reach back, as ?since= has them.
var ReplayPeriods = []string{"1h", "24h", "3d", "7d", "30d"}

// ReplayOptions are the options of a field that chooses one of ReplayPeriods.
func ReplayOptions(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, period := range ReplayPeriods {
		options = append(options, components.SelectOption{Value: period, Label: i18n.T(ctx, "replay.period_"+period)})
	}
	return options
}
