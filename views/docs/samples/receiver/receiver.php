<?php
// Try it with: php -S 127.0.0.1:4242 receiver.php

const MAX_BODY = 256 << 10; // more than any event has

// A final status is never left, except that money sent in time turns EXPIRED or
// CANCELLED into PAID: a status gives way only to one of a higher rank.
const RANKS = ['PENDING' => 1, 'EXPIRED' => 2, 'CANCELLED' => 2, 'PAID' => 3];

// verify compares over the bytes as they came, in constant time.
function verify(string $secret, string $body, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

// handle handles an event once. Events come in any order.
function handle(array $event): void
{
    // In your shop: tables in your database, changed in one transaction.
    $folder = sys_get_temp_dir() . '/';
    if (!@fopen($folder . basename($event['id']), 'x') || !isset($event['data']['checkout'])) {
        return; // handled before, or about a withdrawal
    }
    $checkout = $event['data']['checkout'];
    $file = fopen($folder . basename($checkout['id']), 'c+');
    flock($file, LOCK_EX);
    $status = stream_get_contents($file);
    if ((RANKS[$checkout['status']] ?? 0) > (RANKS[$status] ?? 0)) {
        $status = $checkout['status'];
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, $status);
    }
    fclose($file);
    error_log("{$event['type']} {$checkout['id']} {$checkout['externalId']} $status");
}

$secret = getenv('WEBHOOK_SECRET');
if (!$secret) {
    error_log('Set WEBHOOK_SECRET to the signing secret of the endpoint.');
    http_response_code(500); // the gateway tries again later
    exit;
}
$body = file_get_contents('php://input', length: MAX_BODY + 1);
if (strlen($body) > MAX_BODY) {
    http_response_code(413);
    exit;
}
// For a day after a rotation, the previous secret signs too.
if (!verify($secret, $body, $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '')
    && !verify($secret, $body, $_SERVER['HTTP_X_SVC_SIGNATURE_PREVIOUS'] ?? '')) {
    http_response_code(401);
    exit;
}
handle(json_decode($body, true, flags: JSON_THROW_ON_ERROR));
http_response_code(204);
