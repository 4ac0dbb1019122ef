/** Fills a data directory with captures of many kinds, with their explanations, marks and forwards. */
import { createHash } from 'node:crypto'
import { dataPaths } from '../../../src-main/app/paths.ts'
import {
  type StoredExplanation,
  createCaptureExplanations,
} from '../../../src-main/captures/store/capture-explanations.ts'
import type { CaptureRecord } from '../../../src-main/captures/store/capture-record.ts'
import { openDatabase, transaction } from '../../../src-main/database/database.ts'
import { fillCaptures } from './fill.ts'

const batchSize = 5_000
const ton = { jetton: null, symbol: 'TON', decimals: 9 }
const usdt = { jetton: `0:${'b1'.repeat(32)}`, symbol: 'USDT', decimals: 6 }
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns one of a thousand accounts. */
export function accountOf(number: number): string {
  return `0:${digest(`account ${number % 1000}`)}`
}

export function hashOf(number: number): string {
  return digest(String(number))
}

/** A capture received within the last thirty days, in equal intervals. */
function record(number: number, count: number): CaptureRecord {
  const hash = hashOf(number)
  const kind = number % 50 === 0 ? 'opcode_msg' : 'account_tx'
  const body = Buffer.from(
    number % 200 === 7
      ? `{"id":"inv-${number}","status":"paid","amount":"1500000000","currency":"TON","pay_to_address":"${accountOf(number)}","payment_link":"ton://transfer/x?text=inv-${number}"}`
      : `{"event_type":"${kind}","account_id":"${accountOf(number)}","lt":${25713146000000 + number},"tx_hash":"${hash}"}`,
  )
  const span = 30 * 86_400_000_000
  const headers = {
    Host: '127.0.0.1:4801',
    'User-Agent': `tonapi-webhooks/1.${number % 7}`,
    'Content-Type': 'application/json',
    Authorization: 'Bearer 0123456789abcdef',
    'Content-Length': String(body.length),
    'X-Forwarded-For': `203.0.113.${number % 40}`,
    'X-Request-Id': hash.slice(0, 16),
  }
  return {
    receivedAt: Date.now() * 1000 - span + Math.round((number * span) / count),
    method: 'POST',
    target: `/hook/${'0'.repeat(32)}${number % 3 === 0 ? '/orders?shop=berlin' : ''}`,
    httpVersion: '1.1',
    remoteAddress: '127.0.0.1',
    rawHeaders: Object.entries(headers).flat(),
    completeness: number % 5000 === 1 ? 'partial' : 'complete',
    incident: null,
    token: number % 300 === 0 ? 'wrong' : 'right',
    tokenId: 'token-a',
    status: number % 97 === 0 ? 500 : 200,
    bodyBytes: body.length,
    body,
  }
}

function meaning(number: number): StoredExplanation {
  const isKnown = number % 10 !== 0
  const asset = number % 4 === 0 ? usdt : ton
  return {
    capture: number + 1,
    network: number % 20 === 0 ? null : number % 3 === 0 ? 'testnet' : 'mainnet',
    by: 'token',
    hash: null,
    rank: 0,
    tries: 0,
    nextAt: 0,
    problem: null,
    facts: {
      state: isKnown ? 'known' : 'unavailable',
      amount: isKnown
        ? {
            units: `${(number % 3000) * 1_000_000}`,
            asset,
            direction: number % 2 === 0 ? 'in' : 'out',
          }
        : null,
      sender: isKnown ? accountOf(number + 1) : null,
      recipient: isKnown ? accountOf(number) : null,
      comment: number % 5 === 0 ? `payment for order-${number}` : null,
      opcode: asset === usdt ? '0x7362d09c' : '0x00000000',
      exitCode: isKnown ? (number % 500 === 3 ? 35 : 0) : null,
      success: isKnown ? number % 500 !== 3 : null,
      invoice: number % 200 === 7 ? `inv-${number}` : null,
    },
    blockAt: null,
    understoodAt: null,
    explanation: isKnown
      ? `${accountOf(number + 1)} sent ${(number % 3000) / 1000} ${asset.symbol} to ${accountOf(number)}${
          number % 5 === 0 ? ` with the comment “payment for order-${number}”` : ''
        }.`
      : null,
    // Half of the payments have two deliveries, of the sender and of the recipient.
    trace: isKnown ? (number - (number % 4 === 1 ? 1 : 0)).toString(16).padStart(64, '0') : null,
  }
}

const forwardSql = `
  INSERT INTO forward_rules (id, name, filter, mode, enabled, keep_host, append_path, timeout_seconds,
    full_answer, created_at, reached, up_to)
  VALUES (1, 'bench', '', 'after', 0, 0, 0, 15, 0, 0, $count, $count);
`

/** Writes captures 1 to `count`. All except the failing ones are forwarded; one in twenty matches no rule. */
export async function fillInspector(dataDirectory: string, count: number): Promise<void> {
  await fillCaptures(dataDirectory, count, (number) => record(number, count))
  const database = openDatabase(dataPaths(dataDirectory).database)
  try {
    const meanings = createCaptureExplanations(database)
    for (let from = 0; from < count; from += batchSize) {
      const numbers = Array.from(
        { length: Math.min(batchSize, count - from) },
        (_, at) => from + at,
      )
      meanings.write(numbers.map(meaning), { to: count, gaps: [] })
    }
    database.prepare(forwardSql).run({ $count: count })
    database.exec(
      `INSERT INTO forward_targets (id, rule, url, place, is_used)
       VALUES (1, 1, 'http://127.0.0.1:9/', 0, 1)`,
    )
    const far = Date.UTC(2100, 0) * 1000
    transaction(database, () => {
      database
        .prepare(
          `INSERT INTO forward_deliveries (capture_id, target, rule, mode, state, lane, sort_lt,
             received_at, next_at, queued_at)
           SELECT id, 1, 1, 'after', CASE WHEN id % 1000 = 7 THEN 1 ELSE 2 END, '', id, received_at,
             ?, received_at FROM captures WHERE id % 20 <> 0`,
        )
        .run(far)
      database.exec(
        `INSERT INTO capture_marks (capture_id, pinned, note)
         SELECT id, id % 2, 'looked at' FROM captures WHERE id % 5000 IN (1, 2)`,
      )
    })
  } finally {
    database.close()
  }
}
