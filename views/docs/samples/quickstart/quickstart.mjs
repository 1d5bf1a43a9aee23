const baseUrl = 'https://api.example';

async function post(path, body, idempotencyKey = '') {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${process.env.GAROUPA_API_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

// 1. Create a checkout of R$49.90.
const order = `pedido-${Date.now()}`;
const checkout = await post('/v1/checkouts', {
  amount: 4990, description: 'Vaso Lua Nova', externalId: order,
}, order);
console.log(checkout.checkoutUrl);

// 2. Pay it, as the buyer's bank would. Open checkoutUrl to see the page change.
const paid = await post(`/v1/test/checkouts/${checkout.id}/pay`, {});
console.log(paid.status);
