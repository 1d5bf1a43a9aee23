package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/internal/localpg"
)

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	url, err := localpg.ForTests()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func pointers(values ...string) (list []*string) {
	for _, v := range values {
		list = append(list, &v)
	}
	return list
}

func TestParseLog(t *testing.T) {
	t.Parallel()
	const log = "2026-11-21 04:14:47.123 UTC [7] LOG:  statement: begin\n" +
		"2026-11-21 04:14:47.124 UTC [8] LOG:  execute stmtcache_1: SELECT 1\n" +
		"2026-11-21 04:14:47.125 UTC [7] LOG:  execute stmtcache_2: SELECT $1,\n\t\t$2\n\tFROM t\n" +
		"2026-11-21 04:14:47.125 UTC [7] DETAIL:  parameters: $1 = 'it''s, $2 = ''x''', $2 = NULL, $3 = " +
		"'two\n\tlines'\n" +
		"2026-11-21 04:14:47.126 UTC [7] LOG:  unexpected EOF on client connection\n"
	got, err := parseLog(log)
	if err != nil {
		t.Fatal(err)
	}
	values := pointers("it's, $2 = 'x'", "", "two\nlines")
	values[1] = nil
	want := []statement{{sql: "SELECT 1"}, {sql: "SELECT $1,\n\t$2\nFROM t", values: values}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("parseLog (-want +got):\n%s", diff)
	}
	if !got[1].mentions([]string{"nobody", "two\nlin"}) || got[1].mentions([]string{"three"}) ||
		got[0].mentions([]string{""}) {
		t.Error("mentions is wrong")
	}
}

// A statement belongs to a request by an id that only a later statement shows.
func TestConcerning(t *testing.T) {
	t.Parallel()
	const checkout, txID = "chk_00000000000000000001", "0123456789abcdef0123456789abcdef"
	all := []statement{
		{sql: "SELECT of the sweeps", values: pointers("2026-01-01 00:00:00+00")},
		{sql: "SELECT of the lock", values: pointers(txID)},
		{sql: "INSERT of the payment", values: pointers(checkout, txID)},
	}
	got, err := concerning(all, []string{checkout})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[1:], got, cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("concerning (-want +got):\n%s", diff)
	}
}

func TestParseValues_Unreadable(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"$2 = 'a'", "$1 = 'a", "$1 = a", "$1 = 'a' $2 = 'b'x"} {
		if got, err := parseValues(list); err == nil {
			t.Errorf("parseValues(%s) = %d values", list, len(got))
		}
	}
}

func TestCreationScript(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a", 20)
	values := pointers("2026-11-21 04:32:07.223+00", "chk_"+hex[:20], "evt_"+hex[:24], hex[:32], "bench-"+hex[:16],
		"order-"+hex[:16],
		"Vaso Lua Nova", "2026-11-22 04:32:07.223+00", "", "124990", `{"a": "b"}`)
	values[8] = nil
	create := statement{sql: "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $7::text, $11", values: values}
	s, err := creationScript(&recording{create: create})
	if err != nil {
		t.Fatal(err)
	}
	want := script{
		files: []file{{choose: `\set r random(1, 9223372036854775807)`,
			statements: []string{"SELECT (now() + interval '0 seconds'), " +
				"('chk_' || lpad(to_hex(:r::bigint), 20, '0')), ('evt_' || lpad(to_hex(:r::bigint), 24, '0')), ('' " +
				"|| lpad(to_hex(:r::bigint), 32, '0')), " +
				"('bench-' || lpad(to_hex(:r::bigint), 16, '0')), ('order-' || lpad(to_hex(:r::bigint), 16, '0')), " +
				":v0_0_7, (now() + interval '86400 seconds'), NULL, :v0_0_10, :v0_0_7::text, :v0_0_11"}}},
		variables: []string{"v0_0_7=Vaso Lua Nova", "v0_0_10=124990", `v0_0_11={"a": "b"}`},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(script{}, file{})); diff != "" {
		t.Errorf("creationScript (-want +got):\n%s", diff)
	}
	if text := s.files[0].text(); !strings.HasPrefix(text, s.files[0].choose+"\nSELECT (now()") ||
		!strings.HasSuffix(text, ":v0_0_11;\n") {
		t.Errorf("the file is %s", text)
	}
	if _, err := creationScript(&recording{create: statement{sql: "SELECT 1"}}); err == nil {
		t.Error("a creation without a time was accepted")
	}
}

// A confirmation is one transaction with all statements of the product, about a checkout
// that no other client has.
func TestConfirmationScript(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a", 20)
	look := statement{sql: "SELECT $1", values: pointers("chk_" + hex[:20])}
	write := statement{sql: "INSERT $1, $2, $3, $4, $5, $6, $7, $8",
		values: pointers("pay_"+hex[:20], "payment/pay_"+hex[:20],
			"E99999999202611210432abcDEF12345", hex[:32], "evt_"+hex[:24], "2026-11-21 04:32:07.223+00",
			"acc_1/live/pending", "")}
	s, err := confirmationScript(&recording{confirm: []statement{look, write}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "\\set n :first + :k * :clients + :client_id\n\\set k :k + 1\n\\startpipeline\nBEGIN;\n" +
		"SELECT ('chk_' || left(md5(:n::integer::text), 20));\n" +
		"INSERT ('pay_' || left(md5('payment' || :n::text), 20)), ('payment/pay_' || left(md5('payment' || " +
		":n::text), 20)), " +
		"('E99999999202601010000' || lpad(:n::text, 11, '0')), md5(:n::integer::text), ('evt_' || left(md5('event' " +
		"|| :n::text), 24)), " +
		"(now() + interval '0 seconds'), :v0_1_7, '';\nCOMMIT;\n\\endpipeline\n"
	if diff := cmp.Diff(want, s.files[0].text()); diff != "" {
		t.Errorf("confirmationScript (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"k=0", "v0_1_7=acc_1/live/pending", "first=5"}, s.from(5).variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}
