package account

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewDeviceProps is GET /nao-fui-eu. Fields of its form: token.
type NewDeviceProps struct {
	layouts.AuthProps
	Token  string
	Device string // "Chrome · Windows", "" if unknown
	IP     string
	At     time.Time // when it logged in
}

// LogInRow is a log-in, or attempts that failed.
type LogInRow struct {
	At      time.Time
	Device  string // "Chrome · Windows", "" if unknown
	IP      string
	Way     string // password, code, recovery_code or passkey; "" for several
	Result  string // started, awaits_code, failed, code_failed, proof_failed or many_failed
	Count   string // of the attempts of many_failed
	Entered bool   // the log-in was complete
}

// deviceName returns the device's name, or words for one that is unknown.
func deviceName(ctx context.Context, device string) string {
	return cmp.Or(device, i18n.T(ctx, "security.unknown_device"))
}

// title returns the device, or how many attempts there were.
func (l LogInRow) title(ctx context.Context) string {
	if n, err := strconv.Atoi(l.Count); err == nil {
		return i18n.N(ctx, "security.attempts", n)
	}
	return deviceName(ctx, l.Device)
}

// badge says what came of it.
func (l LogInRow) badge(ctx context.Context) templ.Component {
	props := components.BadgeProps{Tone: components.ToneWarn, Icon: "circle-x",
		Text: i18n.T(ctx, "security.log_in_"+l.Result)}
	if l.Entered {
		props.Tone, props.Icon = components.ToneOK, "check"
	}
	return components.Badge(props)
}
