"""A merchant's receiver in Python, with only the standard library: it follows docs/webhooks.md and has certify's probe."""
import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE_URL = os.environ["BASE_URL"]
KEYS = {"key_id": os.environ["KEY_ID"], "key_secret": os.environ["KEY_SECRET"]}
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
MAX_BODY = 256 * 1024
LOCK = threading.Lock()
ORDERS = {}
token = None


class Unavailable(Exception):
    """The gateway did not answer after all retries."""


def post(path, body, bearer):
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {bearer}"} if bearer else {})}
    request = urllib.request.Request(BASE_URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=8) as answer:
        return json.load(answer)


def call(path, body):
    """Sends the same body until the gateway answers. Makes a new token after token_expired; waits for Retry-After, or else a short time."""
    global token
    for pause in (0.2, 0.4, 0.8, None):
        try:
            token = token or post("/api/v1/auth/token", KEYS, None)["token"]
            return post(path, body, token)
        except urllib.error.HTTPError as error:
            if error.code == 401:
                token = None
            elif error.code != 429 and error.code < 500:
                raise
            wait = float(error.headers.get("retry-after") or 0)
        except OSError:
            wait = 0
        if pause is not None:
            time.sleep(max(pause, wait))
    raise Unavailable(path)


def settle(order_id):
    """Confirms by search, then fulfils once. Raises when the payment is not final."""
    transaction = call("/api/v1/order/search", {"order_id": order_id})["data"]["transaction"]
    if transaction["status"] not in ("Success", "Failed"):
        raise Unavailable("not final")
    with LOCK:
        order = ORDERS.setdefault(order_id, {"state": "open", "fulfilled": 0, "expires_at": None})
        if order["state"] == "paid":
            return
        paid = transaction["status"] == "Success"
        order["state"] = "paid" if paid else "failed"
        order["fulfilled"] += 1 if paid else 0


def is_genuine(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if len(timestamp) > 12 or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f'{headers.get("webhook-id", "")}.{timestamp}.'.encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected.encode(), given.encode()) for given in headers.get("webhook-signature", "").split(" "))


def search_expired():
    while True:
        time.sleep(0.5)
        now = datetime.now(timezone.utc)
        for order_id, order in list(ORDERS.items()):
            if order["state"] == "open" and order["expires_at"] and order["expires_at"] < now:
                try:
                    settle(order_id)
                except Exception as error:  # The next round tries again.
                    print(error, flush=True)


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, view=None):
        body = b"" if view is None else json.dumps(view).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        order = ORDERS.get(self.path.removeprefix("/orders/"))
        self.answer(200 if order else 404, order and {"state": order["state"], "fulfilled": order["fulfilled"]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            self.answer(self.create(body) if self.path == "/orders" else self.receive(body))
        except Exception as error:
            print(error, flush=True)
            self.answer(500)

    def receive(self, body):
        if len(body) > MAX_BODY or not is_genuine(self.headers, body):
            return 401
        event = json.loads(body)
        if self.headers.get("webhook-test") != "true" and event["status"] in ("Success", "Failed"):
            settle(event["merchantTxnId"])
        return 200

    def create(self, body):
        order_id = json.loads(body)["order_id"]
        customer = {"name": "Asha Rao", "email": "asha@example.com", "phone": "9876543210"}
        created = call("/api/v1/orders/create", {"order_id": order_id, "amount": "499.00", "customer": customer})
        expires_at = datetime.fromisoformat(created["data"]["transaction"]["expires_at"].replace("Z", "+00:00"))
        with LOCK:
            ORDERS.setdefault(order_id, {"state": "open", "fulfilled": 0, "expires_at": expires_at})
        return 201

    def log_message(self, *_):
        pass


threading.Thread(target=search_expired, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
