/** Queries over a few captures: which of them match, by the definition of the language and by the index. */
import { expect, test } from 'vitest'
import { traitsOf, searchableOf } from '../../../src-main/captures/query/index-entry.ts'
import { isSlowTerm, planQuery } from '../../../src-main/captures/query/plan.ts'
import {
  createMatcher,
  matchesValue,
  receiveTerms,
  sendTerms,
} from '../../../src-main/captures/query/query.ts'
import {
  readDeliveryFilter,
  readQuery,
  requireQuery,
} from '../../../src-main/captures/query/read-query.ts'
import type { SearchedCapture } from '../../../src-main/captures/query/searched-capture.ts'
import {
  namesOfAsset,
  symbolsOf,
  unitsWithin,
} from '../../../src-main/captures/query/values/chain.ts'
import { noNames } from '../../../src-main/captures/query/values/text.ts'
import {
  compoundBeginning,
  compoundsOf,
  hasPhrase,
  wordsOf,
} from '../../../src-main/captures/query/words.ts'
import { createFinder } from '../../../src-main/captures/store/index/finder.ts'
import { createIndexWriter } from '../../../src-main/captures/store/index/index-writer.ts'
import { openIndex } from '../../../src-main/captures/store/index/schema.ts'
import { createTerms } from '../../../src-main/captures/store/index/terms.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import type { ExplanationFacts } from '../../../src-preload/contract/capture.ts'

const a = `0:${'a1'.repeat(32)}`
const b = `0:${'b2'.repeat(32)}`
const c = `-1:${'c3'.repeat(32)}`
const jetton = `0:${'55'.repeat(32)}`
const hash = 'd4'.repeat(32)
/** The time in microseconds; the captures are of the first days of 1970. */
const day = 86_400_000_000
const ton = { jetton: null, symbol: 'TON', decimals: 9 }
const usdt = { jetton, symbol: 'USD₮', decimals: 6 }

type Later = NonNullable<SearchedCapture['later']>

const nothing: ExplanationFacts = {
  state: 'none',
  amount: null,
  sender: null,
  recipient: null,
  comment: null,
  opcode: null,
  exitCode: null,
  success: null,
  invoice: null,
}

function capture(
  id: number,
  over: Partial<SearchedCapture> & { text?: string },
  meaning: Partial<ExplanationFacts> = {},
  later: Partial<Later> = {},
): SearchedCapture {
  const { text = '', ...rest } = over
  const body = Buffer.from(text)
  return {
    origin: 'received',
    receivedAt: day * id,
    method: 'POST',
    bodyBytes: body.byteLength,
    completeness: 'complete',
    token: 'right',
    remoteAddress: '127.0.0.1',
    subpath: '',
    headers: [],
    body,
    status: 200,
    durationUs: 500,
    kind: 'unknown',
    account: null,
    lt: null,
    txHash: null,
    isDuplicate: false,
    isOutOfOrder: false,
    network: null,
    later: {
      id,
      tokenId: null,
      meaning: { ...nothing, ...meaning },
      explanation: null,
      summary: '',
      pinned: false,
      note: '',
      forward: null,
      ...later,
    },
    ...rest,
  }
}

const captures: readonly SearchedCapture[] = [
  capture(
    1,
    {
      kind: 'account_tx',
      account: a,
      lt: 50n,
      txHash: hash,
      network: 'testnet',
      text: `{"account_id":"${a}"}`,
    },
    {
      state: 'known',
      amount: { units: '1500000000', asset: ton, direction: 'in' },
      sender: b,
      recipient: a,
      comment: 'order-42 paid',
      opcode: '0x00000000',
      exitCode: 0,
      success: true,
      invoice: 'INV-1',
    },
    {
      explanation: `${b} sent 1.5 TON to ${a}, via ${c}.`,
      forward: 'delivered',
      tokenId: 'testnet/7',
    },
  ),
  capture(
    2,
    {
      kind: 'account_tx',
      account: b,
      lt: 60n,
      network: 'mainnet',
      isDuplicate: true,
      token: 'wrong',
      status: 503,
    },
    {
      state: 'known',
      amount: { units: '2500000', asset: usdt, direction: 'out' },
      sender: b,
      recipient: c,
      opcode: '0x7362d09c',
      exitCode: 35,
      success: false,
    },
    { pinned: true, note: 'Look again', forward: 'failed', tokenId: 'testnet/17' },
  ),
  capture(3, {
    text: 'free text order 42 with reorder-421 in München',
    headers: [
      ['User-Agent', 'curl/8.9'],
      ['X-Forwarded-For', '203.0.113.9, 10.1.1.1'],
    ],
    subpath: '/orders?shop=berlin',
    durationUs: 5_500,
  }),
  capture(4, {
    method: 'PUT',
    text: 'AB'.repeat(600),
    headers: [['User-Agent', 'Node "odd, agent"']],
    subpath: '/Refund/1,2',
    completeness: 'truncated',
    status: null,
    durationUs: null,
    isOutOfOrder: true,
    remoteAddress: '::ffff:10.0.0.7',
  }),
  capture(
    5,
    { kind: 'invoice', token: 'missing', origin: 'imported', status: 413, text: '{"id":"inv-2"}' },
    { invoice: 'inv-2' },
    { forward: 'dropped' },
  ),
  capture(
    6,
    { kind: 'mempool_msg', account: c, network: 'testnet' },
    { state: 'waiting', exitCode: -14 },
    { summary: 'pending message', forward: 'waiting' },
  ),
  capture(7, { completeness: 'partial', text: 'Überweisung late arrival' }),
]

