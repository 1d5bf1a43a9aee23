package tracing

var (
	CheckVariables = check
	Disabled       = disabled
	Summarize      = summarize
)

// TracesASecond is the constant.
const TracesASecond = tracesASecond
