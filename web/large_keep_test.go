//go:build large

package web_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/api"
	"garoupa/internal/localpg"
	"garoupa/migrations"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// The shops of TestLarge are filled and kept, unless they are there.
func TestLarge_Fill(t *testing.T) {
	openShop(t, 1)
	openShop(t, largeCopies(t))
}

// filledShop is the comment of a database that was filled to the end.
const filledShop = "filled"

// openShop serves a shop with a number of copies of the model, from the database of an earlier run if there is one.
// Migrations that are newer than that are applied to it.
func openShop(t *testing.T, copies int) *largeShop {
	t.Helper()
	name := fmt.Sprintf("large_%d", copies*modelCharges)
	address, kept := createUnlessFilled(t, name)
	db, err := models.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := migrations.Up(t.Context(), db.Pool); err != nil {
		t.Fatal(err)
	}
	if _, err := models.MakeTables(t.Context(), db.Pool, time.Now()); err != nil {
		t.Fatal(err)
	}
	s := &largeShop{Site: webtest.Serve(t, paymentstest.NewOn(t, db), func(*web.Options) {}, func(*api.Options) {})}
	if !kept {
		fillShop(t, s, copies)
		if _, err := db.Background.Exec(t.Context(), "COMMENT ON DATABASE "+name+" IS '"+filledShop+"'"); err != nil {
			t.Fatal(err)
		}
	}
	var last time.Time // the earlier run's
	err = db.Pool.QueryRow(t.Context(), `SELECT created_at FROM checkouts WHERE project_id = $1 AND NOT livemode
		ORDER BY created_at DESC LIMIT 1`, s.Test.ProjectID).Scan(&last)
	if err != nil {
		t.Fatal(err)
	}
	if since := last.Sub(s.Clock.Now()); since > 0 {
		s.Clock.Advance(since + time.Hour)
	}
	return s
}

// createUnlessFilled makes a database, unless there is a filled one. It returns its address.
func createUnlessFilled(t *testing.T, name string) (address string, kept bool) {
	t.Helper()
	server, err := localpg.ForTests()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	err = conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_database
		WHERE datname = $1 AND shobj_description(oid, 'pg_database') = $2)`, name, filledShop).Scan(&kept)
	if err == nil && !kept {
		_, err = conn.Exec(t.Context(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	if err == nil && !kept {
		_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	}
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String(), kept
}
