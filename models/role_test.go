package models_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"garoupa/models"
)

// A permission without a capability could be given to no key, and one with the wrong
// capability would show money to developers.
func TestRole_KeyRights(t *testing.T) {
	t.Parallel()
	money := []models.Permission{"BALANCE:READ", "WITHDRAWAL:CREATE", "WITHDRAWAL:READ"}
	for _, p := range models.Permissions {
		if !slices.Contains(models.RoleOwner.KeyRights(), p) {
			t.Errorf("the owner may not give %s", p)
		}
		if slices.Contains(models.RoleDeveloper.KeyRights(), p) == slices.Contains(money, p) {
			t.Errorf("KeyRights of a developer is wrong about %s", p)
		}
	}
}

// An unknown role, and the empty role of a person outside of the account, can do nothing.
func TestRole_Strangers(t *testing.T) {
	t.Parallel()
	for _, role := range []models.Role{"", "owner", "REVIEWER"} {
		for _, c := range []models.Capability{
			models.See, models.Sell, models.Integrate, models.MoveMoney, models.Administer, models.Own, "",
		} {
			if role.Can(c) || len(role.KeyRights()) > 0 {
				t.Errorf("role %q can %q", role, c)
			}
		}
	}
	for _, role := range []models.StaffRole{"", "OWNER"} {
		if role.Can(models.Review) || role.Can(models.ManageStaff) || role.Can("") {
			t.Errorf("staff role %q has a capability", role)
		}
	}
}

// The rules have the same table of capabilities, with its rows in the same order
// (docs/rules.md, "Roles").
func TestRole_Rules(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join("..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	const head = "| What | OWNER | ADMIN | DEVELOPER | FINANCE | VIEWER |\n|---|---|---|---|---|---|\n"
	_, table, found := strings.Cut(string(rules), head)
	if !found {
		t.Fatal("the rules have no table of roles")
	}
	rows := strings.Split(table, "\n")
	for i, c := range []models.Capability{
		models.See, models.Sell, models.Integrate, models.MoveMoney, models.Administer, models.Own,
	} {
		cells := strings.Split(rows[i], "|")
		for j, role := range []models.Role{"OWNER", "ADMIN", "DEVELOPER", "FINANCE", "VIEWER"} {
			if may := strings.TrimSpace(cells[j+2]) == "yes"; may != role.Can(c) {
				t.Errorf("%s, %s: the rules say %t", c, role, may)
			}
		}
	}
}

var roleList = regexp.MustCompile(`\[\](models\.)?(Staff)?Role\{`)

// Lists of roles elsewhere would be a second table, which could differ from the first.
func TestRole_OneTable(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{
		"../models/role.go":      "the table",
		"../merchants/team.go":   "the roles that a member may be given",
		"../cmd/garoupa/demo.go": "one member of each role, for the demonstration",
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == "node_modules" { // a link in some checkouts
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if allowed[path] == "" && roleList.Match(source) {
			t.Errorf("%s lists roles: use Role.Can", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
