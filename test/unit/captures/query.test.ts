/** Tests the text of queries: their terms, and the position and reason of errors. */
import { expect, test } from 'vitest'
import { completeQuery } from '../../../src-main/captures/query/completion.ts'
import type { Delivery } from '../../../src-main/captures/query/searched-capture.ts'
import { readDeliveryFilter, readQuery } from '../../../src-main/captures/query/read-query.ts'
import { queryFields } from '../../../src-main/captures/query/fields.ts'
import { largestUnits } from '../../../src-main/captures/query/index-entry.ts'
import { planQuery } from '../../../src-main/captures/query/plan.ts'
import type { SharedValue } from '../../../src-main/captures/store/index/terms.ts'
import { compoundsOf } from '../../../src-main/captures/query/words.ts'
import { unitsWithin } from '../../../src-main/captures/query/values/chain.ts'

// 21 November 2026, 05:30 in the time zone of the unit tests (UTC+5:30).
const now = Date.UTC(2026, 10, 21)
const friendly = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const raw = '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe'
const masterchain = `-1:${'3'.repeat(64)}`

const read = (text: string, typing = false) => readQuery(text, { now, typing })

/** Returns each term in short form: field, negation and tests. */
function shortly(text: string, typing = false): string[] {
  return read(text, typing).terms.map(({ field, name, negated, tests }) => {
    const asked = tests.map((each) => {
      switch (each.is) {
        case 'words':
          return `"${each.phrase}"${each.prefix ? '*' : ''}`
        case 'text':
          return each.pattern.join('*')
        case 'inside':
          return `~${each.text}`
        case 'range':
          return `${each.low ?? ''}..${each.high ?? ''}`
        case 'amount': {
          const { low, high } = unitsWithin(each, 9)
          return `${low ?? ''}..${high ?? ''}${each.symbol}`
        }
        case 'compound':
          return `${each.beginning}-*`
        case 'field':
          return each.field
        case 'some':
          return '*'
      }
    })
    return `${negated ? '-' : ''}${[field.names[0], name].filter(Boolean).join('.')}=${asked.join('|')}`
  })
}

const day = 86_400_000_000
const today = Date.UTC(2026, 10, 20, 18, 30) * 1000

test.each<[text: string, ...terms: string[]]>([
  ['event:account_tx', 'event=account_tx'],
  [`account:${friendly} -sender:${raw}`, `account=${raw}`, `-sender=${raw}`],
  ['account:0:B113*', 'account=0:b113*'],
  // The list shows the network's name of the coin, but captures contain TON.
  ['1.500000000 GRAM', 'words="1.500000000"|"1.5"', 'words="GRAM"|"TON"'],
  ['lt:>4690000 lt:<=5', 'lt=4690001..', 'lt=..5'],
  ['lt:1..5,7 lt:9..', 'lt=1..5|7..7', 'lt=9..'],
  ['status:500 -status:5xx,none', 'status=500..500', '-status=500..599|none'],
  ['body:"order-42"', 'body="order-42"'],
  ['body:order* body:*rder*', 'body="order"*', 'body=~rder'],
  ['body:"a \\"quoted\\" \\\\ word, and more"', 'body="a "quoted" \\ word, and more"'],
  ['header.User-Agent:*tonapi*', 'header.user-agent=*tonapi*'],
  ['token:wrong duplicate:yes order:late', 'token=wrong', 'duplicate=yes', 'order=late'],
  ['amount:>1.5TON', 'amount=1500000001..TON'],
  [
    'amount:20USDT amount:0.1..2USD₮',
    'amount=20000000000..20000000000USDT',
    'amount=100000000..2000000000USDT',
  ],
  ['received:today', `received=${today}..${today + day - 1}`],
  ['received:yesterday', `received=${today - day}..${today - 1}`],
  ['received:>2026-11-20', `received=${today}..`],
  ['received:2026-11-19..2026-11-20', `received=${today - 2 * day}..${today - 1}`],
  ['received:-1h', `received=${(now - 3_600_000) * 1000}..`],
  ['received:2026-11-21T00:00Z..', `received=${now * 1000}..`],
  ['received:1790000000000000..1790000000000999', 'received=1790000000000000..1790000000000999'],
  ['received:2026-11-21T00:00:00.25Z', `received=${now * 1000 + 250_000}..${now * 1000 + 259_999}`],
  ['size:>1KB took:5ms', 'size=1025..', 'took=5000..5999'],
  ['opcode:jetton_notify opcode:0xF', 'opcode=0x7362d09c', 'opcode=0x0000000f'],
  ['exit:-14 note:* forwarded:failed,no', 'exit=-14..-14', 'note=*', 'forwarded=failed|no'],
  ['contains:"a b"', 'contains=~a b'],
  // Text without a field is searched as words: pasted addresses, URLs, JSON.
  ['https://a.b/c', 'words="https://a.b/c"'],
  ['"event_type":"account_tx"', 'words="event_type:account_tx"'],
  ['-"two words" - ,', '-words="two words"'],
])('the terms of a query are parsed: %s', (text, ...terms) => {
  expect(read(text).problems).toEqual([])
  expect(shortly(text)).toEqual(terms)
})

