import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

handled = set()  # in your shop: a unique column in your database


def verify(secret: str, body: bytes, signature: str) -> bool:
    """Compares over the bytes as they came, in constant time."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not verify(os.environ["WEBHOOK_SECRET"], body, self.headers.get("x-svc-signature", "")):
            self.send_response(401)
            self.end_headers()
            return
        event = json.loads(body)
        if event["id"] not in handled:
            handled.add(event["id"])
            checkout = event["data"]["checkout"]
            print(event["type"], checkout["id"], checkout["externalId"], flush=True)
        self.send_response(204)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4242"))), Receiver).serve_forever()
