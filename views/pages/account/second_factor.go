package account

import (
	"context"
	"net/url"
	"strings"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// CodeProps is GET and POST /2fa. Fields: code, next.
type CodeProps struct {
	layouts.AuthProps
	Next     string
	ByCode   bool // the person has a code generator
	ByKey    bool // the person has a passkey
	Recovery bool // asks for a recovery code in place of the generator's
	Errors   components.FieldErrors
}

// TOTPProps is GET and POST /2fa/ativar. Fields: code, next.
type TOTPProps struct {
	layouts.AuthProps
	Next   string
	Secret string // 32 characters, for who cannot scan
	URL    string // "otpauth://…", which opens the app of who reads this on the phone
	QR     components.QRProps
	Need   base.Need // why the person must; the page offers each of the two ways
	ByKey  bool      // a passkey would do as well
	Errors components.FieldErrors
}

// passkeyPath is the page that makes a passkey in place of a generator.
func passkeyPath(need base.Need, next string) string {
	path := "/2fa/passkey?next=" + url.QueryEscape(next)
	if need == base.NeedLive || need == base.NeedAccount {
		path += "&need=" + string(need)
	}
	return path
}

// wayBack is where people go who do not want a second factor; "" if they cannot go on without.
func wayBack(need base.Need, next string) string {
	switch need {
	case base.NeedNone:
		return next
	case base.NeedLive:
		return "/app" // next leads back here
	default:
		return ""
	}
}

// spelled is the secret in groups of four, which are easier to type.
func (p TOTPProps) spelled() string {
	var groups []string
	for i := 0; i < len(p.Secret); i += 4 {
		groups = append(groups, p.Secret[i:min(i+4, len(p.Secret))])
	}
	return strings.Join(groups, " ")
}

// RecoveryCodesProps shows new recovery codes, this once.
type RecoveryCodesProps struct {
	layouts.AuthProps
	Codes []string
	Next  string
	Cause RecoveryCause
}

// RecoveryCause is why there are new recovery codes.
type RecoveryCause int

const (
	RecoveryRenewed  RecoveryCause = iota // the person wanted others
	RecoveryEnrolled                      // a code generator was set up
	RecoveryPasskey                       // a first passkey was added beside a password
	RecoveryPassword                      // a first password was created beside a passkey
)

// done says what was set up.
func (p RecoveryCodesProps) done(ctx context.Context) string {
	switch p.Cause {
	case RecoveryPasskey:
		return i18n.T(ctx, "recovery.passkey")
	case RecoveryPassword:
		return i18n.T(ctx, "recovery.password")
	default:
		return i18n.T(ctx, "recovery.enrolled")
	}
}

// keep says where to keep the codes, and that others are worth nothing now.
func (p RecoveryCodesProps) keep(ctx context.Context) string {
	if p.Cause != RecoveryRenewed {
		return i18n.T(ctx, "recovery.keep")
	}
	return i18n.T(ctx, "recovery.keep") + " " + i18n.T(ctx, "recovery.before")
}
