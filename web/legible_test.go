package web_test

import (
	"bufio"
	"bytes"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web"
	"garoupa/web/webtest"
)

// fieldNames are the names that handlers read from forms and queries, as their source
// has them.
func fieldNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/*.go") // of every room
	if err != nil {
		t.Fatal(err)
	}
	read := regexp.MustCompile(`(?:Field|Query|[fF]ormText|[vV]alues)\((?:c, )?"([^"]+)"`)
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range read.FindAllSubmatch(source, -1) {
			names = append(names, string(match[1]))
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 30 {
		t.Fatalf("the sources read %q", names)
	}
	return append(names, "garoupa_scope", "garoupa_back", "garoupa_proof", "garoupa_proof_key", "metadata_key_1",
		"metadata_value_1")
}

// wire sends a request as its bytes are, which no client would send, and returns the
// status of the answer.
func wire(t *testing.T, s *webtest.Site, method, target string, headers []string, body string) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(webtest.Patience)); err != nil {
		t.Fatal(err)
	}
	var request bytes.Buffer
	request.WriteString(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n")
	for _, header := range headers {
		request.WriteString(header + "\r\n")
	}
	if method == http.MethodPost {
		request.WriteString("Sec-Fetch-Site: same-origin\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	request.WriteString("\r\n" + body)
	go io.Copy(conn, &request)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s %q: %v", method, target, err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// illegible are texts that no column holds.
var illegible = []string{"\xff", "\x00", "a\xff\x00/live"}

// No text that is none reaches the database, in whatever field, query or part of a
// path it comes: no route fails.
func TestLegible(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	owner := s.Member(t)
	staff, _ := s.Console(t, models.StaffSupervisor)
	names := fieldNames(t)
	key := []string{"Authorization: Bearer " + s.Key(t, s.Test, models.Permissions...), "Idempotency-Key: a\xffb"}
	routes := s.App.GetRoutes(true)
	pages := map[string]bool{}
	for _, route := range routes {
		pages[route.Path] = pages[route.Path] || route.Method == http.MethodGet
	}
	for i, route := range routes {
		// Without any field these three end the session, or go on forever.
		last := route.Path == "/sair" || strings.HasSuffix(route.Path, "/2fa/desativar") ||
			strings.HasSuffix(route.Path, "/events")
		if route.Method != http.MethodGet && route.Method != http.MethodPost || last {
			continue
		}
		who := owner
		if strings.HasPrefix(route.Path, "/ops") {
			who = staff
		}
		var cookies []string
		for _, cookie := range who.Cookies() {
			cookies = append(cookies, cookie.Name+"="+cookie.Value)
		}
		session := []string{"Cookie: " + strings.Join(cookies, "; ")}
		if strings.HasPrefix(route.Path, "/v1/") {
			session = key
		}
		kinds := []string{"query"}
		if route.Method == http.MethodPost {
			if kinds = []string{"form", "parts"}; !pages[route.Path] {
				kinds = append(kinds, "query")
			}
		}
		sendIllegible(t, s, route, session, names, kinds, i)
	}
	if a := owner.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("the owner is not logged in any more: %d", a.Status)
	}
	if a := staff.Get("/ops"); a.Status != http.StatusOK {
		t.Errorf("staff is not logged in any more: %d", a.Status)
	}
}

var pathParameter = regexp.MustCompile(`:\w+|\*`)

// sendIllegible sends each text to a route in each kind of request, with a path that is sound, one that holds the text
// and one that holds it escaped. The texts take turns, as each of them fails wherever one is not made storable; turn
// says which comes first.
func sendIllegible(t *testing.T, s *webtest.Site, route fiber.Route, session, names, kinds []string, turn int) {
	t.Helper()
	for k, kind := range kinds {
		for place := range illegible {
			bad := illegible[(turn+k+place)%len(illegible)]
			inPath := []string{"x", bad, url.PathEscape(bad)}[place]
			form := url.Values{}
			for _, name := range names {
				// with it the dashboard holds a form up before it is read
				if inPath == "x" || name != "garoupa_scope" {
					form.Add(name, bad)
				}
			}
			path := pathParameter.ReplaceAllString(route.Path, strings.ReplaceAll(inPath, "/", ""))
			var status int
			switch kind {
			case "query":
				status = wire(t, s, http.MethodGet, path+"?"+form.Encode(), session, "")
			case "form":
				kind := "Content-Type: application/x-www-form-urlencoded"
				status = wire(t, s, http.MethodPost, path, slices.Concat(session, []string{kind}), form.Encode())
			case "parts":
				parts, boundary := inParts(t, form)
				status = wire(t, s, http.MethodPost, path, slices.Concat(session, []string{boundary}), parts)
			}
			if status >= 500 {
				t.Errorf("%s %s with %q as %s: %d", route.Method, path, bad, kind, status)
			}
		}
	}
}

// inParts is a form as multipart/form-data, with its header.
func inParts(t *testing.T, form url.Values) (body, header string) {
	t.Helper()
	var parts bytes.Buffer
	writer := multipart.NewWriter(&parts)
	for name, values := range form {
		for _, value := range values {
			if err := writer.WriteField(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return parts.String(), "Content-Type: " + writer.FormDataContentType()
}
