# Receives webhooks. Needs Python 3.9 or later, no packages.
# Start: WEBHOOK_TOKEN=… PORT=8080 python3 receiver.py
import hmac
import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = os.environ["WEBHOOK_TOKEN"]
DATABASE = os.environ.get("DATABASE", "webhooks.db")


def handle_event(event):
    """Your code. If it raises, the gateway gets 500 and delivers the event again."""
    print(event.get("event_type"), event.get("account_id"), event["tx_hash"], flush=True)


def is_from_gateway(authorization):
    # The comparison takes the same time whatever was sent, also where the header is missing.
    return hmac.compare_digest((authorization or "").encode(), f"Bearer {TOKEN}".encode())


def receive(body):
    try:
        event = json.loads(body)
        tx_hash = event["tx_hash"]
    except (ValueError, TypeError, KeyError):
        return 400
    if not isinstance(tx_hash, str):
        return 400
    # The gateway may deliver an event more than once: the hash is stored with what you did.
    database = sqlite3.connect(DATABASE)
    try:
        with database:
            found = database.execute("INSERT OR IGNORE INTO handled VALUES (?)", (tx_hash,))
            if found.rowcount == 1:
                handle_event(event)
        return 200
    except Exception as error:
        print(error, file=sys.stderr)
        return 500
    finally:
        database.close()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        if is_from_gateway(self.headers.get("Authorization")):
            status = receive(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        else:
            status = 401
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


with sqlite3.connect(DATABASE) as database:
    database.execute("CREATE TABLE IF NOT EXISTS handled (tx_hash TEXT PRIMARY KEY)")
server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
print(f"Listening on port {server.server_port}", flush=True)
server.serve_forever()
