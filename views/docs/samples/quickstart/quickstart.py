import json
import os
import time
import urllib.error
import urllib.request

BASE_URL = "https://api.example"


def post(path, body, idempotency_key=""):
    request = urllib.request.Request(
        BASE_URL + path,
        method="POST",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["GAROUPA_API_KEY"],
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
        },
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        error = json.load(error)["error"]
        raise SystemExit(f"{error['code']}: {error['message']}")


# 1. Create a checkout of R$49.90.
order = f"pedido-{time.time_ns()}"
checkout = post(
    "/v1/checkouts",
    {"amount": 4990, "description": "Vaso Lua Nova", "externalId": order},
    order,
)
print(checkout["checkoutUrl"])

# 2. Pay it, as the buyer's bank would. Open checkoutUrl to see the page change.
paid = post(f"/v1/test/checkouts/{checkout['id']}/pay", {})
print(paid["status"])
