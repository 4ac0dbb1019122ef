/** Tests every way to pay an invoice: each page that states an amount must state the same amount. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import type {
  Invoice,
  InvoiceDetail,
  DiscrepancyKind,
} from '../../../src-preload/contract/invoice.ts'
import type { ReconciliationRow, Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import { decimalsOf, formatAmount, formatMoney } from '../../../src-preload/domain/amount.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'

const network = 'sandbox'
let app: TestApp

beforeAll(async () => {
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  await app.request('sandbox.doStep', { step: 'webhook' })
  await app.request('webhook.list', { network, fresh: true })
  await app.request('sandbox.doStep', { step: 'account' })
  await app.request('sandbox.setClock', { mode: 'virtual' })
  await app.request('sandbox.setMatching', { rule: 'comment' })
}, 30_000)
afterAll(() => app[Symbol.asyncDispose]())

type Currency = 'TON' | 'USDT'
type Sent = { comment?: string | undefined; currency?: Currency; network?: 'mainnet' | 'testnet' }

type Shop = {
  readonly id: string
  /** Another open invoice that has no payment. */
  readonly other: string
  readonly full: bigint
  readonly send: (amount: bigint, how?: Sent) => Promise<void>
  readonly refund: (amount: bigint, comment?: string) => Promise<void>
}

type Way = {
  readonly currency?: Currency
  readonly run: (shop: Shop) => Promise<void>
  /** The linked amount in tenths of the requested amount, plus additional units. */
  readonly received?: number
  readonly less?: bigint
  readonly status?: string
  readonly matter?: DiscrepancyKind
  readonly certainty?: string
  /** The differences of an unlinked payment that names the invoice. */
  readonly uncounted?: Payment['uncounted']
  readonly closing?: ReconciliationRow['difference']
  readonly refunded?: number
}

const part = ({ full }: Shop, tenths: number) => (full * BigInt(tenths)) / 10n
const pay = (tenths: number) => (shop: Shop) => shop.send(part(shop, tenths), { comment: shop.id })
const say = (text: (shop: Shop) => string | undefined) => (shop: Shop) =>
  shop.send(shop.full, { comment: text(shop) })

