#!/bin/sh
# Tests a backend against the sandbox. Start the backend, then run this from a clone of Tondesk:
#   BACKEND=http://127.0.0.1:3000 sh docs/sandbox-ci.sh
# The backend takes deliveries of transactions at /hook and of invoices at /invoices.
set -eu
backend=${BACKEND:-http://127.0.0.1:3000}
tondesk=${TONDESK:-npm run -s tondesk --}

# The sandbox ends with this script, however that ends.
work=$(mktemp -d)
: > "$work/ready" # Else the loop below may read the file before the sandbox's shell has made it.
$tondesk sandbox --ephemeral --with-parent --clock virtual --now 2026-01-01 --seed ci --port 0 --json \
  > "$work/ready" &
sandbox=$!
trap 'kill "$sandbox" 2> /dev/null || true; wait "$sandbox" || true; rm -rf "$work"' EXIT

# Wait until it is ready: a minute at most, and no longer than it runs.
tries=0
until grep -q '"event":"ready"' "$work/ready"; do
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ] || ! kill -0 "$sandbox" 2> /dev/null; then
    echo 'The sandbox did not start.' >&2
    exit 1
  fi
  sleep 0.1
done

# Prints a value of the JSON on standard input, for example: pick .id
pick() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }
ready() { head -n 1 "$work/ready" | pick "$1"; }

# request METHOD URL KEY [BODY]; an error of the sandbox is printed and ends the script.
request() {
  curl -sS --fail-with-body --max-time 60 -X "$1" "$2" -H "Authorization: Bearer $3" \
    -H 'Content-Type: application/json' -d "${4:-{\}}"
}
webhooks=$(ready .webhooksUrl)/webhooks
invoices=$(ready .consoleUrl)/api/v1/services/invoices
control=$(ready .controlUrl)
api_key=$(ready .apiKey)
control_key=$(ready .controlKey)
merchant=$(ready ".wallets.find(({ name }) => name === 'merchant').address")

# A webhook to the backend, subscribed to the merchant's wallet, and one for invoices.
hook=$(request POST "$webhooks" "$api_key" "{\"endpoint\":\"$backend/hook\"}" | pick .webhook_id)
request POST "$webhooks/$hook/account-tx/subscribe" "$api_key" \
  "{\"accounts\":[{\"account_id\":\"$merchant\"}]}" > /dev/null
request PUT "$control/invoices-app" "$control_key" "{\"webhooks\":[\"$backend/invoices\"]}" > /dev/null

# An invoice, as the backend's own code makes one, and half of its payment.
invoice=$(request POST "$invoices/invoice" "$(ready .invoicesToken)" \
  '{"amount":"1000000000","life_time":600,"currency":"TON"}' | pick .id)
request POST "$control/invoices/$invoice/pay" "$control_key" '{"how":"under"}' > /dev/null

# When this answers, the backend has had the delivery of the payment.
request POST "$control/idle" "$control_key" > /dev/null

# An hour later, at once: each retry and expiry on the way happens at its moment. The invoice has expired,
# with an overpayment of what was paid, and the backend has been told.
request POST "$control/clock/advance" "$control_key" '{"byMs":3600000}' > /dev/null
request POST "$control/idle" "$control_key" > /dev/null
request GET "$invoices/$invoice" "$(ready .invoicesToken)"
