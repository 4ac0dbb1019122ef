"""A merchant's backend that receives the gateway's webhooks, with the standard library of Python 3.11 only.

It credits deposits by their comment, keeps invoices and gives overpayments back. Its rules: an event is only a hint and the gateway is
asked, a record is on the disk before the response is 200, and a transaction counts once, however often and in
which order its events arrive.

DEFECT=name breaks exactly one rule, so that the lab (docs/lab.md) can be seen to find it. Each defect is one
condition `defect("name")`; without the variable, none of them is true.
"""

import hmac
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import wallet


def defect(name):
    return os.environ.get("DEFECT") == name


# Settings: the variables of the lab, or the file that `--env-file` wrote.


def read_settings(path):
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        matches = [re.match(r"(\w+)=(.*)$", line) for line in file]
    return {match[1]: match[2] for match in matches if match}


SETTINGS = {**read_settings(os.environ.get("HANDLER_ENV_FILE")), **os.environ}


def setting(name):
    return SETTINGS.get(f"TONDESK_LAB_{name}", "")


TARGET = urlsplit(setting("TARGET_URL"))
USDT_MASTER = setting("USDT_MASTER")
ACCOUNTS = [each for each in (setting("ACCOUNT"), setting("DEPOSIT_ACCOUNT")) if each]
ROOTS = {
    "query": (setting("QUERY_URL"), setting("API_KEY")),
    "testnet": (setting("TESTNET_QUERY_URL"), setting("API_KEY")),
    "webhooks": (setting("WEBHOOKS_URL"), setting("API_KEY")),
    "invoices": (setting("INVOICES_URL"), setting("INVOICES_TOKEN")),
}
INVOICES_PATH = "/api/v1/services/invoices"
LOOKUP_TIMEOUT = 2
MAX_BODY_BYTES = 1024 * 1024


class Journal:
    """Each line is a record that counts once it is on the disk."""

    def __init__(self, path):
        self.file = open(path, "ab+")
        self.file.seek(0)
        text = self.file.read()
        end = text.rfind(b"\n") + 1
        # A kill in the middle of a write leaves an unfinished last line, which was never acknowledged.
        self.file.truncate(end)
        self.records = [json.loads(line) for line in text[:end].splitlines()]

    def append(self, record):
        self.file.write(json.dumps(record).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())


class State:
    """Follows from the records. Amounts are int inside and decimal strings outside."""

    def __init__(self, journal):
        self.journal = journal
        self.lock = threading.RLock()
        # Transactions that are finished, by their key.
        self.settled = {}
        self.credits = {}
        self.invoices = {}
        # Payments that name an invoice, by its id.
        self.payments = defaultdict(list)
        # Refunds by their id, as signed messages.
        self.payouts = {}
        # The logical time up to which the history of an account was compared.
        self.cursors = {}
        self.highest_lt = defaultdict(int)
        self.last_time = defaultdict(int)
        self.accepted = 0
        for record in journal.records:
            self.apply(record, is_old=True)

    def commit(self, record):
        with self.lock:
            self.journal.append(record)
            self.apply(record, is_old=False)

    def apply(self, record, is_old):
        kind = record["kind"]
        if kind == "cursor":
            self.cursors[record["account"]] = int(record["lt"])
        if kind == "seen":
            self.settled[record["key"]] = True
        if kind == "unseen":
            self.settled.pop(record["key"], None)
        if kind == "invoice":
            self.invoices[record["id"]] = record
        if kind == "payout" and not (is_old and defect("payouts-in-memory")):
            self.payouts[record["id"]] = record
        if kind == "paid-out" and record["id"] in self.payouts:
            self.payouts[record["id"]] = {**self.payouts[record["id"]], "isDone": True}
        if kind == "settled":
            self.apply_settled(record, is_old)

    def apply_settled(self, record, is_old):
        account = record["account"]
        if not (is_old and defect("dedupe-in-memory")):
            self.settled[record["key"]] = True
        self.highest_lt[account] = max(self.highest_lt[account], int(record["lt"]))
        self.last_time[account] = max(self.last_time[account], record["time"])
        deposit = record["deposit"]
        if deposit is None:
            return
        amount = int(deposit["amount"])
        asset = deposit["asset"]
        if "invoice" in deposit:
            self.payments[deposit["invoice"]].append(amount)
            return
        credit = self.credits.setdefault(deposit["customer"], {})
        before = 0 if defect("last-part-only") else credit.get(asset, 0)
        credit[asset] = before + amount

    def show(self):
        """The probe of the lab: what was credited and which invoices are paid."""
        fields = ("status", "credited", "overpaid", "times")
        with self.lock:
            return {
                "credits": {
                    customer: {asset: str(amount) for asset, amount in credit.items()}
                    for customer, credit in self.credits.items()
                },
                "invoices": {
                    id: {field: invoice[field] for field in fields}
                    for id, invoice in self.invoices.items()
                },
                "payouts": {
                    id: {field: payout.get(field, False) for field in ("to", "amount", "isDone")}
                    for id, payout in self.payouts.items()
                },
                "events": {"accepted": self.accepted},
            }


