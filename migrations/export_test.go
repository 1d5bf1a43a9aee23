package migrations

import (
	"context"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
)

// UpTo is Up as a program whose newest migration has a number.
func UpTo(ctx context.Context, pool *pgxpool.Pool, number int64) error {
	alone, err := lock(ctx, pool)
	if err != nil {
		return err
	}
	defer alone.Close()
	older := fstest.MapFS{}
	for _, name := range names() {
		if version, err := goose.NumericComponent(name); err != nil || version > number {
			continue
		}
		older[name] = &fstest.MapFile{Data: []byte(text(name))}
	}
	return apply(ctx, alone, older)
}
