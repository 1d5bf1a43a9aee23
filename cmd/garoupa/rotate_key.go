package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"garoupa/internal/auth/vault"
	"garoupa/models"
)

// resealAtOnce bounds the values that one transaction reseals.
const resealAtOnce = 500

// errLeft makes the command fail after it has printed what it could not do.
var errLeft = errors.New("rotate-key: not all is sealed with the new key; see above. Keep " +
	"GAROUPA_SECRET_KEY_PREVIOUS, and run it again")

// rotateKey reseals with GAROUPA_SECRET_KEY everything that was sealed with
// GAROUPA_SECRET_KEY_PREVIOUS. Servers that have both settings keep running meanwhile. The
// command may be stopped at any time and run again: finished work stays. Its last step
// replaces the key that the database requires from programs that start.
func rotateKey(ctx context.Context, in invocation) error {
	if _, err := in.parse(); err != nil {
		return err
	}
	if err := requireKey(in.settings); err != nil {
		return fmt.Errorf("rotate-key: %w", err)
	}
	db, err := openMigrated(ctx, in.settings, false)
	if err != nil {
		return err
	}
	defer db.Close()
	v, err := openVault(in.settings)
	if err != nil {
		return err
	}
	if v, err = checkKey(ctx, db.DB, v); err != nil {
		return err
	}
	r := &rotation{db: db.DB, vault: v, out: in.out}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("rotate-key: %w", err)
	}
	if r.left {
		return errLeft
	}
	fmt.Fprintln(in.out, "All is sealed with GAROUPA_SECRET_KEY. Remove GAROUPA_SECRET_KEY_PREVIOUS and restart.")
	return nil
}

// passes bounds the passes over the columns. The second pass finds what a transaction read
// before the first pass and wrote after it. If the third pass finds something, a process
// still seals with another key.
const passes = 3

// rotation is one run of the command.
type rotation struct {
	db    *models.DB
	vault *vault.Vault
	out   io.Writer
	left  bool // some value is still sealed with another key
}

func (r *rotation) run(ctx context.Context) error {
	for pass := 1; pass <= passes; pass++ {
		found := 0
		for _, column := range models.SealedColumns {
			n, err := r.reseal(ctx, column, pass == 1)
			if err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
			if pass == 1 || n > 0 {
				fmt.Fprintf(r.out, "%-36s%d resealed\n", column, n)
			}
			found += n
		}
		if found == 0 {
			break
		}
		if pass == passes {
			r.left = true
			fmt.Fprintln(r.out, "A process still seals with another key. Give all processes the new one first.")
		}
	}
	if r.left {
		return nil
	}
	sealed := r.vault.SealRoot()
	stored, err := models.KeyCheck(ctx, r.db.Pool, sealed)
	if err != nil {
		return err
	}
	replaced, err := models.ReplaceKeyCheck(ctx, r.db.Pool, stored, sealed)
	if err == nil && !replaced {
		err = errors.New("another rotate-key has just ended; run it again")
	}
	return err
}

// reseal makes one pass over a column and returns the number of values that it resealed. It
// skips a value that neither key opens, and prints it if tell is set.
func (r *rotation) reseal(ctx context.Context, column models.Sealed, tell bool) (resealed int, err error) {
	after := ""
	for {
		values, err := column.OtherKeys(ctx, r.db.Pool, r.vault.KeyID(), after, resealAtOnce)
		if err != nil || len(values) == 0 {
			return resealed, err
		}
		after = values[len(values)-1].ID
		opened := values[:0]
		for _, value := range values {
			if value.New, err = r.vault.Reseal(column.Place(value.ID), value.Old); err == nil {
				opened = append(opened, value)
				continue
			}
			r.left = true
			if tell {
				fmt.Fprintf(r.out, "%-36s%s opens with neither key\n", column, value.ID)
			}
		}
		if err := r.db.InTx(ctx, func(tx *models.Tx) error { return column.ReplaceSealed(tx, opened) }); err != nil {
			return resealed, err
		}
		resealed += len(opened)
	}
}
