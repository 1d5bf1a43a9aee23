package dashboard

import (
	"context"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// The parts of a period that a chart shows.
const (
	UnitHour  = "hour"
	UnitDay   = "day"
	UnitMonth = "month"
)

// Overview is how an environment does in a period, and did in the one before.
type Overview struct {
	Now, Before Figures
	Versus      string      // key of what Before is, in the catalog's home
	Refunded    money.Cents // in the period
	Unit        string      // of the slots
	Slots       []OverviewSlot
}

// Figures sum up a period.
type Figures struct {
	Volume     money.Cents
	Paid       int
	Average    money.Cents // of the paid; 0 if there are none
	Conversion *int        // of a thousand charges created and ended, those paid; nil: there are none
}

// average writes the average of what was paid, "–" if nothing was.
func (f Figures) average(ctx context.Context) string {
	if f.Paid == 0 {
		return "–"
	}
	return i18n.Money(ctx, f.Average)
}

// conversion writes the conversion in per cent, "–" if there is none.
func (f Figures) conversion(ctx context.Context) string {
	if f.Conversion == nil {
		return "–"
	}
	return i18n.Decimal(ctx, tenth(*f.Conversion)) + "%"
}

// OverviewSlot is an hour, a day or a month of the chart.
type OverviewSlot struct {
	Start  time.Time
	Paid   int
	Volume money.Cents
	Before money.Cents // in the period before
}

// sparked is the most slots for which a card has room.
const sparked = 14

// cards are the figures at the top. The balance is left out for roles that do not
// look after money.
func (o Overview) cards(ctx context.Context, balance *Balance) []components.StatCardProps {
	versus := i18n.T(ctx, "home."+o.Versus)
	card := func(label, value string, now, before int64) components.StatCardProps {
		card := components.StatCardProps{Label: i18n.T(ctx, label), Value: value, Change: change(ctx, now, before),
			Up: now >= before}
		if card.Change != "" {
			card.Hint = versus
		}
		return card
	}
	now, before := o.Now, o.Before
	cards := []components.StatCardProps{
		card("home.volume", i18n.Money(ctx, now.Volume), int64(now.Volume), int64(before.Volume)),
		card("home.paid", i18n.Number(ctx, now.Paid), int64(now.Paid), int64(before.Paid)),
		card("home.average", now.average(ctx), int64(now.Average), int64(before.Average)),
	}
	if len(o.Slots) <= sparked {
		for _, slot := range o.Slots {
			cards[0].Spark = append(cards[0].Spark, components.SparkBar{Good: int(slot.Volume)})
			cards[1].Spark = append(cards[1].Spark, components.SparkBar{Good: slot.Paid})
		}
	}
	if now.Paid == 0 {
		cards[2].Change, cards[2].Hint = "", ""
	}
	conversion := components.StatCardProps{Label: i18n.T(ctx, "home.conversion"), Value: now.conversion(ctx),
		Hint: i18n.T(ctx, "home.conversion_hint")}
	if now.Conversion != nil && before.Conversion != nil {
		difference := *now.Conversion - *before.Conversion
		conversion.Up = difference >= 0
		conversion.Change = i18n.T(ctx, "home.points", i18n.Decimal(ctx, tenth(max(difference, -difference))))
	}
	cards = append(cards, conversion, components.StatCardProps{Label: i18n.T(ctx, "home.refunded"),
		Value: i18n.Money(ctx, o.Refunded), Hint: i18n.T(ctx, "home.refunded_hint")})
	if balance != nil {
		cards = append(cards, components.StatCardProps{
			Label: i18n.T(ctx, "home.available"), Value: i18n.Money(ctx, balance.Available),
			Hint: i18n.T(ctx, "home.pending", i18n.Money(ctx, balance.Pending)), Href: "/app/saldo",
		})
	}
	return cards
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

// chart is what was paid by hour, day or month.
func (o Overview) chart(ctx context.Context) components.BarChartProps {
	chart := components.BarChartProps{
		ID: "volume", Title: i18n.T(ctx, "home.volume"), Moment: i18n.T(ctx, "chart."+o.Unit),
		Series: []components.BarSeries{{Name: i18n.T(ctx, "home.volume_slot"), Tone: components.ToneOK}},
		Before: i18n.T(ctx, "home.before"), Columns: []string{i18n.T(ctx, "home.paid")},
		Format: func(ctx context.Context, value int) string { return i18n.Money(ctx, money.Cents(value)) },
		Axis:   func(ctx context.Context, value int) string { return i18n.ShortMoney(ctx, money.Cents(value)) },
	}
	last := ""
	for _, slot := range o.Slots {
		bar := components.Bar{Values: []int{int(slot.Volume)}, Before: int(slot.Before),
			Extra: []string{i18n.Number(ctx, slot.Paid)}}
		switch month := i18n.Month(ctx, slot.Start); o.Unit {
		case UnitHour:
			bar.Label, bar.Full = i18n.Hour(ctx, slot.Start), i18n.Clock(ctx, slot.Start)
		case UnitDay:
			bar.Label, bar.Full = strconv.Itoa(i18n.DayOfMonth(slot.Start)), i18n.Date(ctx, slot.Start)
			if month != last {
				last, bar.Month = month, month
			}
		default:
			bar.Label, bar.Full = month, month+" "+i18n.Day(slot.Start)[:4]
		}
		chart.Bars = append(chart.Bars, bar)
	}
	return chart
}
