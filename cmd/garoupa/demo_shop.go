package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
)

// shopDays is how many days of the demo shop's past are invented, today included.
const shopDays = 90

// shopProduct is a product that the demo shop sells.
type shopProduct struct {
	slug, name, about string
	price             money.Cents
	weight            int  // how often it is bought
	link              bool // also sold by a payment link
}

// shopProducts are the products of the demo shop. No sum of prices and shipping ends in centavos with which the
// simulator misbehaves (docs/rules.md, "Simulator").
var shopProducts = []shopProduct{
	{"caneca-mare", "Caneca Maré", "Torneada à mão, 300 ml, esmalte azul.", 89_90, 30, true},
	{"bowl-duna", "Bowl Duna", "Para sopas e saladas, 600 ml.", 74_90, 22, false},
	{"prato-areia", "Prato raso Areia", "27 cm, vai ao forno e ao micro-ondas.", 119_90, 16, false},
	{"xicaras-orvalho", "Jogo de xícaras Orvalho", "Quatro xícaras com pires.", 189_90, 12, true},
	{"oficina-torno", "Oficina de torno, sábado", "Três horas, com argila e queima.", 240_00, 9, true},
	{"vale-presente", "Vale-presente", "Vale seis meses na loja.", 150_00, 6, true},
	{"vaso-lua-nova", "Vaso Lua Nova", "", 1_249_90, 2, false}, // made with the merchant
}

// shipping is what an order at the shop's own site costs more.
const shipping money.Cents = 18_90

var (
	firstNames = strings.Fields(`Ana Beatriz Bruno Camila Carlos Clara Daniel Davi Eduarda Felipe Fernanda Gabriel
		Helena Igor Isabela João Júlia Larissa Lucas Luiza Marcos Mariana Mateus Natália Otávio Patrícia Paulo Rafael
		Renata Sofia Thiago Vitória`)
	lastNames = strings.Fields(`Almeida Araújo Barbosa Cardoso Carvalho Castro Costa Dias Fernandes Ferreira Gomes
		Lima Lopes Martins Melo Moreira Nunes Oliveira Pereira Ribeiro Rocha Santos Silva Souza Teixeira`)
	plainLetters = strings.NewReplacer("á", "a", "ã", "a", "é", "e", "í", "i", "ó", "o", "ô", "o", "ú", "u", "ç", "c")

	refundReasons = []string{"Peça chegou trincada", "Cliente desistiu da compra", "Comprou duas vezes sem querer"}
	// busyHours are how busy each hour of a day is, from midnight on.
	busyHours = []int{2, 1, 0, 0, 0, 1, 2, 4, 7, 10, 12, 12, 13, 12, 10, 10, 11, 11, 12, 14, 16, 15, 10, 5}
	// busyDays are how busy each day of a week is, from Sunday on, in percent.
	busyDays = []float64{70, 90, 100, 100, 110, 125, 130}
)

// freshSales are how long ago the last sales began. The last one is still open.
var freshSales = []time.Duration{71 * time.Minute, 34 * time.Minute, 12 * time.Minute, 40 * time.Second}

// demoShop invents sales. The same seed and day give the same sales.
type demoShop struct {
	*rand.Rand
	links map[string]*models.PaymentLink // by the slug of their product
	owner models.Actor
}

