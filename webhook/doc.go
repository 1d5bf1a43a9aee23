// Package webhook signs an event and posts it once to a merchant's endpoint. It keeps no
// state: the caller decides when and how often to try, and what is recorded.
//
// The URL comes from a merchant, so the package does not trust it. [CheckURL] returns a reason
// that a form can show, and makes no look-up. [Client] makes the decisive check: it checks the
// address of each connection after name resolution, so a name that resolves differently later
// is refused too. Redirects are not followed, proxy variables are ignored, and little of the
// answer is read.
package webhook
