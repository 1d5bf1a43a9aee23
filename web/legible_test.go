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

// No text that is none reaches the database, in whatever field, query or part of a
// path it comes: no route fails.
func TestLegible(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	owner := s.Member(t)
	staff, _ := s.Console(t, models.StaffSupervisor)
	names := fieldNames(t)
	parameter := regexp.MustCompile(`:\w+|\*`)
	for _, route := range s.App.GetRoutes(true) {
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
			session = []string{"Authorization: Bearer " + s.Key(t, s.Test, models.Permissions...),
				"Idempotency-Key: a\xffb"}
		}
		for _, bad := range []string{"\xff", "\x00", "a\xff\x00/live"} {
			for _, inPath := range []string{"x", bad, url.PathEscape(bad)} {
				form := url.Values{}
				for _, name := range names {
					// with it the dashboard holds a form up before it is read
					if inPath == "x" || name != "garoupa_scope" {
						form.Add(name, bad)
					}
				}
				path := parameter.ReplaceAllString(route.Path, strings.ReplaceAll(inPath, "/", ""))
				requests := map[string]int{"query": wire(t, s, http.MethodGet, path+"?"+form.Encode(), session, "")}
				if route.Method == http.MethodPost {
					kind := "Content-Type: application/x-www-form-urlencoded"
					requests["form"] = wire(t, s, http.MethodPost, path, append(session, kind), form.Encode())
					parts, boundary := inParts(t, form)
					requests["parts"] = wire(t, s, http.MethodPost, path, append(session, boundary), parts)
				}
				for as, status := range requests {
					if status >= 500 {
						t.Errorf("%s %s with %q as %s: %d", route.Method, path, bad, as, status)
					}
				}
			}
		}
	}
	if a := owner.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("the owner is not logged in any more: %d", a.Status)
	}
	if a := staff.Get("/ops"); a.Status != http.StatusOK {
		t.Errorf("staff is not logged in any more: %d", a.Status)
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
