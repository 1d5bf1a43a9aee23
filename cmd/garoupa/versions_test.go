package main

import (
	"bufio"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// A program that is older than the schema neither serves nor writes, with any command, and
// says which program to start. If the schema allows it, the program works.
func TestTooNew(t *testing.T) {
	t.Parallel()
	url := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+url)
	p.demo()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99001, true)")
	for _, args := range [][]string{
		{"serve"}, {"migrate"}, {"demo"}, {"simulate", "pay", "chk_00000000000000000000"}, {"rotate-key"},
		{"staff", "add", "-email", "a@example.com", "-name", "Ana", "-role", "REVIEWER"},
	} {
		r := p.try(args...)
		if r.status != 1 || strings.Count(r.wrong, "\n") != 1 || !strings.Contains(r.wrong, "newer than this program") {
			t.Errorf("garoupa %s: %d %s%s", strings.Join(args, " "), r.status, r.out, r.wrong)
		}
	}
	if r := p.try("check"); r.status != 1 || !strings.Contains(r.out, "schema     newer than this program") ||
		strings.Contains(r.out, "books") {
		t.Errorf("check: %d %s%s", r.status, r.out, r.wrong)
	}

	exec("INSERT INTO schema_compatibility (version, needs, reason) VALUES (99001, 42, 'adds a table')")
	server := p.serve()
	if r := p.try("check"); r.status != 0 || !strings.Contains(r.out, "schema     ok, and newer than this program") {
		t.Errorf("beside a compatible migration, check: %d %s%s", r.status, r.out, r.wrong)
	}
	p.stop(server, syscall.SIGINT)
}

// A serving process ends cleanly when a newer program has changed the schema so that it
// must not work with it any more.
func TestServe_BecomesTooOld(t *testing.T) {
	t.Parallel()
	url := modelstest.NewURL(t)
	server := newProgramOver(t, "DATABASE_URL="+url).serve()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99001, true)"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-server.ended:
		if err == nil || server.ProcessState.ExitCode() != 1 ||
			!strings.Contains(server.log.String(), "newer than this program") {
			t.Errorf("it ended with %v\n%s", err, server.log)
		}
	case <-time.After(patience):
		t.Error("the process continues to serve")
	}
}

// A start that waits for another process's migration logs which process that is, and
// continues when it has ended. Each start logs its version and schema.
func TestServe_WaitsForMigration(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["application_name"] = "the-other"
	holder, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(t.Context())
	// migrating takes the lock that every version of the program takes.
	const migrating = "SELECT pg_advisory_lock(x'6761726f757061'::bigint)"
	if _, err := holder.Exec(t.Context(), migrating); err != nil {
		t.Fatal(err)
	}
	p := newProgramOver(t, "DATABASE_URL="+url, "GAROUPA_LOG_LEVEL=info")
	command := p.command("serve")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	said := map[string]map[string]any{}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		message := line["msg"].(string)
		said[message] = line
		if message == "waiting for another process to migrate the database" {
			if err := holder.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if message == "starting" {
			break
		}
	}
	waited := said["waiting for another process to migrate the database"]
	if waited["holderApplication"] != "the-other" {
		t.Errorf("it said %v", said)
	}
	if started := said["starting"]; started["schema"] != float64(migrations.Newest()) || started["version"] == "" {
		t.Errorf("it said %v", said)
	}
}
