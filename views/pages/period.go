package pages

// ReplayPeriods are what a replay may reach back, as ?since= has them.
var ReplayPeriods = []string{"1h", "24h", "3d", "7d", "30d"}
