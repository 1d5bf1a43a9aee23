package main

import (
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// method is the first part of docs/benchmarks.md, with verbs for the options;
// profilesIntroduction comes before the profiles.
var (
	//go:embed method.md
	method string
	//go:embed profiles.md
	profilesIntroduction string
)

// report holds the figures of a run.
type report struct {
	options
	machine  machine
	cells    []cell
	delivery *delivery   // nil: not measured
	bank     bankFigures // nil: not measured
	profiles []profile
}

func (r *report) write() error {
	if r.document == "" {
		return nil
	}
	return os.WriteFile(r.document, []byte(r.markdown()), 0o644)
}

// tables returns the figures in Markdown.
func (r *report) tables() string {
	var b strings.Builder
	b.WriteString("| | Connections | pgbench /s | p50 ms | p99 ms | Garoupa /s | p50 ms | p99 ms | Ratio | Rounds |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, c := range r.cells {
		b.WriteString(c.line() + "\n")
	}
	b.WriteString("\n| CPU seconds in a round | Connections | pgbench: database | generator | others | Garoupa: " +
		"server | database | generator | others | Server's µs per request |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, c := range r.cells {
		p, g := c.medians()
		fmt.Fprintf(&b, "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f |\n", c.series,
			c.connections,
			p.cpu.database.Seconds(), p.cpu.generator.Seconds(), p.cpu.others.Seconds(),
			g.cpu.server.Seconds(), g.cpu.database.Seconds(), g.cpu.generator.Seconds(), g.cpu.others.Seconds(),
			g.cpu.server.Seconds()/float64(r.seconds)/g.rate*1e6)
	}
	b.WriteString(neutralTable(r.cells))
	if r.delivery != nil {
		b.WriteString("\n" + r.delivery.table())
	}
	if r.bank != nil {
		b.WriteString("\n" + r.bank.tables(r.seconds))
	}
	return b.String()
}

// table returns the delivery's figures in Markdown.
func (d *delivery) table() string {
	var b strings.Builder
	b.WriteString("| deliver | Bare loop /s | Garoupa /s | Ratio | Server's µs | Database's µs | Commits | WAL bytes " +
		"|\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, r := range d.rounds {
		each := func(d time.Duration) float64 { return d.Seconds() / float64(r.deliveries) * 1e6 }
		fmt.Fprintf(&b, "| round %d, %d deliveries | %s | %s | **%.2f** | %.0f | %.0f | %.3f | %.0f |\n", i+1,
			r.deliveries, rate(r.bare), rate(r.product),
			r.product/r.bare, each(r.cpu.server), each(r.cpu.database), r.commits, r.wal)
	}
	fmt.Fprintf(&b,
		"\nAt %d events/s (%d of them), from the request that makes an event to its first byte at the receiver: p50 "+
			"%s ms, p99 %s ms.\n",
		eventsPerSecond, d.paced, milliseconds(d.p50), milliseconds(d.p99))
	return b.String()
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, method, words(r.connections), r.rounds, r.seconds, warmUp, r.rows)
	fmt.Fprintf(&b,
		"\n## The machine\n\n%s, %s of memory, %s. %s, PostgreSQL %s (%s), %s.\nThe generators, the server and the "+
			"database share it.\n",
		r.machine.cpu, r.machine.memory, r.machine.kernel, runtime.Version(), r.machine.postgres,
		strings.Join(r.machine.settings, ", "), r.machine.pgbench)
	fmt.Fprintf(&b, "\n## Figures\n\n%s", r.tables())
	b.WriteByte('\n')
	fmt.Fprintf(&b, profilesIntroduction, profiledConnections, profileSeconds)
	for _, p := range r.profiles {
		fmt.Fprintf(&b, "\n### %s\n\n```\n%s```\n", strings.ToUpper(p.series[:1])+p.series[1:], p.top)
	}
	return b.String()
}

// line returns the cell's line in the first table.
func (c *cell) line() string {
	p, g := c.medians()
	ratios := c.ratios()
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %s | **%.2f** | %s |", c.series, c.connections,
		rate(p.rate), milliseconds(p.p50), milliseconds(p.p99), rate(g.rate), milliseconds(g.p50), milliseconds(g.p99),
		median(ratios), decimals(ratios))
}

// decimals returns ratios as in the tables.
func decimals(ratios []float64) string {
	var each []string
	for _, ratio := range ratios {
		each = append(each, fmt.Sprintf("%.2f", ratio))
	}
	return strings.Join(each, " ")
}

// medians returns the median of each figure separately.
func (c *cell) medians() (pgbench, product result) {
	of := func(side func(round) result) result {
		pick := func(figure func(result) float64) float64 {
			var figures []float64
			for _, r := range c.rounds {
				figures = append(figures, figure(side(r)))
			}
			return median(figures)
		}
		span := func(figure func(result) time.Duration) time.Duration {
			return time.Duration(pick(func(r result) float64 { return float64(figure(r)) }))
		}
		return result{
			rate: pick(func(r result) float64 { return r.rate }),
			p50:  span(func(r result) time.Duration { return r.p50 }),
			p99:  span(func(r result) time.Duration { return r.p99 }),
			cpu: usage{
				server:    span(func(r result) time.Duration { return r.cpu.server }),
				database:  span(func(r result) time.Duration { return r.cpu.database }),
				generator: span(func(r result) time.Duration { return r.cpu.generator }),
				others:    span(func(r result) time.Duration { return r.cpu.others }),
			},
		}
	}
	return of(func(r round) result { return r.pgbench }), of(func(r round) result { return r.product })
}

// ratios returns the product's rates divided by pgbench's of the same round.
func (c *cell) ratios() (ratios []float64) {
	for _, r := range c.rounds {
		ratios = append(ratios, r.product.rate/r.pgbench.rate)
	}
	return ratios
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// words returns the numbers as in a sentence.
func words(numbers []int) string {
	list := strings.Trim(fmt.Sprint(numbers), "[]")
	list = strings.ReplaceAll(list, " ", ", ")
	if last := strings.LastIndex(list, ", "); last >= 0 {
		list = list[:last] + " and " + list[last+2:]
	}
	return list
}

func rate(perSecond float64) string { return fmt.Sprintf("%.0f", perSecond) }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }
