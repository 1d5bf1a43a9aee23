package models

// Actor is the person or API key that does something, and the source of the request.
// Operations write it to the audit log, and check inside their transaction that it may do what
// it requests.
type Actor struct {
	UserID    string // "" for an API key
	KeyID     string // "" for a person
	AccountID string // the account in which a member acts; staff act on the account of the object
	IP        string
	RequestID string // of the HTTP request
}

// ID returns the actor's id for the audit log: the user's or the API key's.
func (a Actor) ID() string {
	if a.KeyID != "" {
		return a.KeyID
	}
	return a.UserID
}
