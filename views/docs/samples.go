package docs

import (
	"embed"
	"strings"
)

// Language is a language of samples.
type Language struct{ ID, Name string }

// Languages are all languages. The first is the default.
var Languages = []Language{{"curl", "curl"}, {"go", "Go"}, {"node", "Node.js"}, {"python", "Python"}, {"php", "PHP"}}

// Sample is one piece of code in one language.
type Sample struct {
	Language Language
	File     string // its file name; "" if it is not a complete program
	Run      string // how to run the file
	Code     string
}

//go:embed samples/quickstart samples/receiver
var sampleFiles embed.FS

// programs are the samples that are complete programs, by name and language.
var programs = map[string]map[string][2]string{
	"quickstart": {
		"curl": {"quickstart.sh", "sh quickstart.sh"}, "go": {"main.go", "go run main.go"},
		"node":   {"quickstart.mjs", "node quickstart.mjs"},
		"python": {"quickstart.py", "python3 quickstart.py"}, "php": {"quickstart.php", "php quickstart.php"},
	},
	"receiver": {
		"go": {"main.go", "go run main.go"}, "node": {"receiver.mjs", "node receiver.mjs"},
		"python": {"receiver.py", "python3 receiver.py"}, "php": {"receiver.php", "php -S 127.0.0.1:4242 receiver.php"},
	},
}

// Programs returns a program in every language that has it.
func Programs(name string) []Sample {
	var samples []Sample
	for _, language := range Languages {
		file, ok := programs[name][language.ID]
		if !ok {
			continue
		}
		code, err := sampleFiles.ReadFile("samples/" + name + "/" + file[0])
		if err != nil {
			continue // unreachable: the test of this package reads them all
		}
		samples = append(samples, Sample{Language: language, File: file[0], Run: file[1],
			Code: strings.TrimSpace(string(code))})
	}
	return samples
}

// Chosen returns the sample in a language, or the first one.
func Chosen(samples []Sample, language string) Sample {
	for _, s := range samples {
		if s.Language.ID == language {
			return s
		}
	}
	if len(samples) == 0 {
		return Sample{}
	}
	return samples[0]
}
