"""Verifies a delivery: scheme v1 with the standard library, scheme v1a with `pip install cryptography`."""
import base64
import hashlib
import hmac
import os
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_signed(key: str, content: bytes, scheme: str, signature: bytes) -> bool:
    raw = base64.b64decode(key.split("_", 1)[1])
    if key.startswith("whsec_"):
        return scheme == "v1" and hmac.compare_digest(hmac.digest(raw, content, hashlib.sha256), signature)
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, content)
        return scheme == "v1a"
    except InvalidSignature:
        return False


def verify(key: str, headers: dict, body: bytes, tolerance: int = 300) -> bool:
    """`key` is whpk_… or whsec_…; `body` the bytes as they came, before any JSON parser."""
    timestamp = headers["webhook-timestamp"]
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > tolerance:
        return False
    content = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    pairs = (entry.split(",", 1) for entry in headers["webhook-signature"].split(" ") if "," in entry)
    return any(is_signed(key, content, scheme, base64.b64decode(text)) for scheme, text in pairs)


if __name__ == "__main__":
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    given = {name: os.environ[name.upper().replace("-", "_")] for name in names}
    body = sys.stdin.buffer.read()
    sys.exit(0 if any(verify(key, given, body) for key in sys.argv[1:]) else 1)
