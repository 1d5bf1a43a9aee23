package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	values := pointers("{chk_1,b}", `{"it\"s \\\\x","a,b"}`, "{NULL,NULL}", "{not one of them}")
	got, err := statement{"SELECT a FROM unnest($2::text[],\n\t$1::text[], $3::bytea[]) AS t (a, b, c) WHERE $4 = " +
		"ANY($1)", values}.plain()
	if err != nil {
		t.Fatal(err)
	}
	wantValues := pointers("chk_1", `it"s \\x`, "", "{not one of them}", "a,b", "b", "")
	wantValues[2], wantValues[6] = nil, nil
	want := statement{"SELECT a FROM (VALUES ($2::text,\n\t$1::text, $3::bytea), ($5::text,\n\t$6::text, $7::bytea)) " +
		"AS t (a, b, c) WHERE $4 = ANY($1)", wantValues}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("plain (-want +got):\n%s", diff)
	}
	without := statement{"SELECT $1", pointers("{x}")}
	if got, err := without.plain(); err != nil || cmp.Diff(without, got, cmp.AllowUnexported(statement{})) != "" {
		t.Errorf("plain of a statement without arrays = %v, %v", got, err)
	}
	for _, bad := range []string{"", "{", "}", "{}", "a", `{"a}`, `{"a"b}`, `{"a\"}`, `{"a\}`, "{{a}}",
		"{a,}", "{,a}"} {
		if got, err := (statement{"FROM unnest($1::text[])", pointers(bad)}).plain(); err == nil {
			t.Errorf("plain of %q = %q", bad, *got.values[0])
		}
	}
	for _, values := range [][]*string{nil, {nil}} {
		if _, err := (statement{"FROM unnest($1::text[])", values}).plain(); err == nil {
			t.Errorf("plain of %d values", len(values))
		}
	}
	if _, err := (statement{"FROM unnest($1::text[], $2::text[])", pointers("{a,b}", "{a}")}).plain(); err == nil {
		t.Error("arrays of two lengths were taken for rows")
	}
}