test('only the unquoted word that is being typed matches as a prefix', () => {
  expect(shortly('settled paym', true)).toEqual(['words="settled"', 'words="paym"*'])
  for (const text of ['paym ', '"paym"', 'pa']) {
    expect(shortly(text, true)).toEqual([`words="${text.replaceAll('"', '').trim()}"`])
  }
})

test('a prefix with a hyphen matches as a prefix, however short its last word is', () => {
  expect(shortly('order-4', true)).toEqual(['words="order-4"|order4-*'])
  expect(shortly('order-47* more')).toEqual(['words="order-47"|order47-*', 'words="more"'])
  expect(shortly('order-471*')).toEqual(['words="order-471"*'])
  expect(shortly('order-4')).toEqual(['words="order-4"'])
  expect([...compoundsOf('pay ORDER-4711, to/my.shop {"event_type":"account_tx"}')]).toEqual([
    'order4711',
    'tomyshop',
    'accounttx',
  ])
})

test('an address matches the account fields and the text of a body in every form', () => {
  for (const text of [masterchain, raw, friendly, `"${friendly}"`]) {
    const [term] = read(text).terms
    const words = term?.tests.flatMap((each) => (each.is === 'words' ? [each.phrase] : []))
    const of = term?.tests.flatMap((each) => (each.is === 'field' ? [each.field] : []))
    expect(of).toEqual(['account', 'sender', 'recipient', 'mentioned'])
    expect(new Set(words).size).toBe(5)
  }
})

test.each<[text: string, place: string, message: RegExp]>([
  ['foo:bar', 'foo:', /Unknown field “foo”.*quotes/],
  ['a foo.bar:x', 'foo.bar:', /Unknown field/],
  ['status:500 body:"open', '"open', /closing quotation mark/],
  ['"', '"', /closing quotation mark/],
  ['header:x', 'header:', /the header’s name/],
  ['lt:', 'lt:', /Example: lt:>4690000/],
  ['-status:200,', '-status:200,'.slice(1), /Example: status/],
  ['lt:1,two', 'two', /whole number/],
  ['lt:5..3', '5..3', /before its start/],
  ['event:nothing', 'nothing', /One of: account_tx/],
  ['amount:>5', '>5', /with its unit/],
  ['amount:1TON..2USDT', '1TON..2USDT', /with its unit/],
  ['received:2026-02-30', '2026-02-30', /A time/],
  ['received:2026-11-21T25:00', '2026-11-21T25:00', /A time/],
  [`account:${friendly.replace('x', 'y')}`, friendly.replace('x', 'y'), /Not a valid address/],
  ['account:shop', 'shop', /labels/],
  ['network:other', 'other', /sandbox, testnet/],
  ['body:"--"', '"--"', /contains/],
  ['body:*a*b*', '*a*b*', /start or the end/],
  // Properties that every object inherits are not units.
  ['size:>5constructor', '>5constructor', /A size/],
  ['took:>1toString', '>1toString', /A time/],
  ['size:1__proto__', '1__proto__', /A size/],
  // Each of these words would be searched in every capture that contains the others.
  [`body:"${'a '.repeat(990)}"`, `body:"${'a '.repeat(990)}"`, /at most 100, and 30/],
  ['a*'.repeat(990), 'a*'.repeat(990), /at most 100, and 30/],
  ['hash:xyz', 'xyz', /hexadecimal/],
])('the query %s has an error at %s', (text, place, message) => {
  const { problems } = read(text)
  expect(problems.map(({ from, to }) => text.slice(from, to))).toEqual([place])
  expect(problems[0]?.message).toMatch(message)
})

