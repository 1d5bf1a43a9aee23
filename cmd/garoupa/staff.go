package main

import (
	"context"
	"fmt"

	"garoupa/merchants"
	"garoupa/models"
)

// staff adds a member of staff.
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
	person := merchants.NewStaff{Name: *name, Email: *email, Password: demoPassword(), Role: models.StaffRole(*role)}
	if _, err := services.merchants.AddStaff(ctx, person); err != nil {
		return fmt.Errorf("staff add: %w", err)
	}
	fmt.Fprintf(in.out, "Added %s as %s. First password: %s\n", person.Email, person.Role, person.Password)
	return nil
}
