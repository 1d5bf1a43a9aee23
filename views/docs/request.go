package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Request is an API call shown in every language. The key comes from the environment, so
// that a copied sample runs as it is and contains no secret.
type Request struct {
	Method, URL string
	Public      bool   // needs no key
	Idempotency string // the Idempotency-Key; "" for none
	Body        []byte // JSON; nil for none
	Stream      bool   // the answer has no end
}

// Samples returns the request in every language, or only in curl if its answer is a stream,
// because a program would need more than one call to read it.
func (r Request) Samples() []Sample {
	if r.Stream {
		return []Sample{{Language: Languages[0], Code: r.curl()}}
	}
	writers := map[string]func() string{"curl": r.curl, "go": r.golang, "node": r.node, "python": r.python,
		"php": r.php}
	samples := make([]Sample, len(Languages))
	for i, language := range Languages {
		samples[i] = Sample{Language: language, Code: writers[language.ID]()}
	}
	return samples
}

// header is one header of the request. A secret header is the key, after Bearer.
type header struct {
	name, value string
	secret      bool
}

func (r Request) headers() (all []header) {
	if !r.Public {
		all = append(all, header{name: "Authorization", secret: true})
	}
	if r.Idempotency != "" {
		all = append(all, header{name: "Idempotency-Key", value: r.Idempotency})
	}
	if r.Body != nil {
		all = append(all, header{name: "Content-Type", value: "application/json"})
	}
	return all
}

func (r Request) curl() string {
	var b strings.Builder
	b.WriteString("curl ")
	if r.Stream {
		b.WriteString("-N ") // unbuffered
	}
	if r.Method == "POST" && r.Body == nil {
		b.WriteString("-X POST ")
	}
	fmt.Fprintf(&b, "'%s'", r.URL)
	for _, h := range r.headers() {
		if h.secret {
			b.WriteString(" \\\n  -H \"Authorization: Bearer $GAROUPA_API_KEY\"")
		} else {
			fmt.Fprintf(&b, " \\\n  -H '%s: %s'", h.name, h.value)
		}
	}
	if r.Body != nil {
		fmt.Fprintf(&b, " \\\n  -d '%s'", strings.ReplaceAll(r.indented("  "), "'", `'\''`))
	}
	return b.String()
}

func (r Request) golang() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"log\"\n\t\"net/http\"\n")
	if !r.Public {
		b.WriteString("\t\"os\"\n")
	}
	if r.Body != nil {
		b.WriteString("\t\"strings\"\n")
	}
	b.WriteString(")\n\nfunc main() {\n")
	body := "nil"
	if r.Body != nil {
		body = "body"
		fmt.Fprintf(&b, "\tbody := strings.NewReader(`%s`)\n", r.indented("\t"))
	}
	fmt.Fprintf(&b, "\trequest, err := http.NewRequest(%q, %q, %s)\n", r.Method, r.URL, body)
	b.WriteString("\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n")
	for _, h := range r.headers() {
		value := fmt.Sprintf("%q", h.value)
		if h.secret {
			value = `"Bearer "+os.Getenv("GAROUPA_API_KEY")`
		}
		fmt.Fprintf(&b, "\trequest.Header.Set(%q, %s)\n", h.name, value)
	}
	b.WriteString(`	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, string(answer))
}`)
	return b.String()
}

func (r Request) node() string {
	var b strings.Builder
	fmt.Fprintf(&b, "const response = await fetch('%s', {\n  method: '%s',\n", r.URL, r.Method)
	if headers := r.headers(); len(headers) > 0 {
		b.WriteString("  headers: {\n")
		for _, h := range headers {
			if h.secret {
				b.WriteString("    Authorization: `Bearer ${process.env.GAROUPA_API_KEY}`,\n")
			} else {
				fmt.Fprintf(&b, "    '%s': '%s',\n", h.name, h.value)
			}
		}
		b.WriteString("  },\n")
	}
	if r.Body != nil {
		b.WriteString("  body: JSON.stringify(" + r.literal("  ", javaScript) + "),\n")
	}
	b.WriteString("});\nconsole.log(response.status, await response.json());")
	return b.String()
}

func (r Request) python() string {
	var b strings.Builder
	b.WriteString("import json\n")
	if !r.Public {
		b.WriteString("import os\n")
	}
	fmt.Fprintf(&b, "import urllib.error\nimport urllib.request\n\n"+
		"request = urllib.request.Request(\n    %q,\n    method=%q,\n",
		r.URL, r.Method)
	if headers := r.headers(); len(headers) > 0 {
		b.WriteString("    headers={\n")
		for _, h := range headers {
			value := fmt.Sprintf("%q", h.value)
			if h.secret {
				value = `"Bearer " + os.environ["GAROUPA_API_KEY"]`
			}
			fmt.Fprintf(&b, "        %q: %s,\n", h.name, value)
		}
		b.WriteString("    },\n")
	}
	if r.Body != nil {
		b.WriteString("    data=json.dumps(" + r.literal("    ", python) + ").encode(),\n")
	}
	b.WriteString(")\ntry:\n    with urllib.request.urlopen(request) as response:\n" +
		"        print(response.status, json.load(response))\n" +
		"except urllib.error.HTTPError as error:\n    print(error.code, json.load(error))")
	return b.String()
}

func (r Request) php() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"<?php\n$answer = file_get_contents('%s', false, stream_context_create(['http' => [\n    'method' => '%s',\n",
		r.URL, r.Method)
	if headers := r.headers(); len(headers) > 0 {
		b.WriteString("    'header' => [\n")
		for _, h := range headers {
			if h.secret {
				b.WriteString("        'Authorization: Bearer ' . getenv('GAROUPA_API_KEY'),\n")
			} else {
				fmt.Fprintf(&b, "        '%s: %s',\n", h.name, h.value)
			}
		}
		b.WriteString("    ],\n")
	}
	if r.Body != nil {
		b.WriteString("    'content' => json_encode(" + r.literal("    ", php) + "),\n")
	}
	b.WriteString("    'ignore_errors' => true,\n]]));\necho $http_response_header[0], ' ', $answer, \"\\n\";")
	return b.String()
}

// indented returns the body on several lines, all except the first preceded by prefix.
func (r Request) indented(prefix string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, r.Body, prefix, "  "); err != nil {
		return string(r.Body)
	}
	return b.String()
}
