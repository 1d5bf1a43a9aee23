package main

import (
	"strings"
	"testing"

	"garoupa/internal/faulttest"
	"garoupa/models/modelstest"
)

// Every command that works on the database ends with one line behind a pooler that shares
// connections between transactions. None hangs.
func TestPooler(t *testing.T) {
	t.Parallel()
	address := faulttest.NewPooler(t, modelstest.NewURL(t), 2)
	for _, args := range [][]string{
		{"serve"}, {"migrate"}, {"check"}, {"demo"}, {"rotate-key"},
		{"simulate", "pay", "chk_00000000000000000000"},
		{"staff", "add", "-email", "ana@example.com", "-name", "Ana", "-role", "REVIEWER"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { // one after the other, for they share two connections
			p := newProgramOver(t, "DATABASE_URL="+address, "GAROUPA_SECRET_KEY="+strings.Repeat("5a", 32))
			r := p.try(args...)
			if r.status != 1 || strings.Count(r.wrong, "\n") != 1 ||
				!strings.Contains(r.wrong, "pooler in transaction") {
				t.Errorf("%d %s", r.status, r.wrong)
			}
		})
	}
}
