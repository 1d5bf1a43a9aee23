package models_test

import (
	"encoding/json"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// words are the environments with their words and their JSON.
var words = map[models.Environment][2]string{
	models.Test: {"test", "false"},
	models.Live: {"live", "true"},
}

func TestEnvironment_Words(t *testing.T) {
	t.Parallel()
	for e, want := range words {
		if got := e.String(); got != want[0] || models.ParseEnvironment(got) != e {
			t.Errorf("%q, read as %s; want %q", got, models.ParseEnvironment(got), want[0])
		}
		if e.Other() == e || e.Other().Other() != e {
			t.Errorf("the other environment of %s is %s", e, e.Other())
		}
	}
	for _, word := range []string{"", "Live", "live ", "true"} {
		if e := models.ParseEnvironment(word); e != models.Test {
			t.Errorf("%q is read as %s", word, e)
		}
	}
}

func TestEnvironment_JSON(t *testing.T) {
	t.Parallel()
	for e, want := range words {
		text, err := json.Marshal(e)
		if err != nil || string(text) != want[1] {
			t.Errorf("%s is %s, %v; want %s", e, text, err, want[1])
		}
		read := e.Other()
		if err := json.Unmarshal(text, &read); err != nil || read != e {
			t.Errorf("%s is read as %s, %v", text, read, err)
		}
	}
}

// Both ways to the database store an environment as a boolean, and the boolean is the same
// environment when it is read.
func TestEnvironment_Stored(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	modelstest.Exec(t, db, "CREATE TABLE notes (livemode boolean NOT NULL)")
	type note struct {
		Environment models.Environment `gorm:"column:livemode"`
	}
	ways := map[string]func(models.Environment) error{
		"pgx": func(e models.Environment) error {
			_, err := db.Pool.Exec(t.Context(), "INSERT INTO notes VALUES ($1)", e)
			return err
		},
		"GORM": func(e models.Environment) error { return db.Create(&note{e}).Error },
	}
	for name, write := range ways {
		for e, want := range words {
			modelstest.Exec(t, db, "DELETE FROM notes")
			if err := write(e); err != nil {
				t.Fatalf("%s: write %s: %v", name, e, err)
			}
			var stored string
			byPGX, byGORM := e.Other(), note{e.Other()}
			err := db.Pool.QueryRow(t.Context(), "SELECT livemode, livemode::text FROM notes WHERE livemode = $1", e).
				Scan(&byPGX, &stored)
			if err != nil || byPGX != e || stored != want[1] {
				t.Errorf("%s wrote %s; stored as %s and read by pgx as %s, %v", name, e, stored, byPGX, err)
			}
			if err := db.Where("livemode = ?", e).Take(&byGORM).Error; err != nil || byGORM.Environment != e {
				t.Errorf("%s wrote %s; read by GORM as %s, %v", name, e, byGORM.Environment, err)
			}
		}
	}
}
