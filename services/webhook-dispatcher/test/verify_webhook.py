"""Verifies one webhook with the published library: {"secret", "headers", "body" in base64} as the first argument."""
import base64
import json
import sys

from standardwebhooks import Webhook

given = json.loads(sys.argv[1])
payload = Webhook(given["secret"]).verify(base64.b64decode(given["body"]), given["headers"])
print(json.dumps(payload))