function index() {
  const database = openIndex(':memory:', 100)
  database.exec(`ATTACH ':memory:' AS log;
    CREATE TABLE log.capture_marks (capture_id INTEGER PRIMARY KEY, pinned INTEGER, note TEXT);
    CREATE TABLE log.capture_origins (capture_id INTEGER PRIMARY KEY);
    CREATE TABLE log.forward_deliveries (capture_id INTEGER, target INTEGER, state INTEGER);
    INSERT INTO log.capture_marks VALUES (2, 1, 'Look again');
    INSERT INTO log.forward_deliveries VALUES (1, 1, 2), (2, 1, 2), (2, 2, 1), (5, 1, 3), (6, 1, 0);`)
  const terms = createTerms(database)
  const writer = createIndexWriter(database)
  for (const [at, subject] of captures.entries()) {
    writer.addTraits(at + 1, traitsOf(subject, terms))
    writer.addText(at + 1, searchableOf(subject, terms))
  }
  const finder = createFinder(database)
  return {
    shared: (key: string) => terms.of(key),
    find: (plan: Parameters<typeof finder.prepare>[0]) => {
      const window = { after: 0, before: 100 }
      const prepared = finder.prepare(plan, window)
      return finder.ids(prepared, prepared.window, false, 100)
    },
  }
}
const { shared, find } = index()

const names = {
  ...noNames,
  addresses: (name: string) => (name === 'shop' ? [a] : []),
  addressesLike: (text: string) => (['shop', 'my sh'].includes(text) ? [a, c] : []),
  opcodes: (name: string) => (name === 'my_op' ? [0x7362d09c] : []),
}

function results(text: string, typing: boolean) {
  const { terms, problems } = readQuery(text, { now: 0, names, typing })
  const sent = receiveTerms(sendTerms(terms))
  const { index: plan, checks } = planQuery(sent, shared)
  const matches = createMatcher({ terms: sent })
  const check = createMatcher({ terms: checks })
  const at = (subject: SearchedCapture) => captures.indexOf(subject) + 1
  return {
    problems,
    defined: captures.filter(matches).map(at),
    indexed:
      plan === null ? [] : find(plan).filter((id) => check(captures[id - 1] as SearchedCapture)),
  }
}

