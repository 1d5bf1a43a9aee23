package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a rate from a setting: "50/s", "300/m" or "5/h", with the burst after a comma,
// "50/s,100". Without a comma the burst is the rate's number of tokens.
func Parse(text string) (Rate, error) {
	refused := fmt.Errorf("%q is not a rate such as 50/s,100 or 300/m or 5/h", text)
	rate, burst, hasBurst := strings.Cut(text, ",")
	count, unit, ok := strings.Cut(rate, "/")
	if !ok {
		return Rate{}, refused
	}
	var r Rate
	var err error
	if r.Tokens, err = strconv.Atoi(count); err != nil || r.Tokens < 1 {
		return Rate{}, refused
	}
	switch unit {
	case "s":
		r.Per = time.Second
	case "m":
		r.Per = time.Minute
	case "h":
		r.Per = time.Hour
	default:
		return Rate{}, refused
	}
	r.Burst = r.Tokens
	if hasBurst {
		if r.Burst, err = strconv.Atoi(burst); err != nil || r.Burst < 1 {
			return Rate{}, refused
		}
	}
	return r, nil
}
