/** Compares queries over stored captures by the index with the definition of the query language. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { IndexCalls } from '../../src-main/threads/index-thread.ts'
import { createNetworkOf } from '../../src-main/captures/explanation/network-of.ts'
import { createIndexedCapture } from '../../src-main/captures/indexed-capture.ts'
import { createMatcher, sendTerms } from '../../src-main/captures/query/query.ts'
import { readQuery } from '../../src-main/captures/query/read-query.ts'
import type { SearchedCapture } from '../../src-main/captures/query/searched-capture.ts'
import { noNames } from '../../src-main/captures/query/values/text.ts'
import { classify } from '../../src-main/receiver/classify.ts'
import { createFactsReader } from '../../src-main/captures/store/index/facts.ts'
import { createLogReader } from '../../src-main/captures/store/index/log-reader.ts'
import type { CaptureRecord } from '../../src-main/captures/store/capture-record.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import type { ExplanationFacts } from '../../src-preload/contract/capture.ts'
import { formatFriendly, toAddress } from '../../src-main/ton/address.ts'
import { testAccount, invoiceBody, otherAccount, transactionEvent } from '../fixtures/bodies.ts'
import { type CaptureLog, openCaptureLog } from '../fixtures/capture-log.ts'
import { seededRandom } from '../fixtures/seeded.ts'

const received = 240
const imported = 20
const begin = Date.UTC(2026, 10, 20) * 1000
const step = 600_000_000
const random = seededRandom(7)
const below = (count: number) => Math.floor(random() * count)
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T

const accounts = [testAccount, otherAccount, `0:${'ab'.repeat(32)}`, `-1:${'33'.repeat(32)}`]
const agents = ['tonapi-webhooks/2.1', 'curl/8.9', 'Node "odd, agent"', 'ngrok']
const comments = ['order-42', 'order-43 refund', 'Überweisung für Ελλάδα', '', null]
const assets = [
  { jetton: null, symbol: 'TON', decimals: 9 },
  { jetton: `0:${'55'.repeat(32)}`, symbol: 'USD₮', decimals: 6 },
]

function record(index: number): CaptureRecord {
  const body = Buffer.from(
    oneOf([
      () => transactionEvent({ account: oneOf(accounts), lt: `${below(90) + 10}` }),
      () => transactionEvent({ kind: 'opcode_msg', account: oneOf(accounts), lt: `${below(30)}` }),
      () => invoiceBody(`inv-${below(5)}`, oneOf(['paid', 'created'])),
      () => `free text ${oneOf(['order-42', 'order 42', 'reorder-421', 'ORDER-42'])} ${index}`,
      () => '',
    ])(),
  )
  const packed = below(5) === 0
  const wire = packed ? gzipSync(body) : body
  const path = oneOf(['', '/orders', '/orders?shop=berlin', '/Refund/1,2'])
  return {
    receivedAt: begin + index * step,
    method: oneOf(['POST', 'PUT']),
    target: `/hook/${'0'.repeat(32)}${path}`,
    httpVersion: '1.1',
    remoteAddress: oneOf(['127.0.0.1', '::ffff:10.0.0.7']),
    rawHeaders: [
      'User-Agent',
      oneOf(agents),
      ...(below(2) === 0 ? ['X-Forwarded-For', `203.0.113.${below(3)}, 10.1.1.1`] : []),
      // The capture has more values than the index lists, so the others are searched one by one.
      'X-Request-Id',
      `${'r'.repeat(200)}${index}`,
      ...(packed ? ['Content-Encoding', 'gzip'] : []),
    ],
    completeness: oneOf(['complete', 'complete', 'truncated', 'partial']),
    incident: null,
    token: oneOf(['right', 'wrong', 'missing', 'unchecked']),
    tokenId: oneOf([null, 'token-a', 'testnet/1', 'testnet/11']),
    status: oneOf([200, 200, 413, 503, null]),
    bodyBytes: wire.byteLength,
    body: wire,
  }
}

function explanation(): ExplanationFacts {
  return {
    state: oneOf(['known', 'waiting', 'unavailable']),
    amount: oneOf([
      null,
      { units: `${below(4)}500000`, asset: oneOf(assets), direction: oneOf(['in', 'out']) },
      // The amount is above SQLite’s largest integer.
      { units: `${10n ** 30n}`, asset: oneOf(assets), direction: 'in' },
    ]),
    sender: oneOf([null, ...accounts]),
    recipient: oneOf([null, ...accounts]),
    comment: oneOf(comments),
    opcode: oneOf([null, '0x7362d09c', '0x00000000']),
    exitCode: oneOf([null, 0, 35, -14]),
    success: oneOf([null, true, false]),
    invoice: oneOf([null, 'inv-1', 'INV-2']),
  }
}

/** The amount is between SQLite’s largest integer and the highest existing values. */
const beyond = `>${10n ** 25n}TON`
const friendly = toAddress(`0:${'55'.repeat(32)}`).toString()