test.each<readonly [text: string, ids: readonly number[]]>([
  ['event:account_tx', [1, 2]],
  ['-event:account_tx', [3, 4, 5, 6, 7]],
  ['event:account_tx,invoice', [1, 2, 5]],
  ['event:opcode_msg', []],
  ['-event:opcode_msg', [1, 2, 3, 4, 5, 6, 7]],
  [`account:${a}`, [1]],
  ['account:0:a1*', [1]],
  ['account:-1:*', [6]],
  ['account:0:*', [1, 2]],
  ['account:*', [1, 2, 6]],
  ['-account:*', [3, 4, 5, 7]],
  ['account:shop', [1]],
  [`account:${a},${c}`, [1, 6]],
  [`account:0:a2*`, []],
  ['lt:>50', [2]],
  ['lt:50..60', [1, 2]],
  ['lt:<60', [1]],
  ['-lt:50', [2, 3, 4, 5, 6, 7]],
  ['lt:..10', []],
  ['hash:d4d4*', [1]],
  [`hash:${hash}`, [1]],
  ['hash:*', [1]],
  ['hash:e*', []],
  ['-hash:*', [2, 3, 4, 5, 6, 7]],
  ['status:200', [1, 3, 6, 7]],
  ['status:5xx', [2]],
  ['status:none', [4]],
  ['status:>=400', [2, 5]],
  ['status:413,none', [4, 5]],
  ['status:4*', [5]],
  ['-status:200', [2, 4, 5]],
  ['status:418', []],
  ['body:order', [3]],
  ['body:"order 42"', [3]],
  ['body:orde*', [3]],
  ['body:*rder-4*', [3]],
  ['body:*', [1, 3, 4, 5, 7]],
  ['-body:*', [2, 6]],
  ['body:munchen', [3]],
  ['body:"text order"', [3]],
  ['body:"order text"', []],
  ['header.user-agent:*odd*', [4]],
  ['header.user-agent:curl*', [3]],
  ['header.User-Agent:curl/8.9', [3]],
  ['header.absent:x', []],
  ['header.user-agent:*', [3, 4]],
  ['-header.user-agent:*', [1, 2, 5, 6, 7]],
  ['token:right', [1, 3, 4, 6, 7]],
  ['token:wrong', [2]],
  ['token:unchecked', [5]],
  ['token:missing', []],
  ['received:>1970-01-06', [6, 7]],
  ['received:1970-01-02T00:00Z..1970-01-03T00:00Z', [1, 2]],
  ['received:<1970-01-01', []],
  ['-received:>1970-01-06', [1, 2, 3, 4, 5]],
  ['network:testnet', [1, 6]],
  ['network:unknown', [3, 4, 5, 7]],
  ['-network:unknown', [1, 2, 6]],
  ['network:sandbox', []],
  ['network:mainnet,unknown', [2, 3, 4, 5, 7]],
  ['-network:testnet', [2, 3, 4, 5, 7]],
  ['duplicate:yes', [2]],
  ['duplicate:no', [1, 3, 4, 5, 6, 7]],
  ['order:late', [4]],
  ['order:right', [1, 2, 3, 5, 6, 7]],
  ['amount:1.5TON', [1]],
  ['amount:>1.5TON', []],
  ['amount:>=1.5GRAM', [1]],
  ['amount:2.5USDT', [2]],
  ['amount:<2.5usdt', []],
  ['amount:0..2.5USD₮', [2]],
  ['-amount:1.5TON', [2, 3, 4, 5, 6, 7]],
  ['amount:>0XYZ', []],
  ['amount:>9999999999999999999TON', []],
  ['asset:TON', [1]],
  ['asset:gram', [1]],
  ['asset:usd*', [2]],
  [`asset:${jetton}`, [2]],
  ['asset:NOT', []],
  ['-asset:TON', [2, 3, 4, 5, 6, 7]],
  ['direction:in', [1]],
  ['direction:out', [2]],
  [`sender:${b}`, [1, 2]],
  ['sender:*', [1, 2]],
  ['-sender:*', [3, 4, 5, 6, 7]],
  [`recipient:${c}`, [2]],
  ['comment:order', [1]],
  ['comment:"order-42"', [1]],
  ['comment:*', [1]],
  ['-comment:*', [2, 3, 4, 5, 6, 7]],
  ['comment:*rder*', [1]],
  ['comment:nothing', []],
  ['invoice:inv-1', [1]],
  ['invoice:*', [1, 5]],
  ['invoice:inv*', [1, 5]],
  ['invoice:*-2', [5]],
  ['invoice:i*1', [1]],
  ['-invoice:*', [2, 3, 4, 6, 7]],
  ['invoice:inv-9', []],
  ['invoice:inv-1,inv-2', [1, 5]],
  ['opcode:0x0', [1]],
  ['opcode:jetton_notify', [2]],
  ['opcode:*', [1, 2]],
  ['opcode:0x1', []],
  ['opcode:my_op', [2]],
  ['exit:0', [1]],
  ['exit:>0', [2]],
  ['exit:-14', [6]],
  ['exit:<0,35', [2, 6]],
  ['success:yes', [1]],
  ['success:no', [2]],
  ['success:yes,no', [1, 2]],
  ['-success:yes', [2, 3, 4, 5, 6, 7]],
  ['meaning:known', [1, 2]],
  ['meaning:none', [3, 4, 5, 7]],
  ['meaning:none,waiting', [3, 4, 5, 6, 7]],
  ['-meaning:none', [1, 2, 6]],
  ['forwarded:waiting', [6]],
  ['forwarded:failed', [2]],
  ['forwarded:delivered', [1]],
  ['forwarded:dropped', [5]],
  ['forwarded:no', [3, 4, 7]],
  ['forwarded:no,failed', [2, 3, 4, 7]],
  ['-forwarded:no', [1, 2, 5, 6]],
  ['pinned:yes', [2]],
  ['pinned:no', [1, 3, 4, 5, 6, 7]],
  ['pinned:yes,no', [1, 2, 3, 4, 5, 6, 7]],
  ['-pinned:yes', [1, 3, 4, 5, 6, 7]],
  ['-pinned:no', [2]],
  ['-pinned:yes,no', []],
  ['note:*', [2]],
  ['note:look', [2]],
  ['note:"look again"', [2]],
  ['note:agai*', [2]],
  ['note:*ook*', [2]],
  ['-note:*', [1, 3, 4, 5, 6, 7]],
  ['webhook:7', [1]],
  ['webhook:17', [2]],
  ['webhook:1', []],
  ['method:put', [4]],
  ['method:P*', [1, 2, 3, 4, 5, 6, 7]],
  ['method:GET', []],
  ['path:/orders', [3]],
  ['path:/orders*', [3]],
  ['path:*berlin', [3]],
  ['path:"/refund/1,2"', [4]],
  ['path:""', [1, 2, 5, 6, 7]],
  ['from:127.0.0.1', [1, 2, 3, 5, 6, 7]],
  ['from:10.0.0.7', [4]],
  ['from:203.0.113.*', [3]],
  ['from:10.1.1.1', [3]],
  ['size:0', [2, 6]],
  ['size:>1KB', [4]],
  ['size:1..100', [1, 3, 5, 7]],
  ['took:5ms', [3]],
  ['took:>0us', [1, 2, 3, 5, 6, 7]],
  ['took:<1ms', [1, 2, 5, 6, 7]],
  ['complete:yes', [1, 2, 3, 5, 6]],
  ['complete:no', [4, 7]],
  ['complete:partial', [7]],
  ['complete:truncated', [4]],
  ['origin:imported', [5]],
  ['id:>5', [6, 7]],
  ['id:2..3', [2, 3]],
  ['contains:"rder-4"', [3]],
  ['contains:ABAB', [4]],
  ['contains:berlin', [3]],
  ['contains:curl', [3]],
  ['contains:zzz', []],
  ['contains:ÜBER', [7]],
  ['-contains:ABAB', [1, 2, 3, 5, 6, 7]],
  ['order-42', [1, 3]],
  ['"order 42"', [1, 3]],
  ['-order-42', [2, 4, 5, 6, 7]],
  ['berlin', [3]],
  ['curl', [3]],
  ['paid', [1]],
  ['look', [2]],
  ['pending', [6]],
  ['INV-1', [1]],
  ['failed', [2]],
  ['failed exit 35', [2]],
  ['jetton_notify', [2]],
  ['my_op', [2]],
  ['TON', [1]],
  ['testnet', [1, 6]],
  ['1.5', [1]],
  ['1.500000000', [1]],
  [a, [1]],
  [b, [1, 2]],
  [c, [1, 2, 6]],
  [formatFriendly(a, { bounceable: true, testOnly: false }), [1]],
  [formatFriendly(a, { bounceable: false, testOnly: true }), [1]],
  ['duplicate', [2]],
  ['out of order', [4]],
  ['wrong token', [2]],
  ['missing token', []],
  ['truncated', [4]],
  ['partial', [7]],
  ['imported', [5]],
  ['account_tx', [1, 2]],
  ['gram', [1]],
  ['rebuilt', []],
  ['event:account_tx status:5xx', [2]],
  ['event:account_tx -status:5xx', [1]],
  ['order berlin', [3]],
  ['order -berlin', [1]],
  ['-berlin -paid', [2, 4, 5, 6, 7]],
])('a query finds its captures with and without the index: %s', (text, ids) => {
  expect(results(text, false)).toEqual({ problems: [], defined: ids, indexed: ids })
})

