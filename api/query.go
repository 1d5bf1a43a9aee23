package api

import (
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
)

// Bounds of limit in lists (contract 4.2).
const (
	defaultLimit = 20
	maxLimit     = 100
)

// query reads the query parameters: only known ones, each once.
func query(c *fiber.Ctx, known ...string) (map[string]string, error) {
	params := map[string]string{}
	var err error
	c.Context().QueryArgs().VisitAll(func(name, value []byte) {
		n := string(name)
		_, twice := params[n]
		switch {
		case err != nil:
		case !slices.Contains(known, n):
			err = refusal.New(refusal.InvalidRequestBody, "Unknown query parameter %.80q. %s", n, suggest("", n, known))
		case twice:
			err = refusal.New(refusal.InvalidRequestBody, "The query parameter %s stands twice.", n)
		}
		params[n] = string(value)
	})
	return params, err
}

// noQuery refuses query parameters on endpoints that have none, as lists refuse unknown ones.
func noQuery(c *fiber.Ctx) error {
	if _, err := query(c); err != nil {
		return err
	}
	return c.Next()
}

// limitOf reads the parameter limit: 1 to 100, by default 20.
func limitOf(params map[string]string) (int, error) {
	raw, given := params["limit"]
	if !given {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < 1 || n > maxLimit || raw[0] == '+' {
		return 0, refusal.New(refusal.InvalidRequestBody, "limit must be an integer from 1 to %d.", maxLimit)
	}
	return n, nil
}

var errCursor = refusal.New(refusal.InvalidRequestBody, "cursor must be the nextCursor of an earlier page.")
