import hashlib
import hmac
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET")
if not SECRET:
    sys.exit("Set WEBHOOK_SECRET to the signing secret of the endpoint.")
MAX_BODY = 256 << 10  # more than any event has

# In your shop: tables in your database, changed in one transaction.
lock = threading.Lock()
handled = set()  # event ids
statuses = {}  # by checkout id

# A final status is never left, except that money sent in time turns EXPIRED or
# CANCELLED into PAID: a status gives way only to one of a higher rank.
RANKS = {"PENDING": 1, "EXPIRED": 2, "CANCELLED": 2, "PAID": 3}


def verify(body: bytes, signature: str) -> bool:
    """Compares over the bytes as they came, in constant time."""
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def handle(event: dict) -> None:
    """Handles an event once. Events come in any order."""
    with lock:
        if event["id"] in handled:
            return
        handled.add(event["id"])
        checkout = event["data"].get("checkout")
        if checkout is None:  # about a withdrawal
            return
        status = statuses.get(checkout["id"])
        if RANKS.get(checkout["status"], 0) > RANKS.get(status, 0):
            status = statuses[checkout["id"]] = checkout["status"]
        print(event["type"], checkout["id"], checkout["externalId"], status, flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds without a byte

    def do_POST(self):
        try:
            self.send_response(self.receive())
            self.end_headers()
        except ConnectionError:
            pass  # the client is gone

    def receive(self) -> int:
        try:
            length = int(self.headers["Content-Length"])
        except (TypeError, ValueError):  # missing, or no number
            return 411
        if not 0 <= length <= MAX_BODY:
            return 413
        body = self.rfile.read(length)  # less if the request breaks off
        # For a day after a rotation, the previous secret signs too.
        signatures = (self.headers.get("x-svc-signature", ""), self.headers.get("x-svc-signature-previous", ""))
        if not any(verify(body, signature) for signature in signatures):
            return 401
        handle(json.loads(body))
        return 204


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4242"))), Receiver).serve_forever()
