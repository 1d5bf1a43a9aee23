package page

import (
	"net/url"
	"strings"
)

// Local returns path if it stays on this site, otherwise fallback: a path from a form or an
// address must not redirect to another site.
func Local(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n") {
		return fallback
	}
	return path
}