FOLDER = setting("STATE") or "."
os.makedirs(FOLDER, exist_ok=True)
STATE = State(Journal(os.path.join(FOLDER, "journal.jsonl")))


# Requests to the gateway.


class Unavailable(Exception):
    """The gateway cannot respond now, so the delivery must come again."""

    def __init__(self, message, status=0, is_timeout=False):
        super().__init__(message)
        self.status = status
        self.is_timeout = is_timeout


OPENER = build_opener(ProxyHandler({}))
# More requests at once would only make each of them slower, until they time out.
OPEN_REQUESTS = threading.BoundedSemaphore(20)
paused_until = 0.0


def gateway(root, path, method="GET", body=None):
    with OPEN_REQUESTS:
        return request_gateway(root, path, method, body)


def request_gateway(root, path, method, body):
    """Returns the JSON, or None for 404. Whole numbers have any length in Python."""
    global paused_until
    if time.monotonic() < paused_until:
        raise Unavailable("the gateway asked for a pause")
    url, key = ROOTS[root]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = Request(url + path, data, headers, method=method)
    try:
        with OPENER.open(request, timeout=LOOKUP_TIMEOUT) as response:
            return json.loads(response.read() or b"{}")
    except HTTPError as error:
        error.close()
        if error.code == 404:
            return None
        if error.code == 429:
            # Without the header, the gateway's next delivery decides when to ask again.
            paused_until = time.monotonic() + float(error.headers.get("Retry-After", 0))
        raise Unavailable(f"{root} {error.code}", status=error.code) from error
    except (OSError, ValueError) as error:
        is_timeout = isinstance(error, TimeoutError) or "timed out" in str(error)
        raise Unavailable(str(error), is_timeout=is_timeout) from error


def find_transaction(hash):
    path = f"/v2/blockchain/transactions/{hash}"
    found = gateway("query", path)
    return gateway("testnet", path) if found is None and defect("any-network") else found


def run_method(account, method, argument=None):
    """Returns None if the contract has no such method, or does not respond to it."""
    query = "" if argument is None else f"?args={quote(argument)}"
    result = gateway("query", f"/v2/blockchain/accounts/{account}/methods/{method}{query}")
    return result.get("decoded") if result is not None and result["success"] else None


jettons = {}


def decimals_of(master):
    if master not in jettons:
        jettons[master] = gateway("query", f"/v2/jettons/{master}")
    return int(jettons[master]["metadata"]["decimals"])


masters = {}


