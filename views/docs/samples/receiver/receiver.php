<?php
// Try it with: php -S 127.0.0.1:4242 receiver.php

// verify compares over the bytes as they came, in constant time.
function verify(string $secret, string $body, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

$body = file_get_contents('php://input');
if (!verify(getenv('WEBHOOK_SECRET'), $body, $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// In your shop: a unique column in your database.
if (@fopen(sys_get_temp_dir() . '/' . basename($event['id']), 'x')) {
    $checkout = $event['data']['checkout'];
    error_log("{$event['type']} {$checkout['id']} {$checkout['externalId']}");
}
http_response_code(204);