test.each<readonly [text: string, ids: readonly number[]]>([
  ['paym', []],
  ['ord', [1, 3]],
  ['order-4', [1]],
  ['mun', [3]],
  ['shop', [1, 2, 3, 6]],
  ['my sh', []],
  ['0:a1a1', [1]],
  [a.slice(0, 12), [1]],
  ['EQCh', [1]],
  ['200', [1, 3, 6, 7]],
  ['413', [5]],
  ['600', []],
  ['d4d4d4', []],
  [`d4d4d4…d4`, [1]],
  [hash, [1]],
  ['exit 3', []],
  ['account_t', []],
  ['1.50', [1]],
  ['1,500.50', []],
  ['+1.50', [1]],
  ['le', []],
  ['again look', [2]],
  ['our shop', []],
])('while the user types, words are beginnings, and shown texts are found: %s', (text, ids) => {
  expect(results(text, true)).toEqual({ problems: [], defined: ids, indexed: ids })
})

const planOf = (text: string, values = shared) => {
  const { terms } = readQuery(text, { now: 0, names })
  const { index: plan, checks } = planQuery(terms, values)
  return { plan, checks: checks.map(({ field }) => field.names[0]) }
}

test('a value that no capture has ends the search before it begins', () => {
  expect(planOf('event:opcode_msg method:put')).toEqual({ plan: null, checks: [] })
  expect(planOf('-event:opcode_msg')).toEqual({ plan: { match: null, conditions: [] }, checks: [] })
  // Nothing is checked either, because nothing can match.
  expect(planOf('contains:x event:opcode_msg')).toEqual({ plan: null, checks: [] })
})

test.each([
  ['contains:x', true],
  ['body:*ook', true],
  ['-body:*ook', true],
  ['amount:>9999999999999999999TON', true],
  ['amount:>1TON', false],
  ['event:invoice', false],
  ['event:opcode_msg', false],
  ['invoice:i*1', true],
  ['invoice:*-2', true],
  ['invoice:inv*', true],
  ['invoice:*', false],
  ['hash:d4*', false],
  ['sender:0:b2*', false],
])('a term is slow if captures must be read for it: %s', (text, slow) => {
  const [term] = readQuery(text, { now: 0, names }).terms
  expect(term === undefined ? null : isSlowTerm(term, shared)).toBe(slow)
})