test('an oversized query is refused, and parsing takes a time proportional to its length', () => {
  for (const bomb of [
    'a '.repeat(1000),
    'body:a '.repeat(280),
    'foo:x '.repeat(300),
    `body:${',a'.repeat(990)}`,
    'x'.repeat(5000),
    '"'.repeat(1999),
    `body:${'*a'.repeat(990)}`,
    `-${'-'.repeat(1990)}`,
    `a.${'a.'.repeat(990)}:`,
  ]) {
    const { terms, problems } = read(bomb)
    expect(terms.length).toBeLessThanOrEqual(60)
    expect(problems.length).toBeLessThanOrEqual(1000)
  }
  expect(read('a '.repeat(61)).problems).toHaveLength(1)
})

const delivery: Delivery = {
  origin: 'received',
  receivedAt: now * 1000,
  method: 'POST',
  subpath: '/orders?shop=berlin',
  headers: [
    ['User-Agent', 'tonapi-webhooks/2'],
    ['X-Forwarded-For', '203.0.113.7, 10.0.0.1'],
  ],
  body: Buffer.from('{"comment":"order-42 Überweisung"}'),
  bodyBytes: 34,
  completeness: 'complete',
  status: null,
  durationUs: null,
  token: 'wrong',
  remoteAddress: '::ffff:127.0.0.1',
  kind: 'account_tx',
  account: friendly,
  lt: 9_007_199_254_740_993n,
  txHash: null,
  isDuplicate: true,
  isOutOfOrder: false,
  network: null,
}

test.each<[filter: string, holds: boolean]>([
  ['', true],
  ['event:account_tx token:wrong', true],
  [`account:${raw}`, true],
  ['lt:9007199254740993 -lt:9007199254740992', true],
  ['body:"order-42"', true],
  ['body:order', true],
  ['body:orde', false],
  ['body:orde* berlin uberweisung', true],
  ['-body:order', false],
  ['header.user-agent:*tonapi* from:203.0.113.7 from:127.0.0.1', true],
  ['header.user-agent:tonapi', false],
  ['path:/orders,/others path:*berlin', true],
  ['contains:rder-4', true],
  ['network:unknown status:none duplicate:yes', true],
  ['took:>1ms', false],
  ['-took:>1ms', true],
  // No delivery has this header, so the term never matches, and its negation always does.
  ['header.absent:*', false],
  ['-header.absent:*', true],
])('a rule with the filter %j matches the delivery: %s', (filter, holds) => {
  expect(readDeliveryFilter(filter, 'indexed', now)(delivery)).toBe(holds)
})

test.each(['100', '200', '599'])(
  'the word %s also matches a status while it is typed, and never in the filter of a rule',
  (word) => {
    expect(shortly(word, true).join()).toContain('status')
    expect(shortly(word).join()).not.toContain('status')
    expect(readDeliveryFilter(word, 'indexed', now)({ ...delivery, status: Number(word) })).toBe(
      false,
    )
  },
)

const shared: Readonly<Record<string, readonly SharedValue[]>> = {
  network: [
    { id: 1, value: 'sandbox' },
    { id: 2, value: 'unknown' },
  ],
  meaning: [{ id: 3, value: 'known' }],
  token: [
    { id: 4, value: 'wrong' },
    { id: 5, value: null },
  ],
  asset: [{ id: 6, value: 'USDT\n6\n0:ab' }],
}
const plan = (text: string) => {
  const { index, checks } = planQuery(read(text).terms, (key) => shared[key] ?? [])
  return { ...index, checks: checks.map(({ field }) => field.names[0]) }
}

