package strictjson_test

import (
	"testing"

	"garoupa/internal/strictjson"
)

// order is the body that a shop typically creates a checkout with.
const order = `{"amount":4990,"description":"Vaso Lua Nova","externalId":"pedido-1","expiresIn":1800,` +
	`"customer":{"name":"Bia Conceição","email":"bia@example.com","document":"52998224725"},` +
	`"metadata":{"cart":"b7c1","source":"site"}}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := strictjson.Parse([]byte(order)); err != nil {
			b.Fatal(err)
		}
	}
}
