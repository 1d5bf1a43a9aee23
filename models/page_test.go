package models_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"garoupa/models"
)

func TestReadPage(t *testing.T) {
	t.Parallel()
	const size = 3
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		exist, rows int
		next        string
	}{{0, 0, ""}, {1, 1, ""}, {size - 1, size - 1, ""}, {size, size, ""}, {size + 1, size, "c"},
		{size + 5, size, "c"}} {
		var all []models.Product
		for i := range tc.exist {
			all = append(all,
				models.Product{ID: string(rune('a' + i)), CreatedAt: start.Add(-time.Duration(i) * time.Second)})
		}
		page, err := models.ReadPage(size, func(limit int) ([]models.Product, error) {
			return all[:min(limit, len(all))], nil
		})
		if err != nil || !slices.Equal(page.Rows, all[:tc.rows]) {
			t.Errorf("of %d: %v, %v", tc.exist, page.Rows, err)
		}
		if tc.next == "" && page.Next != nil {
			t.Errorf("of %d: the next page begins after %v", tc.exist, *page.Next)
		} else if want := (models.Position{CreatedAt: start.Add(-2 * time.Second), ID: tc.next}); tc.next != "" &&
			(page.Next == nil || *page.Next != want) {
			t.Errorf("of %d: the next page begins after %v, want %v", tc.exist, page.Next, want)
		}
	}
	wrong := errors.New("no rows today")
	page, err := models.ReadPage(size, func(int) ([]models.Product, error) { return nil, wrong })
	if !errors.Is(err, wrong) || page.Next != nil {
		t.Errorf("%v, %v", page, err)
	}
}

func TestPosition_Number(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int64{"": 0, "x": 0, "-1": 0, "7": 7, "9223372036854775807": 1<<63 - 1,
		"9223372036854775808": 0} {
		if got := (&models.Position{ID: id}).Number(); got != want {
			t.Errorf("%q: %d, want %d", id, got, want)
		}
	}
	if got := (*models.Position)(nil).Number(); got != 0 {
		t.Errorf("without a position: %d", got)
	}
}