const time = (index: number) => `${begin + index * step}`

/** Terms of each field with existing and other values, complete and in part. */
const makers: Readonly<Record<string, () => string>> = {
  event: () => `event:${oneOf(['account_tx', 'opcode_msg', 'invoice', 'unknown'])}`,
  account: () => `account:${oneOf([...accounts, '0:b1*', '*', '-1:*', `0:${'77'.repeat(32)}`])}`,
  lt: () => `lt:${oneOf(['>50', '<=20', '15..60', '33', '<0', `>${2n ** 62n}`])}`,
  hash: () => `hash:${oneOf(['aaaa*', '*', `${'a'.repeat(62)}33`, 'b*'])}`,
  status: () => `status:${oneOf(['200', '5xx', 'none', '>=400', '413,none', '404'])}`,
  body: () =>
    `body:${oneOf(['order', '"order-42"', 'orde*', '*rder-4*', '*', 'account_tx', 'inv'])}`,
  header: () =>
    oneOf([
      'header.user-agent:*ngrok*',
      'header.user-agent:curl*',
      'header.User-Agent:"Node \\"odd, agent\\""',
      'header.x-forwarded-for:*',
      'header.absent:x',
      `header.x-request-id:*r${below(received)}`,
    ]),
  token: () => `token:${oneOf(['right', 'wrong', 'missing,unchecked'])}`,
  received: () =>
    `received:${oneOf([`${time(50)}..${time(90)}`, `>${time(200)}`, `<=${time(3)}`, `..${time(0)}`])}`,
  network: () =>
    `network:${oneOf(['testnet', 'mainnet', 'unknown', 'sandbox', 'unknown,testnet'])}`,
  duplicate: () => `duplicate:${oneOf(['yes', 'no'])}`,
  order: () => `order:${oneOf(['late', 'right'])}`,
  amount: () =>
    `amount:${oneOf(['>0.0015TON', '1.5USDT', '0..2.5usdt', '<=1TON', '>0XYZ', '>1TON', beyond])}`,
  asset: () => `asset:${oneOf(['TON', 'usd*', 'USDT', `0:${'55'.repeat(32)}`, friendly, 'NOT'])}`,
  direction: () => `direction:${oneOf(['in', 'out'])}`,
  sender: () => `sender:${oneOf([...accounts, '*', '0:a*'])}`,
  recipient: () => `recipient:${oneOf(accounts)}`,
  comment: () => `comment:${oneOf(['order', '"order-42"', '*', 'uber*', '*efun*'])}`,
  invoice: () => `invoice:${oneOf(['inv-1', 'inv-2', '*', 'inv*', '*-2', 'inv-9'])}`,
  opcode: () => `opcode:${oneOf(['jetton_notify', '0x0', '*', '0x1'])}`,
  exit: () => `exit:${oneOf(['0', '>0', '-14', '<0,35'])}`,
  success: () => `success:${oneOf(['yes', 'no', 'yes,no'])}`,
  meaning: () => `meaning:${oneOf(['known', 'waiting', 'none', 'none,unavailable'])}`,
  forwarded: () =>
    `forwarded:${oneOf(['waiting', 'failed', 'delivered', 'dropped', 'no', 'no,failed'])}`,
  pinned: () => `pinned:${oneOf(['yes', 'no', 'yes,no'])}`,
  note: () => `note:${oneOf(['*', 'look', '"look again"', 'agai*'])}`,
  webhook: () => `webhook:${oneOf(['1', '11', '2'])}`,
  method: () => `method:${oneOf(['post', 'P*', 'GET'])}`,
  path: () => `path:${oneOf(['/orders', '/orders*', '*berlin', '"/refund/1,2"', '""'])}`,
  from: () => `from:${oneOf(['127.0.0.1', '10.0.0.7', '203.0.113.*', '10.1.1.1'])}`,
  size: () => `size:${oneOf(['0', '>100', '<1KB', '20..40'])}`,
  took: () => `took:${oneOf(['>0us', '<1s', '0us'])}`,
  complete: () => `complete:${oneOf(['yes', 'no', 'partial', 'truncated'])}`,
  origin: () => `origin:${oneOf(['received', 'imported', 'test'])}`,
  id: () => `id:${oneOf(['>100', '17', '1..30', '<0'])}`,
  contains: () => `contains:${oneOf(['"rder-4"', 'ORDER', 'zzz', '"berlin"'])}`,
  words: () =>
    oneOf(['order-42', 'tonapi', 'berlin', 'testing', 'für', '"order 42"', 'inv', 'look', '33*']),
  shown: () =>
    oneOf([
      ...[friendlyOf(0), friendlyOf(3), shortened(friendlyOf(1)), shortened(`${accounts[0]}`)],
      ...[friendlyOf(2).slice(0, 6), `${accounts[0]?.slice(0, 9)}`, 'aaaa…33', 'Uf8z', 'shop'],
      ...['order-4', 'order-4*', 'inv-', 'account_t', 'my sh', '0.001500000', '1.500000', '0.0005'],
      ...['200', '404', 'account_tx', 'invoice', 'duplicate', 'out of order', 'wrong token'],
      ...[
        'missing token',
        'truncated',
        'imported',
        'failed',
        'exit 35',
        'testnet',
        'jetton_notify',
      ],
      ...['"sent 3"', 'usdt', 'invoice INV-2'],
    ]),
}

