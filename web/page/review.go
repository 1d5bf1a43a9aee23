package page

import "time"

// ReviewTerm is how long staff may take for a decision: merchants are told this time, and the
// console marks objects that have waited longer.
const ReviewTerm = 24 * time.Hour