test('values beyond the list of the index are checked in each capture', () => {
  const others = (key: string) => [...shared(key), { id: 999, value: null }]
  for (const text of ['method:put', 'network:testnet', 'amount:1.5TON', 'asset:TON']) {
    expect([text, planOf(text, others).checks]).toEqual([text, [text.split(':')[0]]])
  }
  const none = () => []
  expect(planOf('network:testnet', none)).toMatchObject({ checks: [] })
  expect(planOf('sender:*', none)).toEqual({ plan: null, checks: [] })
  expect(planOf('note:*', none)).toEqual({ plan: null, checks: [] })
})

test('terms with more than 5000 values in all are checked in each capture', () => {
  const many = (key: string) =>
    Array.from({ length: 2500 }, (_, id) => ({ id, value: `${key.charAt(0)}${id}` }))
  expect(planOf('method:m* path:p*', many).checks).toEqual([])
  expect(planOf('method:m* path:p* from:f*', many).checks).toEqual(['from'])
})

test('a search with negated terms alone begins with all captures', () => {
  expect(planOf('-body:order').plan?.match).toMatchObject({
    is: 'all',
    of: [{ is: 'facets', tokens: ['every'] }],
    but: [{ is: 'any' }],
  })
  expect(planOf('id:1').plan?.match).toBeNull()
})

test('a matcher tries cheap terms first', () => {
  const { terms } = readQuery('contains:x body:x event:invoice', { now: 0 })
  const read: string[] = []
  const watched = terms.map((term) => ({
    ...term,
    field: {
      ...term.field,
      value(of: SearchedCapture) {
        read.push(term.field.names[0])
        return (term.field.value as (of: SearchedCapture, name: string) => unknown)(of, '')
      },
    },
  }))
  const matches = createMatcher({ terms: watched as unknown as typeof terms })
  expect(captures.filter(matches)).toEqual([])
  expect(read.slice(0, 6)).toEqual(['event', 'event', 'event', 'event', 'event', 'body'])
})

const repeated = (text: string, count: number, between = ' ') =>
  Array.from({ length: count }, () => text).join(between)

test.each([
  [repeated('a', 60), null],
  [repeated('a', 61), 'The query is too long: at most 60 terms, with 200 alternatives.'],
  [`event:${repeated('invoice', 200, ',')}`, null],
  [`event:${repeated('invoice', 201, ',')}`, 'The query is too long'],
  [`"${repeated('a', 30)}"`, null],
  [`"${repeated('a', 31)}"`, 'too many words: at most 100, and 30 next to each other.'],
  [repeated(`"${repeated('a', 25)}"`, 4), null],
  [`${repeated(`"${repeated('a', 25)}"`, 4)} a`, 'The query has too many words'],
])('the length of a query is limited: %#', (text, problem) => {
  const { problems } = readQuery(text, { now: 0 })
  expect(problems).toHaveLength(problem === null ? 0 : 1)
  if (problem !== null) expect(problems[0]?.message).toContain(problem)
})

test('an invalid query is refused with the place of its first problem', () => {
  const refusal = (text: string) => () => requireQuery(text, { now: 0 })
  expect(refusal('event:invoice')).not.toThrow()
  expect(refusal('paid status:abc lt:x')).toThrow(
    'In the query at “abc”: A status: 500, 5xx, >=400, 400..499, or none.',
  )
  expect(refusal(`lt:${'x'.repeat(100)}`)).toThrow(`“${'x'.repeat(60)}”`)
})