/** The labels of this test's address book. */
const names = {
  ...noNames,
  addressesLike: (text: string) => (text === 'shop' ? [testAccount] : []),
}
const options = { now: begin / 1000, typing: true, names }

function friendlyOf(index: number): string {
  const bounceable = index % 2 === 0
  return formatFriendly(accounts[index] ?? testAccount, { bounceable, testOnly: index === 1 })
}

function shortened(text: string): string {
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}

function sentence(): string {
  return `${oneOf(accounts)} sent ${below(9)} USDT to ${oneOf(accounts)}.`
}

function makeQuery(): string {
  const terms = Array.from({ length: 1 + below(3) }, () => oneOf(Object.values(makers))())
  return terms.map((term) => `${below(4) === 0 ? '-' : ''}${term}`).join(' ')
}

/** Returns the captures as the query language sees them, with all stored facts. */
async function subjectsOf(log: CaptureLog): Promise<(SearchedCapture & { readonly id: number })[]> {
  const database = openDatabase(log.paths.index, { readOnly: true })
  try {
    const reader = createLogReader(database, log.paths.database)
    const facts = createFactsReader(database)
    const subjects = []
    for (const capture of reader.byIds(reader.idsBetween(1, received + imported))) {
      const forwardOf = (id: number) => reader.forwardOf(id)
      const read = { classify, networkOf: createNetworkOf([]), forwardOf }
      const subject = await createIndexedCapture(capture, read)
      const known = facts.byIds([capture.id]).get(capture.id)
      const later = subject.later === null ? null : { ...subject.later }
      const isDuplicate = typeof known?.duplicateOf === 'number'
      subjects.push({ ...subject, later, isDuplicate, isOutOfOrder: known?.outOfOrder === true })
    }
    return subjects
  } finally {
    database.close()
  }
}

