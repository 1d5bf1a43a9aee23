// Package webhook signs an event and posts it once to a merchant's endpoint. It
// keeps no state: when to try, how often, and what is recorded is the caller's.
//
// The URL comes from a merchant, so the package treats it as hostile. [CheckURL]
// words a refusal for the form in which the URL is typed; it looks nothing up.
// What counts is checked by [Client] on the address of every single connection,
// after name resolution, so a name that answers differently later gains nothing.
// Redirects are not followed, no proxy is taken from the environment, and little
// of the answer is read.
package webhook