test.each([
  ['account:>shop', 'Addresses cannot be compared with < or >.'],
  ['account:x0:a1*', 'An address (EQ…'],
  ['account:0:a1*b', 'An address (EQ…'],
  ['account:unknown', 'An address (EQ…'],
  ['asset:>TON', 'Text cannot be compared with < or >.'],
  [`asset:>${jetton}`, 'Text cannot be compared with < or >.'],
  ['opcode:nothing', 'An opcode: 0x0f8a7ea5'],
  ['hash:d4d4', 'A hash: 64 hexadecimal digits'],
  ['hash:xd4*', 'A hash: 64 hexadecimal digits'],
  ['hash:d4*x', 'A hash: 64 hexadecimal digits'],
  ['amount:5', 'An amount with its unit'],
  ['amount:x1.5TON', 'An amount with its unit'],
  ['amount:1.5TON!', 'An amount with its unit'],
  ['amount:1TON..2USDT', 'An amount with its unit'],
  ['amount:..', 'An amount with its unit'],
  ['amount:2TON..1TON', 'The end of the range is before its start.'],
  ['lt:..', 'A whole number'],
  ['lt:x..5', 'A whole number'],
  ['lt:5..x', 'A whole number'],
  ['lt:1.5', 'A whole number'],
  ['lt:x5', 'A whole number'],
  ['lt:123456789012345678901', 'A whole number'],
  ['exit:x', 'An exit code: 0, 35, -14, >0.'],
  ['status:0xx', 'A status: 500'],
  ['status:5xxx', 'A status: 500'],
  ['size:1XB', 'A size: 512'],
  ['size:1.MB', 'A size: 512'],
  ['size:x1MB', 'A size: 512'],
  ['took:1h', 'A time: >100ms'],
  ['received:2026-13-01', 'A time: today'],
  ['received:2026-06-31', 'A time: today'],
  ['received:x2026-06-30', 'A time: today'],
  ['received:2026-06-30T25:00', 'A time: today'],
  ['received:-1y', 'A time: today'],
  ['event:nothing', 'One of: account_tx'],
  ['event:>invoice', 'One of: account_tx'],
  ['body:>x', 'Words cannot be compared with < or >.'],
  ['body:*a*b*', 'Use * at the start or the end only.'],
  ['body:**', 'Use * at the start or the end only.'],
  ['body:--', 'Enter words, or use contains:"…"'],
  ['contains:""', 'Enter a text to find.'],
  ['network:nowhere', 'Use sandbox, testnet, mainnet, unknown'],
  ['webhook:nothing', 'Use the id of a webhook'],
])('a value that a field cannot have is refused: %s', (text, message) => {
  const { terms, problems } = readQuery(text, { now: 0, names })
  expect(terms).toEqual([])
  expect(problems.map((each) => each.message)).toEqual([expect.stringContaining(message)])
})

test('the native coin has two names, and a jetton that is named like it has one', () => {
  expect(symbolsOf(ton)).toEqual(['TON', 'GRAM'])
  expect(symbolsOf({ ...ton, symbol: 'ton' })).toEqual(['TON', 'GRAM'])
  expect(symbolsOf({ ...ton, jetton })).toEqual(['TON'])
  expect(symbolsOf({ ...ton, symbol: 'XYZ' })).toEqual(['XYZ'])
  expect(symbolsOf(usdt)).toEqual(['USDT'])
  expect(namesOfAsset(usdt)).toEqual(['USD₮', 'USDT', jetton])
  expect(namesOfAsset(ton)).toEqual(['TON', 'TON', 'GRAM'])
})

test('the bounds of an amount are whole units within it', () => {
  const whole = 10n ** 300n
  expect(unitsWithin({ low: null, high: null }, 9)).toEqual({ low: null, high: null })
  expect(unitsWithin({ low: 1n, high: whole - 1n }, 0)).toEqual({ low: 1n, high: 0n })
  expect(unitsWithin({ low: whole, high: whole }, 2)).toEqual({ low: 100n, high: 100n })
  expect(unitsWithin({ low: null, high: 0n }, 2)).toEqual({ low: null, high: 0n })
  expect(unitsWithin({ low: null, high: -1n }, 2)).toEqual({ low: null, high: -1n })
})

test('words are letters and digits without case and accents; together they are compounds', () => {
  expect(wordsOf('  a -- B\u0301\u0302c  ')).toEqual(['a', 'bc'])
  expect(wordsOf('Ω x')).toEqual(['ω', 'x'])
  expect([hasPhrase('\na\nb\n', [], true), hasPhrase('\na\nb\n', ['a'], false)]).toEqual([
    false,
    true,
  ])
  expect(['abc', 'a-b', 'a-bc', '-a-bc', 'ab-', 'é-b'].map(compoundBeginning)).toEqual([
    ...[null, null, 'abc', 'abc', null, null],
  ])
  const long = `a-${'b'.repeat(38)}`
  expect(compoundBeginning(long)).toBe(long.replace('-', ''))
  expect(compoundBeginning(`${long}b`)).toBeNull()
  expect([...compoundsOf(`a-${'b'.repeat(60)}`)]).toEqual([`a${'b'.repeat(39)}`])
  const many = Array.from({ length: 501 }, (_, number) => `x-${number}`).join(' ')
  expect(compoundsOf(many).size).toBe(500)
  expect(compoundsOf(`${' '.repeat(64 * 1024)}a-bc`).size).toBe(0)
  expect(compoundsOf(`${' '.repeat(64 * 1024 - 4)}a-bc`).size).toBe(1)
})

const testsOf = (text: string, typing = false) =>
  readQuery(text, { now: 0, names, typing }).terms.map(({ tests }) => tests)
const phrasesOf = (text: string) =>
  testsOf(text).map((tests) => tests.flatMap((each) => (each.is === 'words' ? [each.phrase] : [])))