const ways: Readonly<Record<string, Way>> = {
  'not at all': { run: () => Promise.resolve(), received: 0, status: 'pending' },
  exactly: { run: pay(10) },
  'exactly, in USDT': { currency: 'USDT', run: pay(10) },
  under: {
    run: pay(4),
    received: 4,
    status: 'pending',
    matter: 'partial',
    closing: 'payment-less',
  },
  over: { run: pay(13), received: 13, matter: 'overpaid' },
  'in two parts': {
    async run(shop) {
      await pay(4)(shop)
      await pay(6)(shop)
    },
  },
  twice: {
    async run(shop) {
      await pay(10)(shop)
      await pay(10)(shop)
    },
    received: 20,
    matter: 'overpaid',
  },
  'after it was cancelled': {
    async run(shop) {
      await cancel(shop.id)
      await app.request('sandbox.advance', { byMs: 2000 })
      await pay(10)(shop)
    },
    status: 'cancelled',
    matter: 'paid-after-cancel',
    closing: 'not-paid',
  },
  'USDT instead of TON': {
    run: ({ id, send }) => send(295_000_000n, { comment: id, currency: 'USDT' }),
    received: 0,
    status: 'pending',
    uncounted: 'asset',
  },
  'TON instead of USDT': {
    currency: 'USDT',
    run: ({ id, send }) => send(2_950_000_000n, { comment: `for ${id}`, currency: 'TON' }),
    received: 0,
    status: 'pending',
    uncounted: 'asset',
  },
  'without a comment': { run: say(() => undefined), received: 0, status: 'pending' },
  'with an unrelated comment': {
    run: say(() => 'happy birthday'),
    received: 0,
    status: 'pending',
  },
  'with its id in words': {
    run: say(({ id }) => `Invoice: ${id.toUpperCase()}, thanks!`),
    status: 'pending',
    certainty: 'likely',
    matter: 'chain-ahead',
    closing: 'not-paid',
  },
  'with its id in words, in USDT and less a fee': {
    currency: 'USDT',
    run: ({ id, full, send }) => send(full - 10_000n, { comment: `Invoice: ${id}` }),
    less: 10_000n,
    status: 'pending',
    certainty: 'likely',
    matter: 'partial',
    closing: 'payment-less',
  },
  'with a part of its id': {
    run: say(({ id }) => `${id.slice(0, 7)}…`),
    status: 'pending',
    certainty: 'guess',
    matter: 'chain-ahead',
    closing: 'not-paid',
  },
  'with its description': {
    run: say(({ id }) => `order no. ${orderOf(id)}`),
    status: 'pending',
    certainty: 'guess',
    matter: 'chain-ahead',
    closing: 'not-paid',
  },
  'with two ids': { run: say(({ id, other }) => `${id} ${other}`), received: 0, status: 'pending' },
  'by a counterfeit jetton': {
    async run({ id }) {
      await sync()
      const { payTo: to } = await get(id)
      await app.request('sandbox.opcode', { opcode: '0x7362d09c', to, amount: '70000000' })
    },
    received: 0,
    status: 'pending',
  },
  'on testnet': {
    run: ({ id, full, send }) => send(full, { comment: id, network: 'testnet' }),
    received: 0,
    status: 'pending',
  },
  'over, and refunded': {
    async run(shop) {
      await pay(13)(shop)
      await shop.refund(part(shop, 3), `Refund of invoice ${shop.id}`)
    },
    received: 13,
    refunded: 3,
    matter: 'overpaid',
  },
  'over, and refunded in part': {
    async run(shop) {
      await pay(13)(shop)
      await shop.refund(part(shop, 1), `(refund of invoice #${shop.id})`)
    },
    received: 13,
    refunded: 1,
    matter: 'overpaid',
  },
  'over, and sent back by several equal transfers without a comment': {
    async run(shop) {
      await pay(13)(shop)
      await shop.refund(part(shop, 3))
      await shop.refund(part(shop, 3))
    },
    received: 13,
    refunded: 3,
    matter: 'overpaid',
  },
}

const made = new Map<string, { way: Way; id: string; full: bigint; currency: Currency }>()
const orders = new Map<string, string>()
const orderOf = (id: string) => orders.get(id) ?? ''

const get = (id: string): Promise<InvoiceDetail> => app.request('invoice.get', { network, id })
const sync = () => app.request('invoiceSync.run', { network })

async function cancel(id: string): Promise<void> {
  const { urls } = await app.request('sandbox.state')
  const keys = readFileSync(join(app.directory, 'sandbox', 'keys.json'), 'utf8')
  const token = Object.values(JSON.parse(keys) as Record<string, string>).find((key) =>
    key.startsWith('TC-INVOICES_'),
  )
  const response = await fetch(`${urls?.console}/api/v1/services/invoices/${id}/cancel`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(200)
}

async function issue(currency: Currency): Promise<{ id: string; full: bigint }> {
  const number = 4711 + orders.size
  // All amounts differ, so that no payment fits another invoice by its amount.
  const full = (currency === 'TON' ? 2_000_000_000n : 3_000_000n) + BigInt(orders.size) * 10n
  const form = { currency, lifeTimeSeconds: 600, description: `Order #${number}, two shirts` }
  const { id } = await app.request('sandbox.createInvoice', { ...form, amount: String(full) })
  orders.set(id, String(number))
  return { id, full }
}

type Place = { readonly from: number; readonly to: number }

async function readClosing({ from, to }: Place) {
  const span = { network, from, to, zone: 'UTC' }
  const reconciliation = await app.request('reconciliation.read', span)
  const { rows } = await app.request('reconciliation.rows', { ...span, offset: 0, limit: 500 })
  return { closing: reconciliation, rows }
}

type Cells = Readonly<Record<string, string>>

async function exported(subject: object): Promise<Cells[]> {
  const input = { network, subject, options: { format: 'csv' } }
  const { id } = await app.request('invoiceExport.start', input as never)
  const job = () => app.job('invoiceExport', id)
  await app.until(async () => (await job()).state !== 'running', 'an export')
  const file = (await job()).file?.id ?? ''
  let text = ''
  for (let offset: number | null = 0; offset !== null;) {
    const piece: { base64: string; next: number | null } = await app.request('export.read', {
      id: file,
      offset,
    })
    text += Buffer.from(piece.base64, 'base64').toString()
    offset = piece.next
  }
  const [head = [], ...lines] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, a, b]) => a ?? b ?? ''),
    )
  return lines.map((line) =>
    Object.fromEntries(head.map((name, index) => [name, line[index] ?? ''])),
  )
}

