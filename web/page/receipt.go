package page

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/payments"
	"garoupa/views/i18n"
)

// ReceiptProblem words why a receipt was not mailed; "" for other errors and for none.
func ReceiptProblem(c *fiber.Ctx, err error) string {
	for problem, key := range map[error]string{
		payments.ErrReceiptAddress: "email", payments.ErrReceiptTest: "receipt_test",
		payments.ErrReceiptLimit: "receipt_limit",
	} {
		if errors.Is(err, problem) {
			return i18n.T(c.UserContext(), "problem."+key)
		}
	}
	return ""
}
