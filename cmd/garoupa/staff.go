package main

import (
	"context"
	"fmt"
	"net/url"

	"garoupa/merchants"
	"garoupa/models"
)

// staff adds a member of staff, and prints a link with which the person chooses the password.
func staff(ctx context.Context, in invocation) error {
	email := in.flags.String("email", "", "the person's `email`, with which they log in")
	name := in.flags.String("name", "", "the person's `name`")
	role := in.flags.String("role", string(models.StaffReviewer), "REVIEWER or SUPERVISOR")
	if len(in.args) == 0 || in.args[0] != "add" {
		fmt.Fprintln(in.flags.Output(),
			"usage: garoupa staff add -email <email> -name <name> [-role REVIEWER|SUPERVISOR]")
		in.flags.PrintDefaults()
		if asksHelp(in.args) {
			return nil
		}
		return errUsage
	}
	in.args = in.args[1:]
	if _, err := in.parse(); err != nil {
		return err
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	person := merchants.NewStaff{Name: *name, Email: *email, Role: models.StaffRole(*role)}
	link, err := services.merchants.InviteStaff(ctx, person)
	if err != nil {
		return fmt.Errorf("staff add: %w", err)
	}
	fmt.Fprintf(in.out, "Added %s as %s. Within 72 hours, and once, the password is chosen at\n"+
		"%s/redefinir-senha?token=%s\n", person.Email, person.Role, in.settings.AppURL, url.QueryEscape(link))
	return nil
}
