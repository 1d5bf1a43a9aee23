package page

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
)

// A message that says that something was not done, or must be done first, does not look like success.
func TestFlash_Tones(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../views/i18n/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var catalog struct{ Flash map[string]string }
	if err := json.Unmarshal(content, &catalog); err != nil {
		t.Fatal(err)
	}
	notDone := regexp.MustCompile(`(?i)\b(nothing|too many|cannot|(had|was) (already|just)|are stopped)\b|first\.$`)
	listed := slices.Concat(refusals, conditions)
	for key, text := range catalog.Flash {
		if notDone.MatchString(text) && !slices.Contains(listed, key) {
			t.Errorf("%s looks like success: %s", key, text)
		}
	}
	for _, key := range listed {
		if catalog.Flash[key] == "" {
			t.Errorf("no message is named %s", key)
		}
	}
}