test.each<readonly [text: string, plain: string | null]>([
  ['1,234.50', '1234.5'],
  ['1,234', '1234'],
  ['+1’234', '1234'],
  ['−12,345,678.00', '12345678'],
  ['123\u00a0456.7', '123456.7'],
  ['1,234.5012', '1234.5012'],
  ['12.00', '12'],
  ['+12.340', '+12.34'],
  ['1.0500', '1.05'],
  ...[
    'x1,234',
    '1,234x',
    '1,23',
    '1,2345',
    '1234,567',
    ',234',
    '1234',
    'x1.50',
    '1.50x',
    '1.5',
  ].map((text) => [text, null] as const),
])('an amount is also searched as captures write it: %s', (text, plain) => {
  expect(phrasesOf(`"${text}"`)).toEqual([plain === null ? [text] : [text, plain]])
})

test('while the user types, at most ten words are looked up as names', () => {
  const asked: string[] = []
  const addressesLike = (text: string) => [asked.push(text) > 0 ? a : b]
  const text = Array.from({ length: 11 }, (_, at) => `w${at}`).join(' ')
  const named = (typing: boolean) =>
    readQuery(text, { now: 0, names: { ...noNames, addressesLike }, typing }).terms.filter(
      ({ tests }) => tests.some((each) => each.is === 'field' && each.field === 'account'),
    ).length
  expect([named(false), asked.length]).toEqual([0, 0])
  expect([named(true), asked.length]).toEqual([10, 10])
})

test('the beginning of an address, of a hash and a status are found while the user types', () => {
  const fieldsOf = (text: string, typing = true) =>
    testsOf(text, typing)[0]?.flatMap((each) => (each.is === 'field' ? [each.field] : []))
  const accounts = ['account', 'sender', 'recipient', 'mentioned']
  expect(fieldsOf('0:a')).toEqual([])
  expect(fieldsOf('0:ab')).toEqual(accounts)
  expect(fieldsOf('0:ab', false)).toEqual([])
  expect(['200', '2000', '1200', '600', '20'].map((text) => fieldsOf(text))).toEqual([
    ...[['status'], [], [], [], []],
  ])
  expect(fieldsOf('200', false)).toEqual([])
  const patterns = testsOf(hash, true)[0]?.flatMap((each) =>
    each.is === 'field' && each.test.is === 'text' ? [each.test.pattern] : [],
  )
  expect(patterns).toEqual([[hash]])
  const forms = testsOf(a)[0]?.filter((each) => each.is === 'words')
  expect(forms).toHaveLength(6)
  expect(forms?.some(({ prefix }) => prefix)).toBe(false)
})

test.each([
  ['missing token', 'token', 'missing'],
  ['wrong token', 'token', 'wrong'],
  ['rebuilt', 'origin', 'rebuilt'],
  ['test', 'origin', 'test'],
  ['watched', 'origin', 'watched'],
  ['Out of Order', 'order', 'late'],
])('a text that a row shows is one term: %s', (text, field, value) => {
  const shown = { is: 'field', field, test: { is: 'text', pattern: [value] } }
  for (const query of [text, `before ${text} after`, `${text} event:invoice`]) {
    const terms = testsOf(query, true)
    expect(terms.filter((tests) => tests.length > 1)).toHaveLength(1)
    expect(terms.flat()).toContainEqual(shown)
    expect(terms).toHaveLength(query === text ? 1 : query.startsWith('before') ? 3 : 2)
  }
  // The text is complete, so its last word is not the beginning of another.
  const phrase = { is: 'words', phrase: text, prefix: false }
  if (text.includes(' ')) expect(testsOf(text, true)[0]).toContainEqual(phrase)
})

test('a field may be typed in part, and only headers have a name after a dot', () => {
  const problemsOf = (text: string, typing = false) =>
    readQuery(text, { now: 0, names, typing }).problems.map((each) => each.message)
  expect(problemsOf('account:EQChoa', true)).toEqual([])
  expect(problemsOf('account:EQChoa')).toEqual([expect.stringContaining('An address')])
  expect(readQuery('header.X.Y:z', { now: 0 }).terms[0]?.name).toBe('x.y')
  expect(problemsOf('event.x:invoice')).toEqual([
    expect.stringContaining('Unknown field “event.x”'),
  ])
  expect(problemsOf('header.x-id:')).toEqual([expect.stringContaining('Example: header.x-id:')])
  expect(problemsOf('event:')).toEqual([expect.stringContaining('Example: event:')])
})

test('a filter of deliveries knows the names of addresses, and without terms it takes all', () => {
  const takes = (text: string) => readDeliveryFilter(text, 'arrival', 0, names)
  const [first, second] = captures
  if (first === undefined || second === undefined) throw new Error('There are two.')
  expect([takes('account:shop')(first), takes('account:shop')(second)]).toEqual([true, false])
  expect([takes('')(first), takes(' ')(second)]).toEqual([true, true])
})

