"""Loaded by Schemathesis: the merchant's token, and rules that a JSON Schema cannot say."""

import json
import os
import re
import urllib.request

import schemathesis

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T")
DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?", re.IGNORECASE)
RUPEES = re.compile(r"\d+(\.\d+)?")
LISTS_OF_THE_LEDGER = (
    "GET /api/v1/orders",
    "GET /api/v1/refunds",
    "GET /api/v1/settlements",
    "GET /api/v1/settlements/{id}/lines",
)
LONGEST_CURSOR = 512
UPI_TAKES = 100_000
METHODS = ("upi", "credit_card", "debit_card", "netbanking")


@schemathesis.auth(refresh_interval=300)
class MerchantToken:
    """A token lives ten minutes, a run may take longer."""

    def get(self, case, context):
        body = json.dumps({"key_id": os.environ["FUZZ_KEY_ID"], "key_secret": os.environ["FUZZ_KEY_SECRET"]})
        request = urllib.request.Request(
            os.environ["FUZZ_BASE_URL"] + "/api/v1/auth/token",
            data=body.encode(),
            headers={"content-type": "application/json"},
        )
        return json.load(urllib.request.urlopen(request))["token"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.operation.label in LISTS_OF_THE_LEDGER and isinstance(case.query, dict):
        case.query = possible_query(case.query)
    body = case.body
    if not isinstance(body, dict):
        return
    if case.operation.label == "POST /api/v1/credentials":
        # A credential ends in the future. The calendar repeats after 400 years.
        time = body.get("expires_at")
        if isinstance(time, str) and TIME.match(time):
            case.body = {**body, "expires_at": f"{2400 + int(time[:4]) % 400}{time[4:]}"}
    if case.operation.label == "POST /api/v1/orders/create" and body.get("methods") == ["upi"]:
        # How much UPI takes depends on the merchant's category.
        amount = body.get("amount")
        if isinstance(amount, str) and RUPEES.fullmatch(amount) and float(amount) > UPI_TAKES:
            case.body = {**body, "amount": "499.00"}
    if case.operation.label == "POST /api/v1/sandbox/simulate" and body.get("method") in METHODS:
        # A simulated payment uses a method that its order takes.
        case.body = {name: value for name, value in body.items() if name != "method"}


def possible_query(query):
    """A cursor is made by the service, and a range ends after it begins. Invalid texts stay, since they must be refused."""
    unwanted = set()
    cursor = query.get("cursor")
    if isinstance(cursor, str) and 1 <= len(cursor) <= LONGEST_CURSOR:
        unwanted.add("cursor")
    begin, end = query.get("from"), query.get("to")
    if are(DAY_OR_TIME, begin, end) and begin[:10] >= end[:10]:
        unwanted.add("to")
    least, most = query.get("amount_min"), query.get("amount_max")
    if are(RUPEES, least, most) and float(least) > float(most):
        unwanted.add("amount_max")
    return {name: value for name, value in query.items() if name not in unwanted}


def are(pattern, *texts):
    return all(isinstance(text, str) and pattern.fullmatch(text) for text in texts)
