package refusal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"garoupa/internal/refusal"
)

func TestOf(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=hunter2")
	conflict := refusal.New(refusal.IdempotencyConflict, "Key %q was used before.", "a").Because(secret)

	got := refusal.Of(fmt.Errorf("create checkout: %w", conflict))
	if got.Code != refusal.IdempotencyConflict || got.Message != `Key "a" was used before.` {
		t.Errorf("Of(wrapped) = %+v", got)
	}
	if strings.Contains(got.Message, "hunter2") || !strings.Contains(got.Error(), "hunter2") ||
		!errors.Is(got, secret) {
		t.Error("the cause is not only in the log")
	}

	unknown := refusal.Of(secret)
	if unknown.Code != refusal.Internal || strings.Contains(unknown.Message, "hunter2") {
		t.Errorf("Of(unknown) = %+v", unknown)
	}
}