def master_of(wallet, owner):
    """Finds the jetton of a wallet.

    What the wallet says of itself proves nothing, so the master must confirm that this is the owner's wallet.
    """
    if (wallet, owner) in masters:
        return masters[wallet, owner]
    claim = run_method(wallet, "get_wallet_data")
    if claim is None:
        return USDT_MASTER if defect("any-notification") else None
    if defect("symbol-only"):
        jetton = gateway("query", f"/v2/jettons/{claim['jetton']}")
        if jetton is not None and jetton["metadata"]["symbol"] == "USDT":
            return USDT_MASTER
    confirmed = run_method(claim["jetton"], "get_wallet_address", owner)
    is_own = confirmed is not None and confirmed["jetton_wallet_address"] == wallet
    masters[wallet, owner] = claim["jetton"] if is_own else None
    return masters[wallet, owner]


# What a transaction is worth.

JETTON_NOTIFICATION = "0x7362d09c"
TEXT_COMMENT = "0x00000000"


def deposit_of(transaction):
    """Returns None for a transaction that is not a deposit to an own account."""
    account = transaction["account"]["address"]
    is_trusted = defect("any-account") or defect("trusts-body-account")
    if account not in ACCOUNTS and not is_trusted:
        return None
    message = transaction.get("in_msg")
    if message is None or message["msg_type"] != "int_msg" or message["bounced"]:
        return None
    if not is_executed(transaction):
        return None
    if defect("refuses-future") and transaction["utime"] > time.time():
        return None
    opcode = message.get("op_code")
    if opcode == JETTON_NOTIFICATION:
        return jetton_deposit_of(message, account)
    if opcode not in (None, TEXT_COMMENT):
        return None
    comment = (message.get("decoded_body") or {}).get("text", "")
    return {"comment": comment, "asset": "TON", "amount": int(message["value"])}


def is_executed(transaction):
    """`success` is not enough.

    For an account without code it is also true when the coins went back, and a contract can succeed in the
    compute phase and fail in the action phase.
    """
    success = transaction["success"]
    bounced = "bounce_phase" in transaction
    compute = transaction.get("compute_phase") or {}
    action = transaction.get("action_phase") or {}
    if defect("ignores-bounce"):
        return success
    if defect("compute-only"):
        return compute.get("success") is True or not bounced
    is_computed = compute.get("skipped") is True or compute.get("success") is True
    return success and not bounced and is_computed and action.get("success", True)


def jetton_deposit_of(message, account):
    body = message.get("decoded_body") or {}
    if "amount" not in body:
        return None
    master = master_of(message["source"]["address"], account)
    if master is None:
        return None
    payload = (body.get("forward_payload") or {}).get("value") or {}
    comment = payload["value"]["text"] if payload.get("sum_type") == "TextComment" else ""
    asset = "USDT" if master == USDT_MASTER or defect("any-jetton") else master
    amount = int(body["amount"])
    if defect("scales-jettons") and asset != "USDT":
        amount = amount * 10**6 // 10 ** decimals_of(master)
    return {"comment": comment, "asset": asset, "amount": amount}


def fold_lookalikes(text):
    return text.translate(str.maketrans("аеорсух", "aeopcyx"))


def customer_of(comment):
    """A comment belongs to the customer with exactly this name."""
    known = [each for each in list(STATE.credits) if each]

    def same(fold):
        return next((each for each in known if fold(each) == fold(comment)), comment)

    if defect("folds-case"):
        return same(str.lower)
    if defect("folds-lookalikes"):
        return same(fold_lookalikes)
    if defect("first-word"):
        return comment.split(" ")[0]
    if defect("finds-name-in-comment"):
        return next((each for each in known if each in comment), comment)
    if defect("cuts-comment"):
        return comment[:64].strip()
    return comment


def stored_amount(amount, asset):
    if defect("comment-is-enough") and asset in ("TON", "USDT") and amount < 1_000:
        return 1_000_000_000
    if defect("float-amounts"):
        return int(float(amount))
    if defect("int64-amounts"):
        return (amount + 2**63) % 2**64 - 2**63
    return amount


