package i18n

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"garoupa/internal/money"
)

// brasilia is the time zone of every date on a page. Brazil has had no daylight saving time
// since 2019 (decree 9.772), so a fixed offset is right for every date of this gateway.
var brasilia = time.FixedZone("America/Sao_Paulo", -3*60*60)

// nbsp keeps the sign and the number of an amount on one line.
const nbsp = "\u00a0"

// Money formats an amount with its currency: "R$ 1.234,56" in Portuguese, "R$1,234.56" in
// English, preceded by a true minus sign if it is negative.
func Money(ctx context.Context, c money.Cents) string {
	if c < 0 {
		return "\u2212" + Reais(ctx, strings.TrimPrefix(Amount(ctx, c), "-"))
	}
	return Reais(ctx, Amount(ctx, c))
}

// ShortMoney formats an amount that is not negative for the axis of a chart, rounded down above
// ten thousand: "R$ 1.500", "R$ 40 mil", "R$ 1.500 mil", "R$ 20 mi".
func ShortMoney(ctx context.Context, c money.Cents) string {
	const thousand = 100_000
	switch {
	case c < 10*thousand && c%100 != 0:
		return Money(ctx, c)
	case c < 10*thousand:
		return Reais(ctx, Number(ctx, int(c/100)))
	case c < 10*thousand*1000:
		return Reais(ctx, T(ctx, "chart.thousand", Number(ctx, int(c/thousand))))
	}
	return Reais(ctx, T(ctx, "chart.million", Number(ctx, int(c/(thousand*1000)))))
}

// Amount formats an amount as people type it: "1.234,56" in Portuguese, "1,234.56" in
// English, preceded by a hyphen if it is negative.
func Amount(ctx context.Context, c money.Cents) string {
	whole, cents, _ := strings.Cut(c.Decimal(), ".")
	whole, negative := strings.CutPrefix(whole, "-")
	point, sign := ",", ""
	if Of(ctx) == English {
		point = "."
	}
	if negative {
		sign = "-"
	}
	return sign + grouped(ctx, whole) + point + cents
}

// Reais adds the currency to an amount that is formatted already.
func Reais(ctx context.Context, amount string) string {
	if Of(ctx) == English {
		return "R$" + amount
	}
	return "R$" + nbsp + amount
}

// Fee formats the cost of a payment: "0,99% + R$ 0,10", "0.99%", "R$ 0,50", or a word if it
// is zero.
func Fee(ctx context.Context, f money.Fee) string {
	percent := Amount(ctx, money.Cents(f.BasisPoints))
	switch {
	case f == money.Fee{}:
		return T(ctx, "terms.fee_free")
	case f.BasisPoints == 0:
		return Money(ctx, f.Fixed)
	case f.Fixed == 0:
		return T(ctx, "terms.fee_percent", percent)
	}
	return T(ctx, "terms.fee_both", percent, Money(ctx, f.Fixed))
}

// Span formats a duration in the largest unit that divides it: "90 segundos", "24 horas",
// "3 dias". A day is 24 hours.
func Span(ctx context.Context, d time.Duration) string {
	unit, n := "seconds", d/time.Second
	switch day := 24 * time.Hour; {
	case d > day && d%day == 0:
		unit, n = "days", d/day
	case d%time.Hour == 0:
		unit, n = "hours", d/time.Hour
	case d%time.Minute == 0:
		unit, n = "minutes", d/time.Minute
	}
	return N(ctx, "time.span_"+unit, int(n))
}

// Number formats a count: "1.284" in Portuguese, "1,284" in English.
func Number(ctx context.Context, n int) string { return grouped(ctx, strconv.Itoa(n)) }

