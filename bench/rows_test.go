package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSingle(t *testing.T) {
	t.Parallel()
	values := pointers("{chk_1}", `{"it\"s \\\\x"}`, "{NULL}", "{not one of them}")
	got, err := statement{"SELECT a FROM unnest($2::text[],\n\t$1::text[], $3::bytea[]) AS t (a, b, c) WHERE $4 = ANY($1)", values}.single()
	if err != nil {
		t.Fatal(err)
	}
	wantValues := pointers("chk_1", `it"s \\x`, "", "{not one of them}")
	wantValues[2] = nil
	want := statement{"SELECT a FROM (VALUES ($2::text,\n\t$1::text, $3::bytea)) AS t (a, b, c) WHERE $4 = ANY($1)", wantValues}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("single (-want +got):\n%s", diff)
	}
	plain := statement{"SELECT $1", pointers("{x}")}
	if got, err := plain.single(); err != nil || cmp.Diff(plain, got, cmp.AllowUnexported(statement{})) != "" {
		t.Errorf("single of a statement without arrays = %v, %v", got, err)
	}
	for _, bad := range []string{"", "{", "}", "{}", "{a,b}", "a", `{"a}`, `{"a","b"}`, `{"a\"}`, `{"a\}`, "{{a}}"} {
		if got, err := (statement{"FROM unnest($1::text[])", pointers(bad)}).single(); err == nil {
			t.Errorf("single of %q = %q", bad, *got.values[0])
		}
	}
	for _, values := range [][]*string{nil, {nil}} {
		if _, err := (statement{"FROM unnest($1::text[])", values}).single(); err == nil {
			t.Errorf("single of %d values", len(values))
		}
	}
}