const sum = (amounts: readonly string[]) => amounts.reduce((all, each) => all + BigInt(each), 0n)
const decimal = (units: bigint | string, currency: Currency) =>
  formatAmount(BigInt(units), decimalsOf[currency])

async function compareAll(span: Place): Promise<void> {
  // A payment that arrives while the pages are read would be on some of them only.
  await sync()
  const { invoices } = await app.request('invoice.page', { network, limit: 500 })
  const { payments } = await app.request('payment.page', { network, offset: 0, limit: 500 })
  const { matters } = await app.request('discrepancy.page', { network, offset: 0, limit: 500 })
  const { closing, rows } = await readClosing(span)
  const inFile = await exported({ kind: 'invoices' })
  const inReport = await exported({ kind: 'closing', ...span })
  for (const [name, { way, id, full, currency }] of made) {
    const detail = await get(id)
    const row = invoices.find((each) => each.id === id)
    const own = payments.filter(({ invoice }) => invoice === id)
    const closed = rows.find(({ invoice }) => invoice?.id === id)
    const discrepancy = matters.find((each) => each.payment === null && each.invoice?.id === id)
    const cells = inFile.find((each) => each['id'] === id)
    expect([name, place(way, full, row, detail)]).toEqual([name, expectedOf(way, full)])

    // The payments of the detail are those of the list, and their sum is the received amount.
    expect([name, keysOf(detail.payments)]).toEqual([name, keysOf(own)])
    expect([name, sum(own.map(({ amount }) => amount))]).toEqual([
      name,
      BigInt(detail.received ?? 0),
    ])
    const certainties = new Set(own.map(({ certainty }) => certainty))
    expect([name, [...certainties]]).toEqual([
      name,
      own.length === 0 ? [] : [way.certainty ?? 'certain'],
    ])

    // The timeline names the payer as the lists do.
    const arrived = detail.events.filter(({ kind }) => kind === 'payment')
    expect([name, arrived.map(({ text }) => / from (.*?)(?: \(|\.$)/.exec(text)?.[1])]).toEqual([
      ...[name, arrived.map(() => 'wallet-2')],
    ])

    // The list, the page and the file name the payer of each payment, whether it counts or not.
    const named = detail.unlinked.filter(({ names }) => names === id)
    const [sender] = [...own, ...named]
    const payer = detail.paidBy ?? sender?.payer ?? null
    expect([name, row?.payer, detail.payer]).toEqual([name, payer, payer])
    expect([name, cells?.['payer'] !== '']).toEqual([name, payer !== null])

    // Needs attention has the same amount as the invoice, its file and its refund.
    const { toReturn, excess, due } = moneyOf(detail)
    expect([name, discrepancy?.kind ?? null]).toEqual([name, way.matter ?? null])
    const missing = way.matter === 'partial' ? String(due) : null
    const affected = detail.status === 'pending' ? missing : String(excess)
    expect([name, discrepancy?.amount ?? null]).toEqual([
      name,
      discrepancy === undefined ? null : affected,
    ])
    expect([name, cells?.['received'], cells?.['to_return'], cells?.['due']]).toEqual([
      name,
      ...[detail.received ?? '0', toReturn, due].map((units) => decimal(units, currency)),
    ])
    expect([name, cells?.['uncounted'] ?? '']).toEqual([
      name,
      detail.uncounted.map((each) => formatMoney(each.amount, each.currency)).join('; '),
    ])

    // The reconciliation has one row, with the invoice’s payments and their part of the difference.
    const told = own.length > 0 || detail.status === 'paid' ? [way.closing ?? null] : []
    expect([name, closed === undefined ? [] : [closed.difference]]).toEqual([name, told])
    if (closed !== undefined) {
      expect([name, keysOf(closed.payments)]).toEqual([name, keysOf(own)])
      const kept = detail.status === 'paid' ? full : 0n
      const units = BigInt(detail.received ?? 0) - kept - BigInt(detail.overpayment)
      expect([name, closed.differenceAmount]).toEqual([name, String(units)])
      expect([name, closed.needsAttention]).toEqual([name, discrepancy !== undefined])
    }

    // The payment’s text about the invoice matches the advice about the payment.
    const advice = `${detail.advice.title} ${detail.advice.text}`
    for (const payment of [...detail.payments, ...detail.unlinked]) {
      if (payment.comment?.toLowerCase().includes(id.toLowerCase()) !== true) continue
      expect([name, advice]).not.toEqual([
        name,
        expect.stringMatching(/without a (comment|reference)/),
      ])
      expect([name, advice]).not.toEqual([name, expect.stringMatching(/no payment|nothing/i)])
      if (detail.status === 'pending') {
        expect([name, advice]).not.toEqual([name, expect.stringContaining('Send the link')])
      }
    }
    if (way.uncounted !== undefined) {
      const named = payments.filter(({ names }) => names === id)
      expect([name, named.map(({ uncounted }) => uncounted)]).toEqual([name, [way.uncounted]])
      await compareNamed(name, id, named[0], { matters, rows, inReport })
    }
  }

  // No payment is missing or listed twice.
  const shown = rows.flatMap((each) => each.payments)
  expect(keysOf(shown)).toEqual(keysOf(payments))
  for (const total of closing.totals) {
    const ofCurrency = rows.filter(
      ({ invoice, payments: own }) => (invoice ?? own[0])?.currency === total.currency,
    )
    const parts = sum(ofCurrency.map(({ differenceAmount }) => differenceAmount))
    const { difference, unmatched, paidDifference, unpaidDifference } = total
    expect(parts.toString()).toBe(difference)
    expect(sum([unmatched, paidDifference, unpaidDifference]).toString()).toBe(difference)
    const lines = inReport.filter((each) => each['currency'] === total.currency)
    const inCents = lines.map((each) => toUnits(each['difference_amount'] ?? '', total.currency))
    expect(inCents.reduce((all, each) => all + each, 0n).toString()).toBe(difference)
    expect(total.unmatched).toBe(
      sum(
        payments
          .filter(({ invoice, currency }) => invoice === null && currency === total.currency)
          .map(({ amount }) => amount),
      ).toString(),
    )
  }
  // Every page lists every payment without an invoice, because it needs a decision.
  const open = matters.flatMap(({ payment }) => payment?.key ?? [])
  const unlinked = payments.filter(({ invoice }) => invoice === null)
  expect(open.toSorted((a, b) => a - b)).toEqual(keysOf(unlinked))
  const listed = rows.filter(({ invoice, needsAttention }) => invoice === null && needsAttention)
  expect(keysOf(listed.flatMap((each) => each.payments))).toEqual(keysOf(unlinked))

  const { now } = await app.request('invoiceStats.totals', { network, ...span })
  const paid = invoices.filter(({ status }) => status === 'paid')
  expect(now.paid).toBe(paid.length)
  for (const currency of ['TON', 'USDT'] as const) {
    const own = closing.totals.find((each) => each.currency === currency)
    const overpaid = invoices.filter((each) => each.currency === currency)
    expect(now.volume[currency]).toBe(own?.paidAmount)
    expect(now.overpayment[currency]).toBe(
      String(sum(overpaid.map(({ overpayment }) => overpayment))),
    )
    expect(now.overpayment[currency]).toBe(own?.overpayment)
  }
}

/** Checks that a payment which names an invoice without counting has the same status on each page. */
async function compareNamed(
  name: string,
  id: string,
  payment: Payment | undefined,
  {
    matters,
    rows,
    inReport,
  }: { matters: Discrepancy[]; rows: ReconciliationRow[]; inReport: Cells[] },
): Promise<void> {
  if (payment === undefined) throw new Error(`${name}: no payment names ${id}`)
  const { key, amount, currency, hash } = payment
  const much = formatMoney(amount, currency)
  const detail = await get(id)
  expect([name, keysOf(detail.unlinked)]).toEqual([name, [key]])
  expect([name, detail.advice.title]).toEqual([name, `Refund ${much}.`])
  const notes = detail.events.filter(({ text }) => text.includes('does not count it'))
  expect([name, notes.map(({ text }) => text)]).toEqual([
    ...[name, [`${much} arrived for this invoice, but the gateway does not count it.`]],
  ])
  const discrepancy = matters.find((each) => each.payment?.key === key)
  expect([name, discrepancy?.invoice?.id, discrepancy?.amount, discrepancy?.currency]).toEqual([
    ...[name, id, amount, currency],
  ])
  const closed = rows.find((each) => each.invoice === null && each.payments[0]?.key === key)
  expect([name, closed?.difference, closed?.differenceAmount]).toEqual([
    name,
    'wrong-asset',
    amount,
  ])
  expect(closed?.text).toBe(
    `${much} was paid for invoice ${id}, but the gateway does not count it.`,
  )
  const line = inReport.find((each) => each['transactions'] === hash)
  expect([name, line?.['difference'], line?.['invoice'], line?.['currency']]).toEqual([
    ...[name, 'wrong-asset', id, currency],
  ])
  const [first] = await app.request('payment.candidates', { network, key })
  expect([name, first?.invoice, first?.canLink]).toEqual([name, id, false])
}

const keysOf = (payments: readonly Payment[]) =>
  payments.map(({ key }) => key).toSorted((a, b) => a - b)

function toUnits(text: string, currency: Currency): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimalsOf[currency], '0'))
}

