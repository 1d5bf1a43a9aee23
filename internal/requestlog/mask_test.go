package requestlog

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, want string }{
		{`{"amount": 4990, "description":"Vaso"}`, `{"amount": 4990, "description":"Vaso"}`},
		{`{"customer":{"name":"Carla","email":"c@x.co","x":[1,null,true,{"y":"z"}]},"a":"b"}`,
			`{"customer":{"name":"•••","email":"•••","x":["•••",null,"•••",{"y":"•••"}]},"a":"b"}`},
		{`{"name":"Vaso","metadata":{"name":"Carla","cor":"azul"}}`,
			`{"name":"Vaso","metadata":{"name":"•••","cor":"azul"}}`},
		{`{"PHONE":"1","ph\u006fne":"2","document" : 3,"email":["a@b.co"]}`,
			`{"PHONE":"•••","ph\u006fne":"•••","document" : "•••","email":["•••"]}`},
		{`{"pix":{"qrCodeUrl":"data:image/png;base64,AAAA","copyPaste":"00\"02"}}`,
			`{"pix":{"qrCodeUrl":"data:…","copyPaste":"00\"02"}}`},
		{`{"destination":{"key":"a@b.co","holderName":"Carla"},"k":"key"}`,
			`{"destination":{"key":"•••","holderName":"•••"},"k":"key"}`},
		{`[{"email":"x"},{"a":"email"}]`, `[{"email":"•••"},{"a":"email"}]`},
		{`{"customer":{"name":"Car`, `{"customer":{"name":…`},
		{`"x"`, `"x"`},
		{``, ``},
		{`}}]{`, `}}]{`},
	} {
		if got := mask([]byte(tc.body)); got != tc.want {
			t.Errorf("%s\n is %s\nnot %s", tc.body, got, tc.want)
		}
	}
	long := mask([]byte(`{"a":"` + strings.Repeat("x", 3000) + `","b":"` + strings.Repeat("y", 3000) + `","c":"z"}`))
	if len(long) > 2*maxBody || !strings.HasSuffix(long, cut) || strings.Contains(long, "z") {
		t.Errorf("a long body has %d bytes: …%s", len(long), long[len(long)-20:])
	}
}

// For any body, the result contains no value of a private name.
func FuzzMask(f *testing.F) {
	for _, body := range []string{`{"customer":{"name":"SECRET"}}`, `{"a":[{"phone":"SECRET"}]}`,
		`{"d":1e5,"document":"SECRET","x":{}}`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if !json.Valid([]byte(body)) {
			return
		}
		wrapped := `{"x":` + body + `,"customer":{"a":` + body + `,"b":"SECRET"},"phone":"SECRET"}`
		if !strings.Contains(body, "SECRET") && strings.Contains(mask([]byte(wrapped)), "SECRET") {
			t.Errorf("%s contains the private value", wrapped)
		}
	})
}
