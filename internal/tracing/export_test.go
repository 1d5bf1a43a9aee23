package tracing

var (
	CheckVariables = check
	Disabled       = disabled
	Summarize      = summarize
)
