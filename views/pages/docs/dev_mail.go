package docs

import (
	"time"

	"garoupa/views/layouts"
)

// DevMailsProps is GET /dev/mail: the mails of an installation that sends none.
type DevMailsProps struct {
	layouts.AuthProps
	Mails []DevMailRow
	Now   time.Time
}

// DevMailRow is one mail of the list.
type DevMailRow struct {
	ID, Subject, To string
	At              time.Time
}

// DevMailProps is GET /dev/mail/:id. The HTML is fetched by a frame from …/html.
type DevMailProps struct {
	layouts.AuthProps
	ID, Subject, To string
	At              time.Time
	Text            string
	Link            string // where the mail's button leads; "" for a mail without one
}
