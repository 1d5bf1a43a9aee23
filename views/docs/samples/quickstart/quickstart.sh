order="pedido-$(date +%s)"

# 1. Create a checkout of R$49.90.
checkout=$(curl -s --fail-with-body https://api.example/v1/checkouts \
  -H "Authorization: Bearer $GAROUPA_API_KEY" \
  -H 'Content-Type: application/json' \
  -H "Idempotency-Key: $order" \
  -d '{"amount": 4990, "description": "Vaso Lua Nova", "externalId": "'"$order"'"}')
echo "$checkout" | grep -o '"checkoutUrl":"[^"]*"' || echo "$checkout"

# 2. Pay it, as the buyer's bank would. Open checkoutUrl to see the page change.
id=$(echo "$checkout" | grep -o 'chk_[0-9a-f]*' | head -n 1)
curl -s --fail-with-body -X POST "https://api.example/v1/test/checkouts/$id/pay" \
  -H "Authorization: Bearer $GAROUPA_API_KEY" | grep -o '"status":"[A-Z]*"' | head -n 1
