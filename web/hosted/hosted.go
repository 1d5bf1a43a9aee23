// Package hosted serves what buyers see: the hosted checkout, payment links, the help, and
// the pictures and colors of the merchant's brand. Buyers never log in.
package hosted

import "garoupa/web/page"

type hosted struct{ *page.Site }