test('each kind of test holds for some values', () => {
  const range = { is: 'range', low: 5n, high: 5n } as const
  expect(['5', 'x5', '5x', '-5'].map((value) => matchesValue(range, value))).toEqual([
    ...[true, false, false, false],
  ])
  expect(['', 'x'].map((value) => matchesValue({ is: 'some' }, value))).toEqual([false, true])
  const inside = { is: 'inside', text: 'ab' } as const
  expect(['xABx', 'a b'].map((value) => matchesValue(inside, value))).toEqual([true, false])
  const others = [
    { is: 'words', phrase: 'x', prefix: false },
    { is: 'compound', beginning: 'x' },
    { is: 'field', field: 'event', test: inside },
    { is: 'amount', symbol: 'x', low: null, high: null },
  ] as const
  expect(others.map((each) => matchesValue(each, 'x'))).toEqual([false, false, false, false])
})

test('a test that a field cannot have holds for no capture', () => {
  const { terms } = readQuery('body:x contains:x amount:>0TON lt:>0', { now: 0 })
  const some = { is: 'some' } as const
  const amount = { is: 'amount', symbol: 'TON', low: null, high: null } as const
  const range = { is: 'range', low: null, high: null } as const
  const found = terms.map((term) => {
    const tests = [
      term.field.by === 'words'
        ? amount
        : term.field.by === 'number'
          ? amount
          : term.field.by === 'amount'
            ? range
            : some,
    ]
    return captures.filter(createMatcher({ terms: [{ ...term, tests }] })).length
  })
  expect(found).toEqual([0, 0, 0, 0])
})

const rangesOf = (text: string) => {
  const [term] = readQuery(text, { now: Date.UTC(2026, 10, 21) }).terms
  return term?.tests.map((each) => (each.is === 'range' ? [each.low, each.high] : null)) ?? null
}
const KiB = 1024n
const us = (text: string) => BigInt(Date.parse(text)) * 1000n
const one = (value: bigint) => [[value, value]]
const span = (text: string, length: bigint) => [[us(text), us(text) + length - 1n]]

test.each<readonly [text: string, range: readonly (readonly (bigint | null)[])[] | null]>([
  ['size:5', one(5n)],
  ['size:5b', one(5n)],
  ['size:1k', one(KiB)],
  ['size:1KB', one(KiB)],
  ['size:1KiB', one(KiB)],
  ['size:1m', one(KiB ** 2n)],
  ['size:2MB', one(2n * KiB ** 2n)],
  ['size:1MiB', one(KiB ** 2n)],
  ['size:1GB', one(KiB ** 3n)],
  ['size:1GiB', one(KiB ** 3n)],
  ['size:1.25KB', one(1280n)],
  ['took:5us', one(5n)],
  ['took:5µs', one(5n)],
  ['took:5', [[5_000n, 5_999n]]],
  ['took:5ms', [[5_000n, 5_999n]]],
  ['took:1.5s', [[1_500_000n, 2_499_999n]]],
  ['took:1m', [[60_000_000n, 119_999_999n]]],
  ['lt:5..5', one(5n)],
  ['lt:5..', [[5n, null]]],
  ['lt:..5', [[null, 5n]]],
  ['lt:>=5', [[5n, null]]],
  ['received:now', one(us('2026-11-21T00:00Z'))],
  ['received:-1s', [[us('2026-11-20T23:59:59Z'), null]]],
  ['received:-10m', [[us('2026-11-20T23:50Z'), null]]],
  ['received:<-2w', [[null, us('2026-11-07T00:00Z') - 1n]]],
  ['received:2026-11', [[us('2026-11-01T00:00+05:30'), us('2026-12-01T00:00+05:30') - 1n]]],
  ['received:2026-11-20', span('2026-11-20T00:00+05:30', 86_400_000_000n)],
  ['received:2026-11-20T10:30', span('2026-11-20T10:30+05:30', 60_000_000n)],
  ['received:2026-11-20T10:30z', span('2026-11-20T10:30Z', 60_000_000n)],
  ['received:2026-11-20T10:30:15', span('2026-11-20T10:30:15+05:30', 1_000_000n)],
  ['received:2026-11-20T10:30:15+02:00', span('2026-11-20T10:30:15+02:00', 1_000_000n)],
  ['received:2026-11-20T10:30:15.5-02:00', span('2026-11-20T10:30:15.5-02:00', 100_000n)],
  ['received:1790000000000000', one(1_790_000_000_000_000n)],
  ...[
    ['status:x5xx', 'size:1.1234567891KB', 'received:x-1h', 'received:-1hx', 'received:-1234567h'],
    ['received:17900000000000001', 'received:2026-11-20T10:30:15.1234567', 'received:>1..2'],
    ['received:2026-11-20T10', 'received:2026-11-20T10:30x', 'received:2026-11-20+02:00'],
    ['received:2026-02-30', 'received:2026-00-10', 'lt:>1..5'],
  ]
    .flat()
    .map((text) => [text, null] as const),
])('a number, a size and a time stand for a range: %s', (text, range) => {
  expect(rangesOf(text)).toEqual(range)
})
