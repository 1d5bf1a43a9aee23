package dashboard

import (
	"context"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// AnalyticsProps is GET /app/analises?period= or ?from=&until=, what a shop sells, where and when.
type AnalyticsProps struct {
	Shell    layouts.Shell
	Filter   FiguresFilter
	Errors   components.FieldErrors
	Volume   money.Cents  // of everything that was paid, by links or not
	Products LinksFigures // sold by links
	Links    LinksFigures
	NoLinks  bool      // the figures of links could not be read
	Hours    []Figures // of the day, 24 from midnight in Brasília
	Weekdays []Figures // 7 from Sunday
}

func (p AnalyticsProps) products(ctx context.Context) []components.Measure {
	return p.Products.measures(ctx, p.Volume)
}

func (p AnalyticsProps) links(ctx context.Context) []components.Measure {
	return p.Links.measures(ctx, p.Volume)
}

func (p AnalyticsProps) hours(ctx context.Context) components.BarChartProps {
	midnight := i18n.DayStart(p.Shell.Now)
	return figuresChart(ctx, "hours", "hour", p.Hours, func(i int) (label, full string) {
		at := midnight.Add(time.Duration(i) * time.Hour)
		return i18n.Hour(ctx, at), i18n.Clock(ctx, at)
	})
}

func (p AnalyticsProps) weekdays(ctx context.Context) components.BarChartProps {
	return figuresChart(ctx, "weekdays", "weekday", p.Weekdays, func(i int) (label, full string) {
		name := i18n.T(ctx, "analytics.weekday_"+strconv.Itoa(i))
		return i18n.T(ctx, "analytics.weekday_short_"+strconv.Itoa(i)), name
	})
}

// figuresChart shows what was paid, with the other figures in its table.
func figuresChart(ctx context.Context, id, moment string, figures []Figures,
	named func(i int) (label, full string)) components.BarChartProps {
	chart := components.BarChartProps{
		ID: id, Title: i18n.T(ctx, "analytics."+id), Moment: i18n.T(ctx, "chart."+moment),
		Series:  []components.BarSeries{{Name: i18n.T(ctx, "home.volume_slot"), Tone: components.ToneOK}},
		Columns: []string{i18n.T(ctx, "home.paid"), i18n.T(ctx, "home.average"), i18n.T(ctx, "home.conversion")},
		Format:  func(ctx context.Context, value int) string { return i18n.Money(ctx, money.Cents(value)) },
		Axis:    func(ctx context.Context, value int) string { return i18n.ShortMoney(ctx, money.Cents(value)) },
	}
	for i, f := range figures {
		bar := components.Bar{Values: []int{int(f.Volume)},
			Extra: []string{i18n.Number(ctx, f.Paid), f.average(ctx), f.conversion(ctx)}}
		bar.Label, bar.Full = named(i)
		chart.Bars = append(chart.Bars, bar)
	}
	return chart
}