# Events of transactions.


class Turns:
    """Runs one task after the other for a key, so that a check and its write are not separated."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = {}

    def run(self, key, task):
        with self.lock:
            lock, count = self.waiting.get(key, (threading.Lock(), 0))
            self.waiting[key] = (lock, count + 1)
        try:
            with lock:
                return task()
        finally:
            with self.lock:
                lock, count = self.waiting.pop(key)
                if count > 1:
                    self.waiting[key] = (lock, count - 1)


TURNS = Turns()
TRANSACTION_EVENTS = ("account_tx", "opcode_msg", "new_contracts")
is_next_event_lost = False
locked_keys = set()
event_number = 0


def accept_event(event):
    """Returns the status of the response."""
    if event.get("event_type") not in TRANSACTION_EVENTS:
        # A type that is added later is no reason to make the gateway repeat the delivery for ever.
        return 400 if defect("refuses-unknown-events") else 200
    hash = event.get("tx_hash")
    if not isinstance(hash, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", hash):
        return refuse_body()
    if event.get("account_id") not in ACCOUNTS and not defect("any-account"):
        return 200
    key = key_of(event)
    if key in locked_keys:
        return 200
    if defect("race"):
        return settle_event(key, event)
    return TURNS.run(key, lambda: settle_event(key, event))


def refuse_body():
    global is_next_event_lost
    is_next_event_lost = defect("error-hits-next-event")
    return 400


def key_of(event):
    """The hash names a transaction, in one spelling; nothing else of the body does."""
    hash = event["tx_hash"]
    if defect("dedupe-by-lt"):
        return f"{event['account_id']} {event['lt']}"
    if defect("dedupe-by-raw-hash"):
        return hash
    if defect("dedupe-per-event-type"):
        return f"{event['event_type']} {hash.lower()}"
    return hash.lower()


def is_settled(key):
    if defect("no-dedupe"):
        return False
    if defect("dedupe-last-10"):
        return key in list(STATE.settled)[-10:]
    return key in STATE.settled


def settle_event(key, event):
    if is_settled(key):
        return 200
    if defect("seen-before-credit"):
        STATE.commit({"kind": "seen", "key": key})
    try:
        transaction = find_transaction(event["tx_hash"].lower())
        if transaction is None:
            return accept_unknown(key, event)
        settle_transaction(key, transaction, event)
        return 200
    except Unavailable as error:
        if defect("seen-before-credit"):
            STATE.commit({"kind": "unseen", "key": key})
        if defect("lock-kept-after-timeout") and error.is_timeout:
            locked_keys.add(key)
        if defect("drops-on-429") and error.status == 429:
            return 200
        raise


def accept_unknown(key, event):
    """The gateway may know the transaction later, so the delivery must come again."""
    if not defect("trusts-body") or "amount" not in event:
        return 503
    deposit = {"customer": event["comment"], "asset": "TON", "amount": str(event["amount"])}
    record = {"kind": "settled", "key": key, "account": event["account_id"], "lt": str(event["lt"])}
    STATE.commit({**record, "time": 0, "deposit": deposit})
    return 200


def settle_transaction(key, transaction, event):
    global event_number
    account = transaction["account"]["address"]
    lt = int(transaction["lt"])
    others = [each for name, each in STATE.highest_lt.items() if name != account]
    is_old = (
        (defect("lt-watermark") and lt < STATE.highest_lt[account])
        or (defect("watermark-across-accounts") and lt < max(others, default=0))
        or (defect("begins-at-present") and lt <= STATE.cursors.get(account, 0))
    )
    deposit = None if is_old else deposit_of(transaction)
    if defect("prefers-body-fields") and "amount" in event:
        amount = int(event["amount"])
        deposit = {"asset": "TON", "comment": event["comment"], "amount": amount}
    invoice = None if deposit is None else invoice_named_by(deposit["comment"])
    record = {"kind": "settled", "key": key, "account": account, "lt": str(lt)}
    credit = None if deposit is None else credit_of(deposit, invoice)
    STATE.commit({**record, "time": transaction["utime"], "deposit": credit})
    if invoice is not None:
        check_invoice(invoice["id"], is_transaction=True)
    event_number += 1


def credit_of(deposit, invoice):
    amount = stored_amount(deposit["amount"], deposit["asset"])
    credit = {"asset": deposit["asset"], "amount": str(amount)}
    if invoice is not None:
        return {**credit, "invoice": invoice["id"]}
    return {**credit, "customer": customer_of(deposit["comment"])}


# Invoices.


def invoice_named_by(comment):
    if not re.fullmatch(r"[0-9a-fA-F]{8}", comment):
        return None
    return gateway("invoices", f"{INVOICES_PATH}/{comment.lower()}")


paid_at_event = {}


def check_invoice(id, event=None, is_transaction=False):
    """An event of an invoice is only a reason to ask: deliveries of invoices carry no token."""

    def check():
        is_forged = event is not None and defect("trusts-invoice-event")
        path = f"{INVOICES_PATH}/{quote(id, safe='')}"
        invoice = event if is_forged else gateway("invoices", path)
        if invoice is None or invoice.get("id") != id:
            return
        before = STATE.invoices.get(id)
        after = judge_invoice(invoice, before, event is not None, is_transaction)
        if after != before:
            STATE.commit(after)
        refund(invoice, event is not None)

    TURNS.run(f"invoice {id}", check)


def judge_invoice(invoice, before, is_event, is_transaction):
    id = invoice["id"]
    closed = ("expired", "cancelled")
    if defect("closes-at-expiry") and before is not None and before["status"] in closed:
        return before
    is_paid = is_invoice_paid(invoice)
    times = 0 if before is None else before["times"]
    if is_paid and (times == 0 or (is_event and defect("fulfils-every-event"))):
        times += 1
    overpaid = invoice.get("overpayment", "0")
    if is_paid and defect("drops-overpayment"):
        overpaid = "0"
    if defect("counts-payment-after-status"):
        if is_paid:
            paid_at_event.setdefault(id, event_number)
        if is_transaction and id in paid_at_event and event_number > paid_at_event[id]:
            overpaid = str(int(overpaid) + int(invoice["amount"]))
    status = invoice["status"]
    if is_paid:
        status = "paid"
    elif status == "paid":
        status = "pending"
    credited = invoice["amount"] if is_paid else "0"
    if defect("fulfils-every-event"):
        credited = str(int(credited) * times)
    record = {"kind": "invoice", "id": id, "status": status, "credited": credited}
    return {**record, "overpaid": overpaid, "times": times}


def is_invoice_paid(invoice):
    """The gateway decides, by the time of the block."""
    status = invoice["status"]
    amount = int(invoice["amount"])
    payments = STATE.payments.get(invoice["id"], [])
    is_late = int(invoice.get("overpayment", 0)) >= amount
    if defect("late-is-paid") and status == "expired" and is_late:
        return True
    if defect("cancelled-is-paid") and status == "cancelled" and is_late:
        return True
    if defect("under-is-paid") and status == "pending" and payments:
        return True
    if defect("asset-blind") and status == "pending":
        return any(each >= amount for each in payments)
    if status != "paid":
        return False
    if defect("exact-only") and "overpayment" in invoice:
        return False
    if defect("needs-one-payment") and payments:
        return any(each >= amount for each in payments)
    created, changed = invoice["date_create"], invoice["date_change"]
    if defect("expiry-exclusive"):
        return changed < invoice["date_expire"]
    if defect("milliseconds"):
        return changed * 1000 <= created * 1000 + (invoice["date_expire"] - created)
    return True


# Refunds: the message is signed and stored before it is sent. The chain accepts these bytes once, because they
# contain the number of the wallet's next message, so they can be sent again after a failure.

seeds = {}


def refund(invoice, is_event):
    """Gives back what was paid too much, to the address that paid."""
    words = setting("ACCOUNT_MNEMONIC")
    is_paid = invoice["status"] == "paid" and "paid_by_address" in invoice
    if not words or not is_paid or invoice["currency"] != "TON":
        return
    id = invoice["id"]
    earlier = [each for each in list(STATE.payouts.values()) if each["invoice"] == id]
    is_again = defect("refunds-every-event") and is_event
    done = 0 if is_again else sum(int(each["amount"]) for each in earlier)
    amount = int(invoice.get("overpayment", 0)) - done
    if amount <= 0:
        return
    payout_id = f"refund {id} {len(earlier) + 1}"
    to = invoice["paid_by_address"]

    def pay_out():
        finish_payouts()
        if words not in seeds:
            seeds[words] = wallet.seed_of(words)
        seqno = wallet_seqno()
        valid_until = gateway("query", "/v2/blockchain/masterchain-head")["gen_utime"] + 600
        order = (ACCOUNTS[0], to, amount, payout_id, seqno, valid_until)
        boc = wallet.sign_payment(seeds[words], *order)
        record = {"kind": "payout", "id": payout_id, "invoice": id, "to": to}
        STATE.commit({**record, "amount": str(amount), "seqno": seqno, "boc": boc})
        finish_payouts()

    TURNS.run("wallet", pay_out)


def wallet_seqno():
    return gateway("query", f"/v2/wallet/{ACCOUNTS[0]}/seqno")["seqno"]


def finish_payouts():
    """Sends what was stored and is not known to be executed."""
    for payout in list(STATE.payouts.values()):
        if payout.get("isDone"):
            continue
        if wallet_seqno() <= payout["seqno"]:
            gateway("query", "/v2/blockchain/message", method="POST", body={"boc": payout["boc"]})
        if wallet_seqno() <= payout["seqno"]:
            raise Unavailable("the refund is not executed yet")
        STATE.commit({"kind": "paid-out", "id": payout["id"]})


# Authorization of deliveries.


class Authorization:
    def __init__(self):
        self.tokens = {setting("WEBHOOK_TOKEN")}
        self.refused = set()
        self.webhook_id = None

    def is_known(self, token):
        # Every token is compared in the same time, whatever its first letters are.
        return any([hmac.compare_digest(each.encode(), token.encode()) for each in self.tokens])

    def allows(self, header):
        match = re.fullmatch(r"Bearer (.+)", header or "")
        if match is None:
            return header is None and defect("accepts-no-token")
        token = match[1]
        if defect("accepts-any-token"):
            return True
        if defect("case-insensitive-token"):
            if any(each.lower() == token.lower() for each in self.tokens):
                return True
        if self.is_known(token):
            return True
        if defect("never-rereads") or token in self.refused:
            return False
        self.read_token()
        if self.is_known(token):
            return True
        # A refused token is asked about once, so that a stranger cannot make the backend call the gateway.
        if len(self.refused) < 1_000:
            self.refused.add(token)
        return False

    def read_token(self):
        """Reads the token of the own webhook again, because the merchant may have replaced it."""
        webhooks = gateway("webhooks", "/webhooks")["webhooks"]
        if self.webhook_id is None:
            own = (each["id"] for each in webhooks if each["token"] in self.tokens)
            self.webhook_id = next(own, None)
        read = {
            each["token"]
            for each in webhooks
            if each["id"] == self.webhook_id or defect("accepts-other-webhooks")
        }
        self.tokens = self.tokens | read if defect("accepts-old-token") else read


AUTHORIZATION = Authorization()


# After a downtime: deliveries may be lost, and the webhook may be offline.


def reconcile():
    AUTHORIZATION.read_token()
    TURNS.run("wallet", finish_payouts)
    for account in ACCOUNTS:
        if account not in STATE.cursors or defect("begins-at-present"):
            begin_at_present(account)
        elif not defect("no-reconcile"):
            reconcile_account(account)


def bring_back_online():
    for webhook in gateway("webhooks", "/webhooks")["webhooks"]:
        if webhook["id"] == AUTHORIZATION.webhook_id and webhook["status"] != "online":
            gateway("webhooks", f"/webhooks/{webhook['id']}/back-online", method="POST")


def history_of(account, query):
    found = gateway("query", f"/v2/blockchain/accounts/{account}/transactions?{query}")
    return [] if found is None else found["transactions"]


def begin_at_present(account):
    """A backend that starts for the first time does not credit what was paid before."""
    newest = history_of(account, "limit=1")
    lt = str(newest[0]["lt"]) if newest else "0"
    STATE.commit({"kind": "cursor", "account": account, "lt": lt})


def reconcile_account(account):
    last_time = STATE.last_time[account]
    while True:
        after = STATE.cursors[account]
        page = history_of(account, f"after_lt={after}&limit=100&sort_order=asc")
        for transaction in page:
            if defect("cursor-by-time") and transaction["utime"] <= last_time:
                continue
            reconcile_transaction(account, transaction)
        if not page:
            return
        STATE.commit({"kind": "cursor", "account": account, "lt": str(page[-1]["lt"])})


def reconcile_transaction(account, transaction):
    names = {"event_type": "account_tx", "account_id": account}
    key = key_of({**names, "lt": transaction["lt"], "tx_hash": transaction["hash"]})

    def settle():
        if key not in STATE.settled:
            settle_transaction(key, transaction, {})

    TURNS.run(key, settle)


def until_done(task):
    while True:
        try:
            return task()
        except Unavailable:
            time.sleep(0.5)


# The server.


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this, headers and body are two packets, and the second waits for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    in_flight = 0
    in_flight_lock = threading.Lock()

    def do_GET(self):
        if urlsplit(self.path).path == "/state":
            self.respond(200, json.dumps(STATE.show()).encode())
        else:
            self.respond(404)

    def do_POST(self):
        self.is_answered = False
        with Handler.in_flight_lock:
            Handler.in_flight += 1
        try:
            status = self.receive()
        except Unavailable:
            status = 503
        except Exception:
            traceback.print_exc()
            status = 503
        finally:
            with Handler.in_flight_lock:
                Handler.in_flight -= 1
        if not self.is_answered:
            self.respond(status)

    def receive(self):
        """Returns the status of the response."""
        global is_next_event_lost
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            self.close_connection = True
            return 413
        event = parse_event(self.rfile.read(length))
        if event is not None and isinstance(event.get("id"), str) and "event_type" not in event:
            check_invoice(event["id"], event)
            return 200
        if not AUTHORIZATION.allows(self.headers.get("Authorization")):
            return 401
        if event is None:
            return refuse_body()
        if is_next_event_lost:
            is_next_event_lost = False
            return 200
        if defect("drops-under-load") and Handler.in_flight > 50:
            return 200
        if defect("ack-before-commit"):
            self.respond(200)
        status = accept_event(event)
        if status == 200:
            STATE.accepted += 1
        return status

    def respond(self, status, body=b""):
        self.is_answered = True
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_):
        pass


def parse_event(data):
    """Returns None for a body that is not a JSON object."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # The backend also receives while the gateway does not respond.
    reconciling = threading.Thread(target=until_done, args=(reconcile,), daemon=True)
    reconciling.start()
    reconciling.join(3)
    server = Server((TARGET.hostname, TARGET.port), Handler)
    # The gateway repeats what waits as soon as the webhook is online, so the server listens before.
    threading.Thread(target=finish_start, args=(reconciling,), daemon=True).start()
    server.serve_forever()


def finish_start(reconciling):
    reconciling.join()
    if not defect("stays-offline"):
        until_done(bring_back_online)


if __name__ == "__main__":
    main()
