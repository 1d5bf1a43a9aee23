package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"garoupa/fault"
)

func TestOf(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=hunter2")
	conflict := fault.New(fault.IdempotencyConflict, "Key %q was used before.", "a").Because(secret)

	got := fault.Of(fmt.Errorf("create checkout: %w", conflict))
	if got.Code != fault.IdempotencyConflict || got.Message != `Key "a" was used before.` {
		t.Errorf("Of(wrapped) = %+v", got)
	}
	if strings.Contains(got.Message, "hunter2") || !strings.Contains(got.Error(), "hunter2") || !errors.Is(got, secret) {
		t.Error("the cause belongs to the log, and there alone")
	}

	unknown := fault.Of(secret)
	if unknown.Code != fault.Internal || strings.Contains(unknown.Message, "hunter2") {
		t.Errorf("Of(unknown) = %+v", unknown)
	}
}
