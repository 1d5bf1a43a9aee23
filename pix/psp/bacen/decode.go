package bacen

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// The types below read what banks write in several ways. All accept null as absent.

// unreadable is the error of a value that should be what it names.
type unreadable string

func (u unreadable) Error() string { return "is not " + string(u) }

// text is a string. Numbers and truth values are read as they are written.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(t))
	case 'n', '{', '[':
		*t = ""
	default:
		*t = text(b)
	}
	return nil
}

// integer is a whole number, with quotes or without.
type integer int64

func (n *integer) UnmarshalJSON(b []byte) error {
	var t text
	if err := t.UnmarshalJSON(b); err != nil || t == "" {
		return err
	}
	whole, zeros, _ := strings.Cut(string(t), ".")
	value, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(zeros, "0") != "" {
		return unreadable("a whole number")
	}
	*n = integer(value)
	return nil
}

// amount is money in centavos, written in reais: "37.00", but also 37, 37.5 and "37".
type amount int64

func (a *amount) UnmarshalJSON(b []byte) error {
	var t text
	if err := t.UnmarshalJSON(b); err != nil || t == "" {
		return err
	}
	reais, cents, _ := strings.Cut(string(t), ".")
	if cents = strings.TrimRight(cents, "0"); len(cents) > 2 || len(reais) > 12 || reais == "" {
		return unreadable("an amount in reais")
	}
	digits := reais + (cents + "00")[:2]
	if strings.Trim(digits, "0123456789") != "" {
		return unreadable("an amount in reais")
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	*a = amount(value)
	return err
}

// moment is a time. Without a zone it is that of Brasília.
type moment time.Time

// brasilia has had no summer time since 2019.
var brasilia = time.FixedZone("BRT", -3*60*60)

func (m *moment) UnmarshalJSON(b []byte) error {
	var t text
	if err := t.UnmarshalJSON(b); err != nil || t == "" {
		return err
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
		"2006-01-02 15:04:05", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, string(t), brasilia); err == nil {
			*m = moment(at)
			return nil
		}
	}
	return unreadable("a time")
}

// time returns m in UTC, or the zero time.
func (m moment) time() time.Time {
	if time.Time(m).IsZero() {
		return time.Time{}
	}
	return time.Time(m).UTC()
}

// list is a list. One object is read as a list of it.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		var one T
		err := json.Unmarshal(b, &one)
		*l = list[T]{one}
		return err
	}
	return json.Unmarshal(b, (*[]T)(l))
}

// decode reads an answer. Its error has kind Protocol and does not quote the answer.
func decode[T any](body []byte) (T, error) {
	var v T
	err := json.Unmarshal(body, &v)
	var (
		wrongType  *json.UnmarshalTypeError
		wrongValue unreadable
	)
	switch {
	case err == nil:
		return v, nil
	case errors.As(err, &wrongType):
		return v, protocol("the answer has another shape at " + wrongType.Field)
	case errors.As(err, &wrongValue):
		return v, protocol("a value in the answer " + wrongValue.Error())
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return v, protocol("the answer is HTML")
	}
	return v, protocol("the answer is not the JSON of API Pix")
}
