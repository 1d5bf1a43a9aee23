package models

import "context"

// AwaitBankCharges waits until every statement has ended that was writing charges at banks. A charge that is written
// afterwards is at an account that was active after the call began: PostgreSQL locks the table before a statement
// reads which account is active. No charge is written meanwhile, so the wait is short: after two seconds it fails,
// and Unavailable reports true.
func AwaitBankCharges(ctx context.Context, db *DB) error {
	return db.InTx(ctx, func(tx *Tx) error {
		if err := tx.exec("SET LOCAL lock_timeout = '2s'"); err != nil {
			return err
		}
		return tx.exec("LOCK TABLE bank_charges IN SHARE MODE")
	})
}
