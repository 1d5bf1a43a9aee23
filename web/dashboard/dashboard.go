// Package dashboard serves the pages of members, below /app: checkouts, links and products,
// money, keys and webhooks, the team and the settings.
package dashboard

import "garoupa/web/page"

type dashboard struct{ *page.Site }

// developers serves the pages about the integration: keys, endpoints, deliveries, events and
// the API's calls.
type developers struct{ *page.Site }

// treasury serves the pages about the account's money: the balance, withdrawals and
// destinations.
type treasury struct{ *page.Site }