test('the index finds captures without a network as unknown, and those without an explanation as none', () => {
  const ids = (text: string) => plan(text).conditions?.map((each) => 'ids' in each && each.ids)
  expect(ids('network:unknown')).toEqual([[2, null]])
  expect(ids('network:sandbox,unknown')).toEqual([[1, 2, null]])
  expect(ids('network:sandbox')).toEqual([[1]])
  expect(ids('meaning:none')).toEqual([[null]])
  expect(ids('meaning:known')).toEqual([[3]])
})

test('a negated term that the index finds too much for is only checked, or captures would be missing', () => {
  const tokens = ['t4', 't5']
  expect(plan('token:wrong')).toEqual({
    match: { is: 'all', of: [{ is: 'facets', tokens }], but: [] },
    conditions: [],
    checks: ['token'],
  })
  expect(plan('-token:wrong')).toEqual({ match: null, conditions: [], checks: ['token'] })
})

test('captures with an amount from the largest number of the index on are checked, because the index does not distinguish larger amounts', () => {
  const checked = (units: bigint) =>
    plan(`amount:>=${String(units / 1_000_000n)}.${String(units % 1_000_000n)}USDT`).checks
  expect(checked(largestUnits)).toEqual(['amount'])
  expect(checked(largestUnits - 1n)).toEqual([])
})

test("a filter is refused in a rule that runs before the field's value exists", () => {
  const refused = (text: string, stage: 'arrival' | 'indexed') => () =>
    readDeliveryFilter(text, stage, now)
  for (const { names, known, example } of queryFields) {
    const text = `${names[0]}${names[0] === 'header' ? '.x' : ''}:${example.replace('EQ…', raw)}`
    if (known === 'later') expect(refused(text, 'indexed')).toThrow(/exists only after|no webhook/)
    if (known === 'indexed') expect(refused(text, 'arrival')).toThrow(/moments later/)
    if (known === 'arrival') expect(refused(text, 'arrival')).not.toThrow()
  }
  expect(refused('body:"open', 'arrival')).toThrow(/closing quotation mark/)
})

const choices = {
  values: (key: string) =>
    ({
      'header.user-agent': ['curl/8', 'tonapi webhooks'],
      'header.authorization': ['Bearer 0123456789abcdef'],
      status: ['200', '503'],
      asset: ['USDT\n6\n0:ab'],
    })[key] ?? [],
  headers: () => ['user-agent', 'host'],
  labels: (part: string) => (part === 'sh' ? [{ text: 'my shop', hint: '0:ab' }] : []),
  networks: () => [],
  operations: () => [{ text: 'PlaceOrder', hint: '0x11223344' }],
  webhooks: () => [{ text: 'shop', hint: 'webhook' }],
}

test.each<[text: string, replaced: string, ...offered: string[]]>([
  ['dup|', 'dup', 'duplicate:'],
  ['x -even|', 'even', 'event:'],
  ['header.us|', 'header.us', 'header.user-agent:'],
  ['header.user-agent:|', '', 'curl/8', '"tonapi webhooks"'],
  ['header.user-agent:ton|api rest', 'tonapi', '"tonapi webhooks"'],
  ['token:wrong,mis|', 'mis', 'missing'],
  ['status:50|', '50', '503'],
  ['account:sh|', 'sh', '"my shop"'],
  ['amount:>1.5|', '1.5', '1.5TON', '1.5USDT'],
  ['amount:2|', '2', '2TON', '2USDT'],
  ['opcode:order|', 'order', 'PlaceOrder'],
  // A secret is never suggested.
  ['header.authorization:|', ''],
  ['"eve|', ''],
])('the suggestions at the cursor fit the query: %s', (marked, replaced, ...offered) => {
  const cursor = marked.indexOf('|')
  const text = marked.replace('|', '')
  const { from, to, choices: found } = completeQuery(text, cursor, choices)
  expect(text.slice(from, to)).toBe(replaced)
  expect(found.map((each) => each.text)).toEqual(offered)
})
