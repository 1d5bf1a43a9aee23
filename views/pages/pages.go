// Package pages holds the pages themselves. A page is a function of its props,
// which hold what is shown, already decided: no page asks for anything, and none
// of them knows a database, a session or the web framework.
//
// Forms post to plain addresses and are answered by 303, or by the same page
// with what was typed and what is wrong with it. Passwords and secrets are never
// shown again.
package pages
