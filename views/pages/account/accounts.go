package account

import "garoupa/views/layouts"

// AccountsProps is GET /app/contas. Fields: account.
type AccountsProps struct {
	layouts.Shell
	Accounts []AccountRow
}

// AccountRow is an account that the person is a member of.
type AccountRow struct {
	ID, Name, Role string
	Current        bool
}
