"""Runs with pytest or `python3 -m unittest`, with the standard library only."""

import json
import subprocess
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import Request, urlopen

COMMAND = ["npx", "--no-install", "tondesk-sandbox", "--json", "--with-parent", "--port=0",
           "--clock=virtual", "--now=2026-01-01"]


def call(method, url, key, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=60) as response:
        return json.load(response)


class ShopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The sandbox ends when its standard input closes, also if this process is killed.
        cls.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls.ready = json.loads(cls.process.stdout.readline())
        cls.received = received = []

        class Shop(BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        cls.shop = HTTPServer(("127.0.0.1", 0), Shop)
        threading.Thread(target=cls.shop.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{cls.shop.server_port}/"
        cls.control("PUT", "/invoices-app", {"webhooks": [url]})

    @classmethod
    def tearDownClass(cls):
        cls.process.stdin.close()
        cls.process.wait(30)
        cls.process.stdout.close()
        cls.shop.shutdown()
        cls.shop.server_close()

    @classmethod
    def control(cls, method, path, body=None):
        return call(method, cls.ready["controlUrl"] + path, cls.ready["controlKey"], body)

    def test_a_paid_invoice_is_reported_once(self):
        invoices = self.ready["consoleUrl"] + "/api/v1/services/invoices"
        order = {"amount": "1000000000", "currency": "TON", "life_time": 600}
        invoice = call("POST", invoices + "/invoice", self.ready["invoicesToken"], order)
        self.control("POST", f"/invoices/{invoice['id']}/pay", {"how": "exact"})
        self.control("POST", "/idle", {})
        reported = [(each["id"], each["status"]) for each in self.received]
        self.assertEqual(reported, [(invoice["id"], "paid")])


if __name__ == "__main__":
    unittest.main()
