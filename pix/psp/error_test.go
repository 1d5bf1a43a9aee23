package psp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"garoupa/pix/psp"
)

// A creation answers 503 for every error of a bank, whatever its kind.
func TestError_Unavailable(t *testing.T) {
	t.Parallel()
	for kind, refused := range map[psp.Kind]bool{
		psp.Invalid: true, psp.Unauthorized: false, psp.Forbidden: true, psp.NotFound: false, psp.Conflict: true,
		psp.Limited: false, psp.Unavailable: false, psp.Ambiguous: false, psp.Protocol: true,
	} {
		var err error = &psp.Error{Kind: kind, Op: "put charge", Err: context.DeadlineExceeded}
		if !errors.Is(err, psp.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", kind, err)
		}
		says := strings.Contains(err.Error(), "the institution refused")
		if says != refused || kind.Refused() != refused {
			t.Errorf("%s: %q", kind, err)
		}
	}
}

func TestError_Text(t *testing.T) {
	t.Parallel()
	err := &psp.Error{Kind: psp.Invalid, Op: "put charge", Status: 400, Type: "CobOperacaoInvalida",
		Detail: "Cobrança inválida.", Violations: []psp.Violation{{Property: "cob.chave", Reason: "secret"}}}
	const want = "bank: put charge: invalid, the institution refused (400 CobOperacaoInvalida): " +
		"Cobrança inválida.; cob.chave"
	if err.Error() != want {
		t.Errorf("got %q", err)
	}
}
