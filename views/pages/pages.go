// Package pages holds what the pages of several rooms show: errors, the step-up, forms that
// were held up, brands, the audit log. The pages are in the packages below it, one for each
// room of web: hosted, account, dashboard, console and docs.
//
// A page is a function of its props, which contain what it shows, already decided: no page
// queries anything or depends on a database, a session or the web framework. Forms post to
// plain addresses and are answered by 303, or by the same page with what was typed and its
// errors. Passwords and secrets are never shown again.
package pages
