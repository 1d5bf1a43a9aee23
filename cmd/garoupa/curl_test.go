package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// asCurl makes the test binary act as curl, on a machine without it.
const asCurl = "GAROUPA_TEST_AS_CURL"

// curl does as much of what curl does as the README's commands need, and returns the exit code.
func curl(args []string) int {
	var address, method, body string
	header := http.Header{}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "-s":
			continue
		case !strings.HasPrefix(word, "-"):
			address = "http://" + word
			continue
		case len(args) == 0:
			fmt.Fprintln(os.Stderr, "curl: nothing after", word)
			return 2
		}
		switch word {
		case "-H":
			name, value, _ := strings.Cut(args[0], ":")
			header.Set(name, strings.TrimSpace(value))
		case "-d":
			method, body = http.MethodPost, args[0]
		default:
			fmt.Fprintln(os.Stderr, "curl: this one does not know", word)
			return 2
		}
		args = args[1:]
	}
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, "curl:", err)
		return 3
	}
	request.Header = header
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Fprintln(os.Stderr, "curl:", err)
		return 7
	}
	defer answer.Body.Close()
	_, _ = io.Copy(os.Stdout, answer.Body)
	return 0
}