// sales returns what the shop sold up to now, in order. today is when the day of now began.
func (s *demoShop) sales(today, now time.Time) []payments.PastSale {
	var sales []payments.PastSale
	for day := range shopDays {
		morning := today.AddDate(0, 0, day+1-shopDays)
		grown := 4 + 14*float64(day)/shopDays
		count := grown * busyDays[morning.Weekday()] / 100 * (0.9 + 0.2*s.Float64())
		for range int(math.Round(count)) {
			at := morning.Add(time.Duration(s.pick(busyHours)) * time.Hour)
			sales = append(sales, s.sale(at.Add(time.Duration(s.Int64N(3_600_000))*time.Millisecond)))
		}
	}
	sales = slices.DeleteFunc(sales, func(sale payments.PastSale) bool { return sale.CreatedAt.After(now) })
	for _, ago := range freshSales { // whatever the hour, something has just happened
		sale := s.sale(now.Add(-ago))
		sale.CancelledAt, sale.RefundedAt, sale.PaidAt = time.Time{}, time.Time{}, sale.CreatedAt.Add(95*time.Second)
		sales = append(sales, sale)
	}
	slices.SortFunc(sales, func(a, b payments.PastSale) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for i := range sales {
		if sales[i].Link == nil {
			sales[i].ExternalID = fmt.Sprintf("pedido-%d", 1001+i)
		}
	}
	return sales
}

// sale invents a sale that began at a time.
func (s *demoShop) sale(at time.Time) payments.PastSale {
	weights := make([]int, len(shopProducts))
	for i := range shopProducts {
		weights[i] = shopProducts[i].weight
	}
	product := &shopProducts[s.pick(weights)]
	sale := payments.PastSale{CreatedAt: at, NewCheckout: payments.NewCheckout{
		Customer: s.customer(), ExpiresIn: payments.DefaultExpiresIn * time.Second}}
	paid := 74
	if sale.Link = s.links[product.slug]; sale.Link != nil && s.IntN(100) < 60 {
		sale.ExpiresIn = time.Duration(sale.Link.ExpiresInSeconds) * time.Second
		sale.Visits = 1 + s.IntN(4)
		paid = 82
	} else {
		sale.Link = nil
		pieces := 1 + s.pick([]int{7, 2, 1})
		sale.Amount, sale.Metadata = product.price*money.Cents(pieces)+shipping, []byte("{}")
		if sale.Description = product.name; pieces > 1 {
			sale.Description = fmt.Sprintf("%d × %s", pieces, product.name)
		}
	}
	// Most buyers pay within two minutes, and few wait long.
	after := 15*time.Second + time.Duration(min(s.ExpFloat64()*float64(90*time.Second), float64(25*time.Minute)))
	switch fate := s.IntN(100); {
	case fate < paid:
		sale.PaidAt = at.Add(after.Truncate(time.Millisecond))
		if s.IntN(100) == 0 {
			sale.RefundedAt = sale.PaidAt.Add(time.Duration(20+s.IntN(60)) * time.Hour)
			sale.RefundedBy, sale.Reason = s.owner, refundReasons[s.IntN(len(refundReasons))]
		}
	case fate < paid+4:
		sale.CancelledAt = at.Add(after.Truncate(time.Second) / 2)
	}
	return sale
}

// pick returns an index, each as often as its weight says.
func (s *demoShop) pick(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := s.IntN(sum)
	i := 0
	for at >= weights[i] {
		at -= weights[i]
		i++
	}
	return i
}

// customer returns a buyer. Some buy often: the square makes small numbers likelier.
func (s *demoShop) customer() payments.Customer {
	n := s.Float64()
	i := int(n * n * float64(len(firstNames)*len(lastNames)))
	first, last := firstNames[i%len(firstNames)], lastNames[(i+i/len(firstNames))%len(lastNames)]
	name, document := first+" "+last, inventedCPF(i)
	email := plainLetters.Replace(strings.ToLower(first+"."+last)) + "@example.com"
	return payments.Customer{Name: &name, Email: &email, Document: &document}
}

// inventedCPF returns a CPF with valid check digits that is plainly invented: three digits, each three times, as in
// the well-known example 111.444.777-35.
func inventedCPF(i int) string {
	n := i + i/110 + 1 // leaves out 0, 111, 222 and so on: nine equal digits are no CPF
	var digits []int
	for _, d := range []int{n / 100 % 10, n / 10 % 10, n % 10} {
		digits = append(digits, d, d, d)
	}
	for range 2 {
		sum := 0
		for place, d := range digits {
			sum += d * (len(digits) + 1 - place)
		}
		digits = append(digits, sum*10%11%10)
	}
	var text strings.Builder
	for _, d := range digits {
		fmt.Fprint(&text, d)
	}
	return text.String()
}
