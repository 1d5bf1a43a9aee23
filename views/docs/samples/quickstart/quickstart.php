<?php
const BASE_URL = 'https://api.example';

function post(string $path, array $body, string $idempotencyKey = ''): array
{
    $answer = file_get_contents(BASE_URL . $path, false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Authorization: Bearer ' . getenv('GAROUPA_API_KEY'),
            'Content-Type: application/json',
            'Idempotency-Key: ' . $idempotencyKey,
        ],
        'content' => json_encode((object) $body),
        'ignore_errors' => true,
    ]]));
    $decoded = json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
    if (isset($decoded['error'])) {
        throw new RuntimeException($decoded['error']['code'] . ': ' . $decoded['error']['message']);
    }
    return $decoded;
}

// 1. Create a checkout of R$49.90.
$order = 'pedido-' . hrtime(true);
$checkout = post('/v1/checkouts', [
    'amount' => 4990, 'description' => 'Vaso Lua Nova', 'externalId' => $order,
], $order);
echo $checkout['checkoutUrl'], "\n";

// 2. Pay it, as the buyer's bank would. Open checkoutUrl to see the page change.
$paid = post("/v1/test/checkouts/{$checkout['id']}/pay", []);
echo $paid['status'], "\n";
