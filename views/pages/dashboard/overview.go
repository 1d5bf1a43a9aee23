package dashboard

import (
	"context"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// Overview is how an environment does.
type Overview struct {
	Today       money.Cents // paid
	TodayBefore money.Cents // a week ago, up to the same hour
	Weekday     int         // of today, Sunday being 0

	// Of the last seven days, and of the seven before.
	Paid, PaidBefore             int
	Conversion, ConversionBefore *int // of a thousand charges, those paid; nil: there were none

	Days []OverviewDay // the last fourteen, oldest first
}

// OverviewDay is one day of the chart.
type OverviewDay struct {
	Day    time.Time
	Paid   int
	Volume money.Cents
	Before money.Cents // fourteen days earlier
}

// total is what was paid on the days of the chart.
func (o Overview) total() money.Cents {
	var sum money.Cents
	for _, day := range o.Days {
		sum += day.Volume
	}
	return sum
}

// cards are the figures at the top. The balance is left out for roles that do not
// look after money.
func (o Overview) cards(ctx context.Context, balance *Balance) []components.StatCardProps {
	today := components.StatCardProps{Label: i18n.T(ctx, "home.today"), Value: i18n.Money(ctx, o.Today)}
	var counts []components.SparkBar
	for _, day := range o.Days {
		today.Spark, counts = append(today.Spark, components.SparkBar{Good: int(day.Volume)}), append(counts,
			components.SparkBar{Good: day.Paid})
	}
	if today.Change = change(ctx, int64(o.Today), int64(o.TodayBefore)); today.Change != "" {
		today.Hint, today.Up = i18n.T(ctx, "home.weekday_"+strconv.Itoa(o.Weekday)), o.Today >= o.TodayBefore
	}
	cards := []components.StatCardProps{today}
	if balance != nil {
		cards = append(cards, components.StatCardProps{
			Label: i18n.T(ctx, "home.available"), Value: i18n.Money(ctx, balance.Available),
			Hint: i18n.T(ctx, "home.pending", i18n.Money(ctx, balance.Pending)), Href: "/app/saldo",
		})
	}
	cards = append(cards, components.StatCardProps{
		Label: i18n.T(ctx, "home.paid"), Value: i18n.Number(ctx, o.Paid), Hint: i18n.T(ctx, "home.last_week"),
		Change: change(ctx, int64(o.Paid), int64(o.PaidBefore)), Up: o.Paid >= o.PaidBefore, Spark: counts,
	})
	conversion := components.StatCardProps{Label: i18n.T(ctx, "home.conversion"), Value: "–",
		Hint: i18n.T(ctx, "home.conversion_hint")}
	if o.Conversion != nil {
		conversion.Value = i18n.Decimal(ctx, tenth(*o.Conversion)) + "%"
		if o.ConversionBefore != nil {
			difference := *o.Conversion - *o.ConversionBefore
			conversion.Up = difference >= 0
			conversion.Change = i18n.T(ctx, "home.points", i18n.Decimal(ctx, tenth(max(difference, -difference))))
		}
	}
	return append(cards, conversion)
}

// change is how much more or less than before, in per cent; "" after nothing.
func change(ctx context.Context, now, before int64) string {
	if before <= 0 {
		return ""
	}
	difference := now - before
	return i18n.Decimal(ctx, tenth(int((max(difference, -difference)*1000+before/2)/before))) + "%"
}

// tenth writes a count of tenths as digits with a point.
func tenth(n int) string { return strconv.Itoa(n/10) + "." + strconv.Itoa(n%10) }

// chart is what was paid by day.
func (o Overview) chart(ctx context.Context) components.BarChartProps {
	chart := components.BarChartProps{
		ID: "volume", Title: i18n.T(ctx, "home.volume"),
		Series: []components.BarSeries{{Name: i18n.T(ctx, "home.volume_day"), Tone: components.ToneOK}},
		Before: i18n.T(ctx, "home.before"), Columns: []string{i18n.T(ctx, "home.paid")},
		Format: func(ctx context.Context, value int) string { return i18n.Money(ctx, money.Cents(value)) },
	}
	last := ""
	for _, day := range o.Days {
		month, begins := i18n.Month(ctx, day.Day), ""
		if month != last {
			last, begins = month, month
		}
		chart.Bars = append(chart.Bars, components.Bar{
			Label: strconv.Itoa(i18n.DayOfMonth(day.Day)), Month: begins, Full: i18n.Date(ctx, day.Day),
			Values: []int{int(day.Volume)}, Before: int(day.Before),
			Extra: []string{i18n.Number(ctx, day.Paid)},
		})
	}
	return chart
}
