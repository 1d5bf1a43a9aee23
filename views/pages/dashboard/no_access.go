package dashboard

import (
	"context"

	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// noAccessTitle names the page without access.
func noAccessTitle(ctx context.Context, p NoAccessProps) string {
	switch {
	case p.Section == "":
		return i18n.T(ctx, "error.forbidden_title")
	case p.Open:
		return i18n.T(ctx, "noaccess.act", i18n.T(ctx, "nav."+p.Section))
	}
	return i18n.T(ctx, "noaccess.section", i18n.T(ctx, "nav."+p.Section))
}

func notFoundTitle(ctx context.Context, p NotFoundProps) string {
	if p.Charge {
		return i18n.T(ctx, "error.charge_title")
	}
	return i18n.T(ctx, "error.not_found_title")
}

// otherEnvironment is the environment that the visitor does not look at, as forms name it.
func otherEnvironment(s layouts.Shell) string {
	if s.Live {
		return "test"
	}
	return "live"
}
