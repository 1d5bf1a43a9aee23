package docs

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// GalleryPath is where the gallery is, in development.
const GalleryPath = "/dev/components"

// GalleryProps is GET /dev/components: the parts that pages are made of, each in all
// its states.
type GalleryProps struct {
	layouts.AuthProps
	Now time.Time
	QR  components.QRProps
}

var galleryTones = []components.Tone{components.ToneNeutral, components.ToneOK, components.ToneWarn, components.ToneBad,
	components.ToneInfo}

var galleryThings = []string{
	components.Checkout, components.Delivery, components.Settlement, components.Withdrawal, components.Destination,
	components.Exception,
	components.Access, components.Key, components.Endpoint, components.Product, components.Link,
}

// galleryErrors are what is wrong with a form: a field, and the form as a whole.
func galleryErrors(ctx context.Context) components.FieldErrors {
	return components.FieldErrors{{Field: "field_wrong", Text: i18n.T(ctx, "gallery.wrong")},
		{Text: i18n.T(ctx, "gallery.wrong_form")}}
}

func galleryChart(ctx context.Context, now time.Time) components.BarChartProps {
	p := components.BarChartProps{
		ID: "chart", Title: i18n.T(ctx, "gallery.chart"),
		Series: []components.BarSeries{
			{Name: i18n.T(ctx, "status.delivery_DELIVERED"), Tone: components.ToneOK},
			{Name: i18n.T(ctx, "status.delivery_RETRYING"), Tone: components.ToneWarn},
			{Name: i18n.T(ctx, "status.delivery_FAILED"), Tone: components.ToneBad},
		},
	}
	for i, values := range [][]int{{40, 0, 0}, {52, 6, 0}, {61, 2, 9}, {0, 0, 0}, {75, 4, 1}, {68, 0, 3}, {90, 5, 0}} {
		day := now.AddDate(0, 0, i-6)
		p.Bars = append(p.Bars, components.Bar{Label: i18n.ShortDay(ctx, day), Full: i18n.Date(ctx, day),
			Values: values})
	}
	return p
}

var gallerySpark = []components.SparkBar{{Good: 4}, {Good: 9, Bad: 2}, {}, {Good: 12}, {Good: 7, Bad: 1},
	{Bad: 5}, {Good: 40}}

func gallerySteps(ctx context.Context, now time.Time) []components.TimelineStep {
	return []components.TimelineStep{
		{Label: i18n.T(ctx, "status.withdrawal_PENDING_REVIEW"), When: i18n.DateTime(ctx, now.Add(-time.Hour)),
			Done: true},
		{Label: i18n.T(ctx, "status.withdrawal_PROCESSING"), Note: i18n.T(ctx, "gallery.hint"), Now: true},
		{Label: i18n.T(ctx, "status.withdrawal_COMPLETED")},
	}
}

func galleryEnd(ctx context.Context, now time.Time) []components.TimelineStep {
	return []components.TimelineStep{
		{Label: i18n.T(ctx, "status.withdrawal_PENDING_REVIEW"), When: i18n.DateTime(ctx, now.Add(-time.Hour)),
			Done: true},
		{Label: i18n.T(ctx, "status.withdrawal_REJECTED"), When: i18n.DateTime(ctx, now),
			Note: i18n.T(ctx, "gallery.wrong"), Done: true, Ended: components.Withdrawal + "_REJECTED"},
	}
}

func galleryFacts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "gallery.label"), Value: i18n.T(ctx, "gallery.value")},
		{Key: i18n.T(ctx, "gallery.code"), Value: "chk_8f2b7a103c1c4f0e9d7a", Mono: true},
		{Key: i18n.T(ctx, "gallery.link"), Value: i18n.T(ctx, "gallery.title"), Href: GalleryPath},
	}
}

func galleryMeasures(ctx context.Context) []components.Measure {
	return []components.Measure{
		{Label: i18n.T(ctx, "gallery.link"), Href: GalleryPath, Value: i18n.Money(ctx, 12_345_67), Share: 1000,
			Detail: i18n.T(ctx, "gallery.value")},
		{Label: i18n.T(ctx, "gallery.plain"), Value: i18n.Number(ctx, 96), Share: 78},
	}
}

func galleryStats(ctx context.Context) []components.StatCardProps {
	return []components.StatCardProps{
		{Label: i18n.T(ctx, "gallery.plain"), Value: i18n.Money(ctx, 12_345_67), Hint: i18n.T(ctx, "gallery.value")},
		{Label: i18n.T(ctx, "gallery.rise"), Value: i18n.Number(ctx, 1284), Change: "12%", Up: true,
			Hint: i18n.T(ctx, "gallery.value"), Spark: gallerySpark},
		{Label: i18n.T(ctx, "gallery.fall"), Value: i18n.Number(ctx, 96), Change: "3%",
			Hint: i18n.T(ctx, "gallery.value")},
		{Label: i18n.T(ctx, "gallery.link"), Value: "82%", Href: GalleryPath},
	}
}

func galleryOptions(ctx context.Context) []components.SelectOption {
	return []components.SelectOption{{Value: "a", Label: i18n.T(ctx, "gallery.other")},
		{Value: "b", Label: i18n.T(ctx, "gallery.chosen")}}
}

func galleryCards(ctx context.Context) []components.RadioOption {
	return []components.RadioOption{
		{Value: "a", Label: i18n.T(ctx, "gallery.other"), Hint: i18n.T(ctx, "gallery.hint")},
		{Value: "b", Label: i18n.T(ctx, "gallery.chosen")},
	}
}

func galleryBoxes(ctx context.Context) []components.CheckboxOption {
	return []components.CheckboxOption{
		{Value: "a", Label: i18n.T(ctx, "gallery.chosen"), Code: "CHECKOUT:CREATE", Hint: i18n.T(ctx, "gallery.hint")},
		{Value: "b", Label: i18n.T(ctx, "gallery.other"), Code: "WITHDRAWAL:CREATE",
			Note: i18n.T(ctx, "gallery.wrong_form")},
	}
}
