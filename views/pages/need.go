package pages

// Need is why a person must have a second factor.
type Need string

const (
	NeedNone    Need = ""        // the person need not
	NeedStaff   Need = "staff"   // is of staff
	NeedLive    Need = "live"    // wants to move money
	NeedAccount Need = "account" // the owner of the account requires it
)
