// Package bacen is the client of banks that speak BACEN's API Pix, version 2: HTTPS with a client
// certificate, OAuth 2 client credentials (RFC 6749, section 4.4) and JSON. How one bank departs
// from the standard is data, a Profile.
//
// Answers are read leniently, because banks write the same thing in different ways; requests are
// written strictly. An answer is believed only if it speaks of what was asked for, and a code only
// if it can be paid.
//
// A write whose answer was lost is never simply repeated: the client first reads whether the
// write was done. Payouts and defenses are not repeated at all.
package bacen
