package merchants

import "strings"

// toText removes what PostgreSQL's text cannot hold.
func toText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
}