async function searched(log: CaptureLog, text: string, newestFirst: boolean): Promise<number[]> {
  const { terms, problems } = readQuery(text, options)
  expect([text, problems]).toEqual([text, []])
  const sent = sendTerms(terms)
  const ids: number[] = []
  let reached: number | null = null
  for (;;) {
    const [after, before] = newestFirst ? [null, reached] : [reached, null]
    const page: Awaited<ReturnType<IndexCalls['search']>> = await log.index.ask('search', {
      terms: sent,
      after,
      before,
      newestFirst,
      limit: 70,
    })
    ids.push(...page.ids)
    if (page.next === null) return ids
    reached = page.next
  }
}

async function expectSame(log: CaptureLog, text: string, subjects: readonly SearchedCapture[]) {
  const { terms } = readQuery(text, options)
  const matches = createMatcher({ terms })
  const found = subjects.filter(matches)
  const ids = found.map(({ later }) => later?.id ?? 0)
  expect([text, await searched(log, text, false)]).toEqual([text, ids])
  expect([text, await searched(log, text, true)]).toEqual([text, ids.toReversed()])
  const sent = sendTerms(terms)
  const counted = await log.index.ask('count', { terms: sent })
  // A slow term is counted for a limited time, in which a busy computer may count only a few captures.
  if (counted.isExact) expect([text, counted.count]).toEqual([text, ids.length])
  else expect(text).toMatch(/contains:|\*/)
  const span = { from: begin, to: begin + received * step, buckets: 8 }
  const { buckets, isExact } = await log.index.ask('histogram', { terms: sent, ...span })
  const bars = buckets.map(({ matching }) => matching)
  const width = (received * step) / 8
  const expected = bars.map((_, index) => {
    const from = begin + index * width
    const isIn = ({ origin, receivedAt }: SearchedCapture) =>
      origin === 'received' && receivedAt >= from && receivedAt < from + width
    return found.filter(isIn).length
  })
  if (isExact) expect([text, bars]).toEqual([text, expected])
}

/** Writes rows as the forwarder does: with several targets, of which the worst state counts. */
function forward(log: CaptureLog): void {
  const insert = log.database.prepare(
    `INSERT INTO forward_deliveries
       (capture_id, target, rule, mode, state, lane, sort_lt, received_at, queued_at)
     VALUES (?, ?, 1, 'after', ?, '', 0, 0, 0)`,
  )
  for (let id = 1; id <= received; id += 1) {
    for (let target = 0; target < below(3); target += 1) insert.run(id, target, below(4))
  }
}

test('queries of the index find the same captures as the definition of the language, before and after explanations', async () => {
  await using log = await openCaptureLog()
  await log.append(Array.from({ length: received }, (_, index) => record(index)))
  // Imported captures are of another day, so that their order by time differs from their order by id.
  const old = Array.from({ length: imported }, (_, index) => record(index * 7))
  await log.append(old, 'imported')
  await log.index.ask('reach', { id: received + imported })
  forward(log)
  const mark = log.database.prepare(
    'INSERT INTO capture_marks (capture_id, pinned, note) VALUES (?, ?, ?)',
  )
  for (let id = 3; id <= received; id += 9)
    mark.run(id, below(2), oneOf(['', 'Look again', 'look']))
  for (const share of [0, 2]) {
    const ids = Array.from({ length: received }, (_, index) => index + 1)
    const network = () => oneOf([null, 'testnet', 'mainnet'])
    await log.learn(
      new Map(
        ids
          .filter(() => share > 0 && below(3) < share)
          .map((id) => [id, { network: network(), facts: explanation(), explanation: sentence() }]),
      ),
    )
    await log.index.ask('reindex', { ids })
    const subjects = await subjectsOf(log)
    expect(subjects).toHaveLength(received + imported)
    const single = share === 0 ? [] : Object.values(makers).map((make) => make())
    for (const text of [...single, ...Array.from({ length: share === 0 ? 10 : 40 }, makeQuery)]) {
      await expectSame(log, text, subjects)
    }
  }
})
