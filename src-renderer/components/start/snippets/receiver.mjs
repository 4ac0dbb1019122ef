// Receives webhooks. Needs Node.js 24 or later, no packages.
// Start: WEBHOOK_TOKEN=… PORT=8080 node receiver.mjs
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const { WEBHOOK_TOKEN, PORT = '8080', DATABASE = 'webhooks.db' } = process.env
if (!WEBHOOK_TOKEN) throw new Error('Set WEBHOOK_TOKEN to the token of the webhook.')

// Your code. If it throws, the gateway gets 500 and delivers the event again.
function handleEvent(event) {
  console.log(`${event.event_type} ${event.account_id} ${event.tx_hash}`)
}

const database = new DatabaseSync(DATABASE)
database.exec('CREATE TABLE IF NOT EXISTS handled (tx_hash TEXT PRIMARY KEY) STRICT')
const insert = database.prepare('INSERT OR IGNORE INTO handled (tx_hash) VALUES (?)')

const sha256 = (text) => createHash('sha256').update(text).digest()
const expected = sha256(`Bearer ${WEBHOOK_TOKEN}`)

async function receive(request) {
  if (request.method !== 'POST') return 405
  // The comparison takes the same time whatever was sent, also where the header is missing.
  if (!timingSafeEqual(sha256(request.headers.authorization ?? ''), expected)) return 401
  const parts = []
  for await (const part of request) parts.push(part)
  let event
  try {
    event = JSON.parse(Buffer.concat(parts).toString())
  } catch {
    return 400
  }
  if (typeof event?.tx_hash !== 'string') return 400
  // The gateway may deliver an event more than once: the hash is stored with what you did.
  database.exec('BEGIN IMMEDIATE')
  try {
    if (insert.run(event.tx_hash).changes === 1) handleEvent(event)
    database.exec('COMMIT')
    return 200
  } catch (error) {
    database.exec('ROLLBACK')
    console.error(error)
    return 500
  }
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    // The sender has closed the connection.
    () => response.destroy(),
  )
})
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}`))
