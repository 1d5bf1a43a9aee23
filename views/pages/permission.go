package pages

import (
	"context"
	"strings"

	"garoupa/views/i18n"
)

// PermissionName returns a permission in words.
func PermissionName(ctx context.Context, permission string) string {
	return i18n.T(ctx, "permission."+strings.ReplaceAll(permission, ":", "_"))
}
