package pages

import (
	"context"

	"garoupa/views/i18n"
)

// RoleName returns the name of a role of members.
func RoleName(ctx context.Context, role string) string { return i18n.T(ctx, "role."+role) }