// grouped separates the thousands of a number without a sign.
func grouped(ctx context.Context, digits string) string {
	separator := "."
	if Of(ctx) == English {
		separator = ","
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// DateTime formats a moment in Brasília time: "20 de nov. de 2026, 21:47" or "Nov 20, 2026,
// 9:47 PM".
func DateTime(ctx context.Context, t time.Time) string {
	return Date(ctx, t) + ", " + Clock(ctx, t)
}

// Instant is DateTime with seconds, for what happens in quick succession: "20 de nov. de 2026,
// 21:47:05".
func Instant(ctx context.Context, t time.Time) string {
	return Date(ctx, t) + ", " + Seconds(ctx, t)
}

// Moment formats a moment unambiguously: in Brasília time, and in UTC.
func Moment(ctx context.Context, t time.Time) string {
	return T(ctx, "time.moment", DateTime(ctx, t), t.UTC().Format("2006-01-02 15:04"))
}

// Date formats the day of a moment in Brasília time: "20 de nov. de 2026" or "Nov 20,
// 2026".
func Date(ctx context.Context, t time.Time) string {
	t = t.In(brasilia)
	if Of(ctx) == English {
		return fmt.Sprintf("%s %d, %d", Month(ctx, t), t.Day(), t.Year())
	}
	return fmt.Sprintf("%d de %s de %d", t.Day(), Month(ctx, t), t.Year())
}

// ShortDay formats the day of a moment in Brasília time for a narrow place: "20/11" or "Nov
// 20".
func ShortDay(ctx context.Context, t time.Time) string {
	t = t.In(brasilia)
	if Of(ctx) == English {
		return Month(ctx, t) + nbsp + strconv.Itoa(t.Day())
	}
	return t.Format("02/01")
}

// DayStart returns the first moment of t's day in Brasília time.
func DayStart(t time.Time) time.Time {
	t = t.In(brasilia)
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, brasilia)
}

// Clock formats the time of day of a moment in Brasília time: "21:47" or "9:47 PM".
func Clock(ctx context.Context, t time.Time) string {
	if Of(ctx) == English {
		return t.In(brasilia).Format("3:04" + nbsp + "PM")
	}
	return t.In(brasilia).Format("15:04")
}

// Hour formats the hour of a moment in Brasília time for a narrow place: "9h" or "9 AM".
func Hour(ctx context.Context, t time.Time) string {
	if Of(ctx) == English {
		return t.In(brasilia).Format("3" + nbsp + "PM")
	}
	return strconv.Itoa(t.In(brasilia).Hour()) + "h"
}

// Relative returns how long before now t was, if less than a day, otherwise the moment, without
// the year if it is now's: "20 de nov., 21:47" or "Nov 20, 9:47 PM".
func Relative(ctx context.Context, t, now time.Time) string {
	switch age := now.Sub(t); {
	case age < time.Minute:
		return T(ctx, "time.now")
	case age < time.Hour:
		return T(ctx, "time.minutes_ago", int(age.Minutes()))
	case age < 24*time.Hour:
		return T(ctx, "time.hours_ago", int(age.Hours()))
	}
	day := t.In(brasilia)
	switch {
	case day.Year() != now.In(brasilia).Year():
		return DateTime(ctx, t)
	case Of(ctx) == English:
		return fmt.Sprintf("%s %d, %s", Month(ctx, day), day.Day(), Clock(ctx, t))
	}
	return fmt.Sprintf("%d de %s, %s", day.Day(), Month(ctx, day), Clock(ctx, t))
}

// Duration formats a short duration: "143 ms", "5,0 s".
func Duration(ctx context.Context, d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d%sms", d.Milliseconds(), nbsp)
	}
	s := fmt.Sprintf("%.1f%ss", d.Seconds(), nbsp)
	if Of(ctx) == Portuguese {
		s = strings.Replace(s, ".", ",", 1)
	}
	return s
}

// ISO formats a moment for the datetime attribute of a time element.
func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Decimal formats an amount of something other than reais, given as digits with a point:
// "1234.5" is "1.234,5" in Portuguese, "1,234.5" in English.
func Decimal(ctx context.Context, digits string) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	if fraction == "" {
		return grouped(ctx, whole)
	}
	if Of(ctx) == English {
		return grouped(ctx, whole) + "." + fraction
	}
	return grouped(ctx, whole) + "," + fraction
}

// Seconds formats the time of day of a moment in Brasília time, with seconds: "21:47:05" or
// "9:47:05 PM".
func Seconds(ctx context.Context, t time.Time) string {
	if Of(ctx) == English {
		return t.In(brasilia).Format("3:04:05" + nbsp + "PM")
	}
	return t.In(brasilia).Format("15:04:05")
}

// Day formats the day of a moment in Brasília time for a date field: "2026-11-20".
func Day(t time.Time) string { return t.In(brasilia).Format(time.DateOnly) }

// Month formats the month of a moment in Brasília time: "nov." or "Nov".
func Month(ctx context.Context, t time.Time) string {
	return T(ctx, "month."+strings.ToLower(t.In(brasilia).Format("Jan")))
}

// MonthOfYear formats the month of a moment in Brasília time: "novembro de 2026" or "November 2026".
func MonthOfYear(ctx context.Context, t time.Time) string {
	name := T(ctx, "month.long_"+strings.ToLower(t.In(brasilia).Format("Jan")))
	return T(ctx, "month.of_year", name, t.In(brasilia).Year())
}

// DayOfMonth returns the day of the month in Brasília time.
func DayOfMonth(t time.Time) int { return t.In(brasilia).Day() }

// ParseDay parses the value of a date field. It returns the moment at which the day begins
// in Brasília.
func ParseDay(text string) (time.Time, error) {
	return time.ParseInLocation(time.DateOnly, text, brasilia)
}

// The forms in which browsers send date-time fields.
const (
	fieldMinute = "2006-01-02T15:04"
	fieldSecond = fieldMinute + ":05"
)

// ParseMoment parses the value of a date-time field, in Brasília time.
func ParseMoment(text string) (time.Time, error) {
	if t, err := time.ParseInLocation(fieldSecond, text, brasilia); err == nil {
		return t, nil
	}
	return time.ParseInLocation(fieldMinute, text, brasilia)
}

// FieldMoment formats a moment for a date-time field, in Brasília time, to the second.
func FieldMoment(t time.Time) string { return t.In(brasilia).Format(fieldSecond) }

// Stamp formats a moment in Brasília time as spreadsheets of the language read it:
// "20/11/2026 21:47:05" or "2026-11-20 21:47:05".
func Stamp(ctx context.Context, t time.Time) string {
	if Of(ctx) == English {
		return t.In(brasilia).Format(time.DateTime)
	}
	return t.In(brasilia).Format("02/01/2006 15:04:05")
}

// Brasilia returns the moment as clocks in Brasília show it.
func Brasilia(t time.Time) time.Time { return t.In(brasilia) }

// Age formats how long something has waited: minutes, then hours up to two days, then days.
func Age(ctx context.Context, since, now time.Time) string {
	switch age := now.Sub(since); {
	case age < time.Minute:
		return T(ctx, "time.now")
	case age < time.Hour:
		return T(ctx, "time.minutes_ago", int(age.Minutes()))
	case age < 48*time.Hour:
		return T(ctx, "time.hours_ago", int(age.Hours()))
	default:
		return T(ctx, "time.days_ago", int(age.Hours()/24))
	}
}
