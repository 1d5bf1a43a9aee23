package pages

// OneTime is the payment cycle of what is paid for once.
const OneTime = "ONE_TIME"
