package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"garoupa/internal/auditlog"
)

// errForged makes the command fail after it has printed what is wrong.
var errForged = errors.New("audit verify: the lines do not agree with their seals; see above")

// audit verifies files with streamed lines of the audit log. It needs no database.
func audit(_ context.Context, in invocation) error {
	if len(in.args) < 2 || in.args[0] != "verify" || asksHelp(in.args) {
		fmt.Fprintln(in.flags.Output(), "usage: garoupa audit verify <file>...\n\n"+
			"Verifies lines that GAROUPA_AUDIT_STREAM wrote: the files of one installation, in any order.\n"+
			"Compare the sha256 that it prints with another copy, such as the process's log.")
		if asksHelp(in.args) {
			return nil
		}
		return errUsage
	}
	var v auditlog.Verifier
	for _, name := range in.args[1:] {
		if err := readLines(&v, name); err != nil {
			return fmt.Errorf("audit verify: %w", err)
		}
	}
	if v.Unreadable > 0 {
		fmt.Fprintf(in.out, "not whole, and without effect: %d lines\n", v.Unreadable)
	}
	flaws := v.Flaws()
	for _, flaw := range flaws {
		fmt.Fprintln(in.out, flaw)
	}
	lines, first, last, hash := v.Summary()
	if len(flaws) > 0 {
		return errForged
	}
	if lines == 0 {
		return errors.New("audit verify: there are no lines")
	}
	fmt.Fprintf(in.out, "ok: %d lines, seals %d to %d, sha256 of the last %s\n", lines, first, last, hash)
	return nil
}

// readLines reads a file, or standard input for "-".
func readLines(v *auditlog.Verifier, name string) error {
	if name == "-" {
		return v.Read(os.Stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return v.Read(file)
}
