import { expect, test } from 'vitest'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import { type PostOptions, type TestApp, startApp } from '../../fixtures/app.ts'
import {
  testAccount,
  bearerHeader,
  invoiceBody,
  otherAccount,
  transactionEvent,
} from '../../fixtures/bodies.ts'

type Delivery = string | readonly [string, PostOptions]

/** Returns rows in the order of their arrival, oldest first. */
async function classify(app: TestApp, ...deliveries: readonly Delivery[]): Promise<CaptureRow[]> {
  for (const delivery of deliveries) {
    const [body, options] = typeof delivery === 'string' ? [delivery, {}] : delivery
    await app.post(body, options)
  }
  return (await app.classified()).reverse()
}

const by = (token: string): PostOptions => ({ headers: bearerHeader(token) })
const duplicates = (rows: readonly CaptureRow[]) => rows.map(({ duplicateOf }) => duplicateOf)
const disorders = (rows: readonly CaptureRow[]) => rows.map(({ outOfOrder }) => outOfOrder)

test('an event delivered again to the same webhook is a duplicate of its first delivery', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    [transactionEvent({ lt: '10' }), by('token-of-a')],
    [transactionEvent({ lt: '20' }), by('token-of-a')],
    [transactionEvent({ lt: '10' }), by('token-of-a')],
    [transactionEvent({ lt: '10' }), by('token-of-a')],
  )
  expect(duplicates(rows)).toEqual([null, null, 1, 1])
})

test('a delivery with another webhook, account, kind or lt is another event', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    [transactionEvent({ lt: '10' }), by('token-of-a')],
    [transactionEvent({ lt: '10' }), by('token-of-b')],
    transactionEvent({ lt: '10' }),
    [transactionEvent({ lt: '10', account: otherAccount }), by('token-of-a')],
    [transactionEvent({ lt: '10', kind: 'opcode_msg' }), by('token-of-a')],
    [transactionEvent({ lt: '11' }), by('token-of-a')],
  )
  expect(duplicates(rows)).toEqual([null, null, null, null, null, null])
})

test('account and opcode events of one transaction are neither duplicates nor out of order', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    transactionEvent({ lt: '20' }),
    transactionEvent({ lt: '10', kind: 'opcode_msg' }),
    transactionEvent({ lt: '20', kind: 'opcode_msg' }),
    transactionEvent({ lt: '15', kind: 'new_contracts' }),
  )
  expect(rows.map(({ kind }) => kind)).toEqual([
    'account_tx',
    'opcode_msg',
    'opcode_msg',
    'new_contracts',
  ])
  expect(duplicates(rows)).toEqual([null, null, null, null])
  expect(disorders(rows)).toEqual([false, false, false, false])
})

test('an event with a lower lt after a later one of the same account and webhook is out of order', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    transactionEvent({ lt: '10' }),
    transactionEvent({ lt: '30' }),
    transactionEvent({ lt: '20' }),
    transactionEvent({ lt: '5', account: otherAccount }),
    transactionEvent({ lt: '40' }),
    [transactionEvent({ lt: '1' }), by('token-of-b')],
  )
  expect(disorders(rows)).toEqual([false, false, true, false, false, false])
})

test('a retry of an older event is a duplicate and not out of order', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    transactionEvent({ lt: '10' }),
    transactionEvent({ lt: '20' }),
    transactionEvent({ lt: '10' }),
  )
  expect(duplicates(rows)).toEqual([null, null, 1])
  expect(disorders(rows)).toEqual([false, false, false])
})

test('an invoice delivery is a duplicate only if its body is equal, and never out of order', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    invoiceBody('inv-1', 'paid'),
    [invoiceBody('inv-1', 'paid'), by('whatever')],
    invoiceBody('inv-1', 'created'),
    invoiceBody('inv-2', 'paid'),
    `${invoiceBody('inv-1', 'paid')} `,
  )
  expect(rows.every(({ kind }) => kind === 'invoice')).toBe(true)
  expect(duplicates(rows)).toEqual([null, 1, null, null, null])
  expect(disorders(rows)).toEqual([false, false, false, false, false])
  expect(rows[0]).toMatchObject({ account: testAccount, summary: 'inv-1 paid 1.500000000 TON' })
})

// Earlier, six identical deliveries looked like six new captures.
test('unknown deliveries are duplicates if their bodies are equal and not empty', async () => {
  await using app = await startApp()
  const rows = await classify(app, '', '', 'same', 'same', '{"event_type":"account_tx"}', '{"a":1}')
  expect(duplicates(rows)).toEqual([null, null, null, 3, null, null])
})

test('logical times above 2^53 keep every digit and are compared exactly', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    transactionEvent({ lt: '9007199254740993' }),
    transactionEvent({ lt: '9007199254740992' }),
    transactionEvent({ lt: '"9223372036854775807"' }),
  )
  expect(rows.map(({ lt }) => lt)).toEqual([
    '9007199254740993',
    '9007199254740992',
    '9223372036854775807',
  ])
  expect(duplicates(rows)).toEqual([null, null, null])
  expect(disorders(rows)).toEqual([false, true, false])
})

const beyond = [
  '9223372036854775808',
  '18446744073709551615',
  '1e30',
  '-1',
  '1.5',
  'null',
  '"x"',
  '[]',
]

test('a delivery with an invalid or too large lt is stored without lt, and the next one is classified', async () => {
  await using app = await startApp()
  const rows = await classify(
    app,
    ...beyond.map((lt) => transactionEvent({ lt })),
    transactionEvent({ lt: '7' }),
  )
  expect(rows.slice(0, -1).map(({ lt }) => lt)).toEqual(beyond.map(() => null))
  expect(disorders(rows)).toEqual(rows.map(() => false))
  expect(rows.at(-1)).toMatchObject({ kind: 'account_tx', lt: '7', account: testAccount })
})

test('hostile bodies are classified as unknown, and the next delivery is classified correctly', async () => {
  await using app = await startApp()
  const deep = '['.repeat(100_000)
  const rows = await classify(
    app,
    deep,
    `{"a":${deep}`,
    '{"__proto__":{"event_type":"account_tx"}}',
    '{"event_type":"toString","account_id":"x","lt":1}',
    '[{"event_type":"account_tx"}]',
    '"account_tx"',
    'null',
    '\u0000\u202e{"event_type":',
    transactionEvent(),
  )
  expect(rows.map(({ kind }) => kind)).toEqual([...Array<string>(8).fill('unknown'), 'account_tx'])
  expect(rows.every(({ summary }) => summary.length <= 160)).toBe(true)
  expect(rows[7]?.summary).toBe('{"event_type":')
})

test('after the first delivery is deleted, the next one is the original of later duplicates', async () => {
  await using app = await startApp()
  await classify(app, transactionEvent({ lt: '10' }))
  await app.request('capture.delete', { ids: [1] })
  await app.post('so that the index has followed')
  await app.classified()
  const rows = await classify(app, transactionEvent({ lt: '10' }), transactionEvent({ lt: '10' }))
  expect(duplicates(rows)).toEqual([null, null, 3])
})