function expectedOf({ received = 10, less = 0n, ...way }: Way, full: bigint) {
  const units = String((full * BigInt(received)) / 10n - less)
  const status = way.status ?? 'paid'
  const refunded = String((full * BigInt(way.refunded ?? 0)) / 10n)
  const discrepancy = way.matter ?? (way.uncounted === undefined ? undefined : 'unmatched')
  const facts = {
    status,
    received: units,
    matters: discrepancy === undefined ? [] : [discrepancy],
    refunded,
  }
  return [facts, facts]
}

function place(_: Way, __: bigint, ...rows: readonly (Invoice | InvoiceDetail | undefined)[]) {
  return rows.map((row) => ({
    status: row?.status,
    received: row?.received,
    matters: row?.matters,
    refunded: row?.refunded,
  }))
}

describe('an invoice of every kind of payment', () => {
  const span = { from: 0, to: 0 }

  test('every place shows the same amounts: page, lists, reconciliation and files', async () => {
    const { clock, wallets } = await app.request('sandbox.chain', { network: 'mainnet' })
    const payer = wallets.find((each) => each.name === 'wallet-2')?.address ?? ''
    Object.assign(span, { from: clock.now - 3_600_000, to: clock.now + 86_400_000 })
    const { id: other } = await issue('TON')
    await app.request('sandbox.advance', { byMs: 2000 })
    for (const [name, way] of Object.entries(ways)) {
      const { currency = 'TON' } = way
      const { id, full } = await issue(currency)
      made.set(name, { way, id, full, currency })
      const from = 'wallet-2'
      await app.request('sandbox.advance', { byMs: 2000 })
      await way.run({
        id,
        other,
        full,
        async send(amount, how = {}) {
          const { network: on = 'mainnet', comment, currency: sent = currency } = how
          const order = { network: on, from, to: 'merchant', currency: sent, amount: `${amount}` }
          await app.request('sandbox.send', comment === undefined ? order : { ...order, comment })
        },
        async refund(amount, comment) {
          const order = { from: 'merchant', to: payer, currency, amount: `${amount}` }
          await app.request('sandbox.send', comment === undefined ? order : { ...order, comment })
        },
      })
    }
    // The gateway may report a payment this much later than the chain shows it.
    await app.request('sandbox.advance', { byMs: 90_000 })
    await sync()
    await compareAll(span)
  }, 60_000)

  test('every place shows the same amounts after the expiry, also of a late payment', async () => {
    for (const [name, each] of made) {
      if (each.way.status === 'pending')
        made.set(name, { ...each, way: { ...each.way, status: 'expired' } })
    }
    const late = made.get('not at all')
    if (late === undefined) throw new Error('no invoice is unpaid')
    const way = { ...late.way, received: 10, matter: 'paid-late', closing: 'not-paid' } as const
    made.set('not at all', { ...late, way })
    await app.request('sandbox.advance', { byMs: 1_200_000 })
    const to = { from: 'wallet-2', to: 'merchant', currency: late.currency }
    await app.request('sandbox.send', { ...to, amount: String(late.full), comment: late.id })
    await sync()
    await compareAll(span)
  }, 60_000)

  test('the invoice is the first candidate of a payment that names several ids', async () => {
    const { id } = made.get('with two ids') ?? { id: '' }
    const { payments } = await app.request('payment.page', {
      network,
      offset: 0,
      limit: 500,
      filter: { text: id },
    })
    const [both] = payments
    expect(both).toMatchObject({ invoice: null, names: null })
    const candidates = await app.request('payment.candidates', { network, key: both?.key ?? 0 })
    const named = candidates.slice(0, 2).map(({ invoice }) => invoice)
    expect(named).toContain(id)
    expect(named.every((each) => both?.comment?.includes(each))).toBe(true)
    expect(both?.evidence[0]?.text).toContain('links the payment to neither of them')
  })

  test('the invoice comes before paid invoices among the candidates of a payment without an invoice', async () => {
    const { id } = made.get('without a comment') ?? { id: '' }
    const { unlinked } = await get(id)
    const key = unlinked[0]?.key ?? 0
    const candidates = await app.request('payment.candidates', { network, key })
    expect(candidates[0]?.invoice).toBe(id)
    const states = candidates.map(({ status }) => (status === 'paid' ? 'paid' : 'open'))
    expect(states).toEqual(states.toSorted())
  })

  test('the explanation of a payment’s capture names the invoice, and that of no other capture does', async () => {
    const { payments } = await app.request('payment.page', { network, offset: 0, limit: 500 })
    const paid = new Map(payments.map(({ hash, invoice }) => [hash, invoice]))
    const found = async () => {
      const { rows } = await app.request('capture.list', { limit: 500 })
      const known = rows.filter(({ txHash, meaning }) => {
        return meaning.state === 'known' && txHash !== null && paid.has(txHash)
      })
      return new Map(known.map(({ txHash, meaning }) => [txHash, meaning.invoice]))
    }
    await app.until(async () => (await found()).size === paid.size, 'the explanations')
    await app.until(
      async () => isDeepStrictEqual([...(await found())].sort(), [...paid].sort()),
      'the invoices of the explanations',
    )
  }, 60_000)

  test('the invoice is linked again to a payment that an older version compared differently', async () => {
    const { id } = made.get('with its id in words') ?? { id: '' }
    const database = openDatabase(dataPaths(app.directory).database)
    database
      .prepare(
        `UPDATE payments SET invoice_key = NULL, certainty = NULL, linked_by = NULL, evidence = '[]',
           named_key = 0 WHERE comment_key LIKE 'invoice: %, thanks!'`,
      )
      .run()
    database.close()
    await sync()
    expect((await get(id)).payments).toMatchObject([{ invoice: id, certainty: 'likely' }])
  })
})
