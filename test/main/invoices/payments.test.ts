/** Tests payments on a real chain, by every matching rule and every kind of payment of the sandbox. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Cell, loadMessageRelaxed } from '@ton/core'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  Invoice,
  InvoiceDetail,
  DiscrepancyKind,
} from '../../../src-preload/contract/invoice.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import type { SandboxCurrency } from '../../../src-preload/contract/sandbox.ts'
import { describeMoney, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import type { Invocation, Terminal } from '../../../src-main/command-line/command.ts'
import { invoiceCommands as invoicesCommand } from '../../../src-main/command-line/invoices.ts'
import { decodeBody } from '../../../src-main/ton/decode-body.ts'
import { parseJson } from '../../../src-main/ton/lossless-json.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { formatAmount } from '../../../src-renderer/components/amount.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'

const network = 'sandbox'
let app: TestApp
let startedAt = 0

beforeAll(async () => {
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  // Only the virtual clock can be moved beyond an invoice’s expiry.
  await app.request('sandbox.setClock', { mode: 'virtual' })
  startedAt = (await app.request('sandbox.chain', {})).clock.now
})
afterAll(() => app[Symbol.asyncDispose]())

const amounts = { TON: 2_000_000_000n, USDT: 3_000_000n } as const
let issued = 0

async function create(currency: SandboxCurrency): Promise<string> {
  issued += 1
  // Each invoice has its own amount, so that a payment without a comment can be matched by it.
  const amount = (amounts[currency] + BigInt(issued) * 2n).toString()
  const form = { amount, currency, lifeTimeSeconds: 600, description: `order-${issued}` }
  return (await app.request('sandbox.createInvoice', form)).id
}

async function createAlike(): Promise<string> {
  const form = { amount: '4200000', currency: 'USDT' as const, lifeTimeSeconds: 600 }
  return (await app.request('sandbox.createInvoice', form)).id
}

async function pay(
  id: string,
  how: 'exact' | 'under' | 'rest' | 'over' | 'late' | 'twice' | 'wrong-asset' | 'no-comment',
): Promise<void> {
  await app.request('sandbox.pay', { id, how, from: 'wallet-2' })
}

async function cancel(id: string): Promise<void> {
  const state = await app.request('sandbox.state')
  const keys = readFileSync(join(app.directory, 'sandbox', 'keys.json'), 'utf8')
  const token = Object.values(JSON.parse(keys) as Record<string, string>).find((key) =>
    key.startsWith('TC-INVOICES_'),
  )
  const url = `${state.urls?.console ?? ''}/api/v1/services/invoices/${id}/cancel`
  const answer = await fetch(url, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
}

const sync = () => app.request('invoiceSync.run', { network })
const get = (id: string) => app.request('invoice.get', { network, id })

async function matterOf(id: string) {
  const { matters } = await app.request('discrepancy.page', {
    network,
    text: id,
    offset: 0,
    limit: 50,
  })
  return matters.find(({ invoice }) => invoice?.id === id)
}

async function payments(): Promise<Payment[]> {
  return (await app.request('payment.page', { network, offset: 0, limit: 500 })).payments
}

/** Returns the amount that the gateway counts as paid, by its rules of overpayment. */
function paidByGateway({ status, amount, overpayment }: InvoiceDetail): bigint | null {
  if (status === 'pending') return null
  return BigInt(overpayment) + (status === 'paid' ? BigInt(amount) : 0n)
}

type Expected = { readonly matter: DiscrepancyKind | null; readonly received: 'all' | 'none' }
const nothing: Expected = { matter: null, received: 'none' }

/** The expected result of each kind of payment, with and without matching by amount. */
const ways: readonly {
  readonly name: string
  readonly run: (id: string) => Promise<void>
  readonly named: Expected
  readonly byAmount: Expected
}[] = [
  ...(['exact', 'no-comment'] as const).map((how) => ({
    name: how,
    run: (id: string) => pay(id, how),
    named: { matter: null, received: 'all' } as const,
    byAmount: { matter: null, received: 'all' } as const,
  })),
  {
    name: 'under, then the rest',
    async run(id) {
      await pay(id, 'under')
      await sync()
      await pay(id, 'rest')
    },
    named: { matter: null, received: 'all' },
    byAmount: { matter: null, received: 'all' },
  },
  {
    name: 'over',
    run: (id) => pay(id, 'over'),
    named: { matter: 'overpaid', received: 'all' },
    byAmount: nothing,
  },
  {
    name: 'twice',
    run: (id) => pay(id, 'twice'),
    named: { matter: 'overpaid', received: 'all' },
    byAmount: { matter: 'overpaid', received: 'all' },
  },
  {
    name: 'after cancel',
    async run(id) {
      await cancel(id)
      await pay(id, 'exact')
    },
    named: { matter: 'paid-after-cancel', received: 'all' },
    byAmount: { matter: 'paid-after-cancel', received: 'all' },
  },
  {
    name: 'wrong asset',
    run: (id) => pay(id, 'wrong-asset'),
    // The payment names the invoice or was sent to its own address, so the invoice reports it.
    named: { matter: 'unmatched', received: 'none' },
    byAmount: nothing,
  },
  // This kind comes last, because it lets all pending invoices expire.
  {
    name: 'late',
    run: (id) => pay(id, 'late'),
    named: { matter: 'paid-late', received: 'all' },
    byAmount: { matter: 'paid-late', received: 'all' },
  },
]

describe.each(['comment', 'amount', 'address'] as const)('payments matched by %s', (rule) => {
  test.each(['TON', 'USDT'] as const)(
    'in %s: an invoice has the received amount, discrepancies and advice of its kind of payment',
    async (currency) => {
      await app.request('sandbox.setMatching', { rule })
      const made = new Map<string, string>()
      for (const { name, run } of ways) {
        const id = await create(currency)
        made.set(name, id)
        await run(id)
        // In this case the result depends on the order in which payments are read.
        if (rule === 'amount' && name !== 'late') await sync()
      }
      await sync()
      for (const { name, named, byAmount } of ways) {
        const id = made.get(name) ?? ''
        const detail = await get(id)
        const isUnfound = rule === 'comment' && name === 'no-comment'
        const expected = isUnfound ? nothing : rule === 'amount' ? byAmount : named
        const told = paidByGateway(detail)
        expect({ name, matters: detail.matters, received: detail.received }).toEqual({
          name,
          matters: expected.matter === null ? [] : [expected.matter],
          received: expected.received === 'none' ? '0' : told?.toString(),
        })
        expect(sum(detail.payments).toString()).toBe(detail.received)
        expect(detail.payments.every(({ certainty }) => certainty !== 'guess')).toBe(true)
        expect([name, detail.advice.tone]).toEqual([
          name,
          // A payment that fits except for its comment needs attention before the invoice counts as
          // unpaid.
          expected.matter !== null || isUnfound
            ? 'act'
            : expected.received === 'all'
              ? 'good'
              : 'neutral',
        ])
        const discrepancy = await matterOf(id)
        const owed = expected.matter === 'unmatched' ? detail.amount : detail.overpayment
        expect(discrepancy?.amount ?? null).toBe(expected.matter === null ? null : owed)
      }
      // A payment without an invoice names the most similar invoice.
      const lost = rule === 'comment' ? ['wrong asset', 'no-comment'] : []
      for (const name of lost) {
        const id = made.get(name) ?? ''
        const near = (await payments()).filter(({ evidence }) =>
          evidence.some(({ text }) => text.includes(id)),
        )
        expect([name, near.map(({ invoice }) => invoice)]).toEqual([name, [null]])
      }
    },
  )
})

/** A kind of payment: what is sent with and without the comment, and the expected result. */
type Paid = {
  readonly name: string
  /** Parts of the amount in tenths, in the order of sending. */
  readonly sent: readonly number[]
  readonly sentIn?: 'other asset' | 'no comment'
  readonly from?: readonly string[]
  readonly ends?: 'cancelled before' | 'cancelled after' | 'late'
  /** The discrepancy after all invoices have expired. */
  readonly matter: DiscrepancyKind | null
}

const paidWays: readonly Paid[] = [
  { name: 'not at all', sent: [], matter: null },
  { name: 'exactly', sent: [10], matter: null },
  { name: 'under', sent: [5], matter: 'partial' },
  { name: 'under, then the rest', sent: [5, 5], matter: null },
  { name: 'in part, twice', sent: [2, 3], matter: 'partial' },
  {
    name: 'in part from two senders',
    sent: [3, 4],
    from: ['wallet-2', 'wallet-3'],
    matter: 'partial',
  },
  { name: 'over', sent: [11], matter: 'overpaid' },
  { name: 'twice', sent: [10, 10], matter: 'overpaid' },
  { name: 'after cancel', sent: [10], ends: 'cancelled before', matter: 'paid-after-cancel' },
  { name: 'in part, then cancelled', sent: [4], ends: 'cancelled after', matter: 'partial' },
  { name: 'wrong asset', sent: [10], sentIn: 'other asset', matter: 'unmatched' },
  { name: 'no comment', sent: [10], sentIn: 'no comment', matter: null },
  { name: 'late', sent: [10], ends: 'late', matter: 'paid-late' },
  { name: 'late and under', sent: [4], ends: 'late', matter: 'paid-late' },
]

type Facts = {
  readonly status: string
  readonly currency: string
  readonly amount: string
  readonly received: string | null
  readonly due: string
  readonly toReturn: string
  readonly uncounted: string
}

const whole = (units: bigint, currency: SandboxCurrency) =>
  formatMoney(units, currency).replace(/ .*/, '')

/** Computes the expected values by the service’s rules, from the payments that the test itself sent. */
function truthOf(
  { sent, sentIn, ends }: Paid,
  currency: SandboxCurrency,
  full: bigint,
  isOver: boolean,
) {
  const isOther = sentIn !== undefined
  const came = sent.reduce((sum, tenths) => sum + (full * BigInt(tenths)) / 10n, 0n)
  const counted = isOther || (ends === 'late' && !isOver) ? 0n : came
  const isCancelled = ends?.startsWith('cancelled') === true
  const isPaid = !isCancelled && ends !== 'late' && counted >= full
  const status = isCancelled ? 'cancelled' : isPaid ? 'paid' : isOver ? 'expired' : 'pending'
  const back = status === 'pending' ? 0n : counted - (isPaid ? full : 0n)
  const other = currency === 'TON' ? 'USDT' : 'TON'
  const facts: Facts = {
    status,
    currency,
    amount: whole(full, currency),
    received: whole(counted, currency),
    due: whole(status === 'pending' ? full - counted : 0n, currency),
    toReturn: whole(back, currency),
    uncounted: sentIn === 'other asset' ? formatMoney(came, other) : '',
  }
  return { facts, came, counted }
}

function factsOf(row: Invoice): Facts {
  const { received, due, toReturn, uncounted } = moneyOf(row)
  const print = (units: bigint) => whole(units, row.currency)
  return {
    status: row.status,
    currency: row.currency,
    amount: print(BigInt(row.amount)),
    received: received === null ? null : print(received),
    due: print(due),
    toReturn: print(toReturn),
    uncounted: uncounted.map(({ units, currency }) => formatMoney(units, currency)).join('; '),
  }
}

async function exported(format: 'csv' | 'jsonl' | 'xlsx'): Promise<Buffer> {
  const options = { format, columns: [...exportColumns] }
  const { id } = await app.request('invoiceExport.start', {
    network,
    subject: { kind: 'invoices' },
    options,
  })
  const get = () => app.job('invoiceExport', id)
  await app.until(async () => (await get()).state !== 'running', 'an export')
  const file = (await get()).file?.id ?? ''
  const pieces: Buffer[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const piece: { base64: string; next: number | null } = await app.request('export.read', {
      id: file,
      offset,
    })
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.next
  }
  return Buffer.concat(pieces)
}

const exportColumns = [
  ...(['id', 'status', 'currency', 'amount', 'received', 'due', 'to_return', 'uncounted'] as const),
  'payment_link',
] as const

/** Returns the facts in the form of a file; numbers in a spreadsheet are written as text. */
function factsIn(cells: readonly unknown[]): readonly [string, Facts & { link: string }] {
  const [id, status, currency, amount, received, due, toReturn, uncounted, link] = cells.map(
    (cell) => (typeof cell === 'string' || typeof cell === 'number' ? String(cell) : ''),
  )
  const facts = { status: status ?? '', currency: currency ?? '', amount: amount ?? '' }
  return [
    id ?? '',
    {
      ...facts,
      received: received ?? '',
      due: due ?? '',
      toReturn: toReturn ?? '',
      uncounted: uncounted ?? '',
      link: link ?? '',
    },
  ]
}

async function command(positionals: string[], options: Invocation['options']): Promise<string[]> {
  const lines: string[] = []
  const terminal: Terminal = {
    print: (line) => Promise.resolve(void lines.push(line)),
    write: () => Promise.resolve(),
    note: () => undefined,
    ask: () => Promise.resolve(null),
    readSecret: () => Promise.resolve(''),
    closed: new AbortController().signal,
  }
  const { signal: stop } = new AbortController()
  const given = { dataDirectory: app.directory, isDirectoryGiven: true, lists: {}, terminal, stop }
  await invoicesCommand.run({ ...given, options: { network, ...options }, positionals })
  return lines
}

// A payment that names no invoice is listed at the invoice that alone has its address. Earlier, the
// payment remained there and in "Needs attention" after a second invoice got the same address.
test('a payment linked by its address alone is unlinked when another invoice has the address, too', async () => {
  await app.request('sandbox.setMatching', { rule: 'comment' })
  const { clock, wallets } = await app.request('sandbox.chain', { network: 'mainnet' })
  const shop = wallets.find(({ name }) => name === 'wallet-5')
  if (shop === undefined) throw new Error('the sandbox has no wallet-5')
  const before = await app.request('sandbox.invoicesApp')
  await app.request('sandbox.setInvoicesApp', { recipient: shop.address })
  const first = await create('TON')
  const amount = (amounts.TON + BigInt(issued) * 2n).toString()
  await app.request('sandbox.pay', { id: first, how: 'exact', from: 'wallet-2', amount })
  const { name: to } = shop
  const stray = { from: 'wallet-3', to, amount: '70000000', comment: `stray ${clock.now}` }
  await app.request('sandbox.send', stray)
  await sync()
  expect((await get(first)).matters).toEqual(['unmatched'])

  await create('TON')
  await sync()
  const { matters, received, unlinked } = await get(first)
  expect({ matters, received, unlinked }).toEqual({ matters: [], received: amount, unlinked: [] })
  await app.request('sandbox.setInvoicesApp', { recipient: before.recipient })
})

describe('an invoice is reported as the chain shows it, however it was paid', () => {
  const made: { way: Paid; id: string; currency: SandboxCurrency; full: bigint }[] = []

  async function send({ id, full, currency, way }: (typeof made)[number], index: number) {
    const amount = ((full * BigInt(way.sent[index] ?? 0)) / 10n).toString()
    const how =
      way.sentIn === 'other asset'
        ? 'wrong-asset'
        : way.sentIn === 'no comment'
          ? 'no-comment'
          : 'under'
    expect(['TON', 'USDT']).toContain(currency)
    await app.request('sandbox.pay', { id, how, from: way.from?.[index] ?? 'wallet-2', amount })
  }

  /** The list, the detail, Needs attention, the files and the command must state the same facts. */
  async function compare(isOver: boolean): Promise<void> {
    const { invoices: rows } = await app.request('invoice.page', { network, limit: 500 })
    const csv = (await exported('csv')).toString().split('\r\n').slice(1)
    const inCsv = new Map(csv.map((line) => factsIn(line.split(','))))
    const inJsonl = new Map(
      (await exported('jsonl'))
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string> & { uncounted: Sums })
        .map((row) => {
          const uncounted = row.uncounted.map((each) => `${each.amount_decimal} ${each.currency}`)
          const decimals = ['amount', 'received', 'due', 'to_return'].map(
            (n) => row[`${n}_decimal`],
          )
          const cells = [row['id'], row['status'], row['currency'], ...decimals]
          return factsIn([...cells, uncounted.join('; '), row['payment_link']])
        }),
    )
    const { sheets } = await readXlsx(await exported('xlsx'))
    const sheet = sheets.find(({ name }) => name === 'Invoices')?.rows.slice(1) ?? []
    const inXlsx = new Map(sheet.map(factsIn))
    const listed = new Map(
      (await command(['list'], { json: true, limit: '0' })).flatMap((line) => {
        const row = JSON.parse(line) as Invoice & { event: string }
        return row.event === 'invoice' ? [[row.id, row] as const] : []
      }),
    )
    for (const each of made) {
      const { way, id, currency, full } = each
      const about = [way.name, currency, isOver]
      const { facts, came, counted } = truthOf(way, currency, full, isOver)
      const row = rows.find((one) => one.id === id)
      const detail = await get(id)
      const told = listed.get(id)
      if (row === undefined || told === undefined) throw new Error(`${id} is not listed`)
      expect([about, 'list', factsOf(row)]).toEqual([about, 'list', facts])
      expect([about, 'detail', factsOf(detail)]).toEqual([about, 'detail', facts])
      expect([about, 'command', factsOf(told)]).toEqual([about, 'command', facts])

      // The link, with its QR code and text, requests the amount that is due.
      const asked = BigInt(new URL(detail.paymentLink).searchParams.get('amount') ?? 0)
      expect([about, asked]).toEqual([
        about,
        facts.status === 'pending' && counted < full ? full - counted : full,
      ])
      for (const [file, found] of [
        ['csv', inCsv],
        ['jsonl', inJsonl],
        ['xlsx', inXlsx],
      ] as const) {
        const stated = { ...facts, link: detail.paymentLink }
        expect([about, file, found.get(id)]).toEqual([about, file, stated])
      }

      // The invoice shows all payments and their asset.
      const hasCome = way.ends !== 'late' || isOver
      const shown = [...detail.payments, ...detail.unlinked]
      expect([about, sum(shown)]).toEqual([about, hasCome ? came : 0n])
      const assets = new Set(shown.map((payment) => payment.currency))
      const sentAsset = facts.uncounted === '' ? currency : currency === 'TON' ? 'USDT' : 'TON'
      if (came > 0n && hasCome) expect([...assets]).toEqual([sentAsset])
      const texts = [
        describeMoney(detail),
        `${detail.advice.title} ${detail.advice.text}`,
        (await command(['show', id], {})).find((line) => line.startsWith('next')) ?? '',
      ]
      if (came > 0n && hasCome) {
        for (const text of way.sentIn === 'no comment' ? texts.slice(1) : texts) {
          expect([about, text]).not.toEqual([
            about,
            expect.stringMatching(/nothing was|no payment/i),
          ])
        }
      }

      const discrepancy = await matterOf(id)
      if (isOver) {
        expect([about, discrepancy?.kind ?? null]).toEqual([about, way.matter])
        const money = discrepancy && formatMoney(discrepancy.amount ?? '0', discrepancy.currency)
        const owed = facts.uncounted === '' ? `${facts.toReturn} ${currency}` : facts.uncounted
        if (way.matter !== null) expect([about, money]).toEqual([about, owed])
        if (discrepancy !== undefined) {
          const refund = await app.request('refund.prepare', { network, key: discrepancy.key })
          expect([about, formatMoney(refund.amount, refund.currency)]).toEqual([about, owed])
        }
      }
      if (way.sentIn === 'other asset') {
        const key = shown[0]?.key ?? 0
        const [first] = await app.request('payment.candidates', { network, key })
        expect(first).toMatchObject({ invoice: id, currency, canLink: false })
        expect(shown[0]?.names).toBe(id)
      }
    }
  }

  test('the places agree while the invoice can be paid', async () => {
    await app.request('sandbox.setMatching', { rule: 'comment' })
    for (const way of paidWays) {
      for (const currency of ['TON', 'USDT'] as const) {
        issued += 1
        // Tenths of each amount are whole units, and no two amounts are equal.
        const full = amounts[currency] + BigInt(issued) * 10n
        const form = { amount: full.toString(), currency, lifeTimeSeconds: 600 }
        const { id } = await app.request('sandbox.createInvoice', form)
        made.push({ way, id, currency, full })
      }
    }
    for (const each of made) {
      const { way, id } = each
      if (way.ends === 'cancelled before') await cancel(id)
      if (way.ends !== 'late') for (const index of way.sent.keys()) await send(each, index)
      if (way.ends === 'cancelled after') {
        // A payment in the same second as the cancellation counts as later.
        await app.request('sandbox.advance', { byMs: 2000 })
        await cancel(id)
      }
    }
    await sync()
    await compare(false)
  })

  test('the places agree after the invoice has expired', async () => {
    await app.request('sandbox.advance', { byMs: 1_200_000 })
    for (const each of made.filter(({ way }) => way.ends === 'late')) await send(each, 0)
    await sync()
    await compare(true)
  })
})

test('linked and unlinked payments add up to the amounts that the addresses received, to the last unit', async () => {
  await sync()
  const found = await payments()
  const accounts = [...new Set(found.map(({ account }) => account))]
  expect(accounts.length).toBeGreaterThan(10)
  const chain = { TON: 0n, USDT: 0n }
  for (const account of accounts) {
    for (const { currency, amount } of await received(account)) chain[currency] += amount
  }
  const ours = { TON: 0n, USDT: 0n }
  for (const { currency, amount } of found) ours[currency] += BigInt(amount)
  expect(ours).toEqual(chain)

  const reconciliation = {
    network,
    from: startedAt - 3_600_000,
    to: startedAt + 30 * 86_400_000,
    zone: 'UTC',
  }
  const nowhere = { ...reconciliation, zone: 'Mars/Olympus' }
  expect(await app.refusal('reconciliation.read', nowhere)).toBe('INVOICE_ZONE_UNKNOWN')
  const { totals, differences, needsAttention } = await app.request(
    'reconciliation.read',
    reconciliation,
  )
  expect(totals.map(({ received: sum }) => sum)).toEqual([`${chain.TON}`, `${chain.USDT}`])
  expect(totals.every((t) => BigInt(t.matched) + BigInt(t.unmatched) === BigInt(t.received))).toBe(
    true,
  )
  // The amounts that the gateway does not attribute belong to no invoice.
  expect(totals.map(({ difference }) => difference)).toEqual(totals.map((t) => t.unmatched))
  const { total, rows } = await app.request('reconciliation.rows', {
    ...reconciliation,
    offset: 0,
    limit: 500,
  })
  expect(rows).toHaveLength(total)
  const firstSettled = rows.findIndex((row) => row.difference === null && !row.needsAttention)
  expect(firstSettled).toBe(differences)
  // All payments are within the period, so each open discrepancy has a row in the list.
  expect(needsAttention).toBe((await app.request('invoice.counts', { network })).matters)
  const shown = rows.flatMap((row) => row.payments.map(({ key }) => key))
  expect(shown.toSorted((a, b) => a - b)).toEqual(
    found.map(({ key }) => key).toSorted((a, b) => a - b),
  )
})

test('a payment without a comment is not linked to another invoice that was paid at the same time', async () => {
  await app.request('sandbox.setMatching', { rule: 'comment' })
  const [lost, paid] = [await createAlike(), await createAlike()]
  await pay(lost, 'no-comment')
  await sync()
  await pay(paid, 'exact')
  await sync()
  const { received, matters, advice, payments: own } = await get(paid)
  expect({ received, matters, tone: advice.tone }).toEqual({
    received: '4200000',
    matters: [],
    tone: 'good',
  })
  expect(own.map(({ comment }) => comment?.toLowerCase())).toEqual([paid.toLowerCase()])
  const alone = (await payments()).filter(({ amount }) => amount === received)
  expect(alone.map(({ invoice }) => invoice).toSorted()).toEqual([paid, null])
})

test('a link that the user made stays until the user removes it', async () => {
  const lost = (await payments()).find(
    ({ invoice, currency, evidence }) =>
      invoice === null && currency === 'TON' && evidence.some(({ kind }) => kind === 'time'),
  )
  if (lost === undefined) throw new Error('no payment without an invoice')
  const [candidate] = await app.request('payment.candidates', { network, key: lost.key })
  const id = candidate?.invoice ?? ''
  const other = await create('USDT')
  await sync()
  const link = { network, key: lost.key, invoice: other }
  expect(await app.refusal('payment.link', link)).toBe('PAYMENT_OTHER_CURRENCY')
  expect(await app.request('payment.link', { ...link, invoice: id })).toMatchObject({
    invoice: id,
    certainty: 'certain',
  })
  await app.request('invoiceSync.run', { network, full: true })
  const linked = await get(id)
  expect(linked.payments.map(({ key }) => key)).toContain(lost.key)
  expect(linked.received).toBe(sum(linked.payments).toString())
  expect(linked.events.at(-1)?.kind).toMatch(/payment|linked/)
  expect((await app.request('payment.unlink', { network, key: lost.key })).invoice).toBeNull()
  expect((await get(id)).received).toBe(
    (BigInt(linked.received ?? 0) - BigInt(lost.amount)).toString(),
  )
})

test('a refund is prepared for the payer and found on the chain, and a handled discrepancy reopens when it grows', async () => {
  await app.request('sandbox.setMatching', { rule: 'comment' })
  for (const currency of ['TON', 'USDT'] as const) {
    const id = await create(currency)
    await pay(id, 'over')
    await sync()
    const discrepancy = await matterOf(id)
    const { payments: own, payTo, overpayment } = await get(id)
    const about = { network, key: discrepancy?.key ?? 0 }
    const refund = await app.request('refund.prepare', about)
    expect(refund).toMatchObject({ from: payTo, to: own[0]?.payer, amount: overpayment, currency })
    expect(refund.warnings).toEqual([])
    const message = loadMessageRelaxed(Cell.fromBase64(refund.boc).beginParse())
    const body = decodeBody(message.body)
    if (currency === 'TON') {
      const { dest, value } =
        message.info.type === 'internal' ? message.info : { dest: null, value: null }
      expect([dest?.toRawString(), value?.coins]).toEqual([own[0]?.payer, BigInt(overpayment)])
      expect(refund.message).toEqual({ to: own[0]?.payer, value: overpayment })
      expect(body).toMatchObject({ name: 'text_comment', text: `Refund of invoice ${id}` })
    } else {
      expect(body).toMatchObject({ name: 'jetton_transfer', amount: BigInt(overpayment) })
      expect(refund.links.web).toContain('&jetton=')
    }
    const more = await app.request('refund.prepare', { ...about, amount: `${overpayment}0` })
    expect(more.warnings.join(' ')).toContain('more than the')
    // The payment is sent as the merchant’s wallet would send it.
    await app.request('sandbox.send', {
      network: 'mainnet',
      from: 'merchant',
      to: refund.to,
      amount: refund.amount,
      currency,
      comment: refund.comment,
    })
    await sync()
    const seen = await matterOf(id)
    expect(seen?.refund).toMatchObject({ amount: overpayment, currency })
    // A refunded amount must not be requested again; a transfer that counts twice would change the
    // amount.
    expect(moneyOf(await get(id))).toMatchObject({ refunded: BigInt(overpayment), toReturn: 0n })
    expect(seen?.handledAt).toBeNull()
    expect((await app.request('refund.prepare', about)).warnings.join(' ')).toContain(
      'was already sent back',
    )

    expect(await app.request('discrepancy.handle', { network, keys: [about.key] })).toEqual({
      handled: 1,
    })
    expect((await get(id)).matters).toEqual([])
    await pay(id, 'exact')
    await sync()
    expect((await get(id)).matters).toEqual(['overpaid'])
    expect((await matterOf(id))?.key).toBe(about.key)
  }
})

test('a partial payment is found as soon as a delivery reports its transaction', async () => {
  const id = await create('TON')
  await sync()
  await pay(id, 'under')
  const { payTo, received } = await get(id)
  expect(received).toBe('0')
  await app.post(JSON.stringify({ account_id: payTo, lt: 1, tx_hash: 'ab'.repeat(32) }))
  await app.until(async () => (await get(id)).matters.includes('partial'), 'the partial payment')
  const { payments: own, advice } = await get(id)
  expect(own).toHaveLength(1)
  expect(advice.title).toMatch(/^Ask the payer for another \d/)
  // Other invoices get discrepancies as time passes, so the event and the page are compared again.
  await app.until(async () => {
    const { byKind } = await app.request('discrepancy.page', { network, offset: 0, limit: 1 })
    const open = Object.values(byKind).reduce((total, n) => total + n, 0)
    const told = app.events.findLast(({ name }) => name === 'discrepancy.changed')
    return isDeepStrictEqual(told?.payload, { network, open })
  }, 'an event with the number of open discrepancies')
})

test('a search for the text of any cell finds the payment, and by amount the discrepancy', async () => {
  const listed = (await payments()).slice(0, 50)
  expect(listed.length).toBeGreaterThan(20)
  const found = async (text: string) => {
    const page = { network, text, offset: 0, limit: 500 }
    return (await app.request('payment.page', page)).payments.map(({ key }) => key)
  }
  const missing: string[] = []
  for (const { key, amount, currency, payer, hash, comment, invoice } of listed) {
    const friendly = formatFriendly(payer, { bounceable: false, testOnly: false })
    const cells = [formatAmount(amount, currency), `${formatAmount(amount, currency)} ${currency}`]
    cells.push(payer, friendly, shorten(payer), shorten(friendly), hash, shorten(hash))
    for (const text of [...cells, comment ?? '', invoice ?? '']) {
      if (text !== '' && !(await found(text)).includes(key)) missing.push(`${key}: ${text}`)
    }
  }
  expect(missing).toEqual([])
  expect(await found('wallet-')).not.toEqual([])
  const { matters } = await app.request('discrepancy.page', { network, offset: 0, limit: 50 })
  for (const { key, invoice, payment } of matters) {
    // A discrepancy with a payment shows the amount of the payment, not that of the named invoice.
    if (invoice === null || payment !== null) continue
    const text = `${formatAmount(invoice.amount, invoice.currency)} ${invoice.currency}`
    const asked = { network, text, offset: 0, limit: 500 }
    const keys = (await app.request('discrepancy.page', asked)).matters.map((each) => each.key)
    expect([text, keys.includes(key)]).toEqual([text, true])
  }
})

type Sums = readonly { readonly currency: string; readonly amount_decimal: string }[]

function sum(found: readonly Payment[]): bigint {
  return found.reduce((total, { amount }) => total + BigInt(amount), 0n)
}

type Sum = { readonly currency: SandboxCurrency; readonly amount: bigint }

type Told = {
  readonly utime: number
  readonly lt: bigint | number
  readonly bounce_phase?: string
  readonly in_msg?: {
    readonly msg_type: string
    readonly value: bigint | number
    readonly bounced: boolean
    readonly op_code?: string
    readonly source?: { readonly address: string }
    readonly decoded_body?: { readonly amount?: string }
  }
}

/** The test itself reads the transactions from the gateway, in the gateway’s fields. */
async function received(account: string): Promise<Sum[]> {
  const { urls } = await app.request('sandbox.state')
  const ask = async (path: string) => {
    const response = await fetch(`${urls?.query ?? ''}/v2/${path}`)
    return { status: response.status, body: parseJson(await response.text()) }
  }
  const jettons = (await ask(`accounts/${account}/jettons`)).body as {
    readonly balances: readonly { readonly wallet_address: { readonly address: string } }[]
  }
  const wallets = jettons.balances.map(({ wallet_address }) => wallet_address.address)
  const { body } = await ask(`blockchain/accounts/${account}/transactions?limit=1000`)
  const { transactions } = body as { readonly transactions: readonly Told[] }
  expect(transactions.length).toBeLessThan(1000)
  return transactions.flatMap(({ utime, in_msg: message, bounce_phase: bounce }): Sum[] => {
    if (message?.msg_type !== 'int_msg' || message.bounced || bounce === 'TrPhaseBounceOk')
      return []
    if (utime * 1000 < startedAt - 3_600_000) return []
    if (message.op_code === '0x7362d09c') {
      if (!wallets.includes(message.source?.address ?? '')) return []
      const amount = BigInt(message.decoded_body?.amount ?? 0)
      return [{ currency: 'USDT', amount }]
    }
    const isPlain = [undefined, '0x00000000', '0x2167da4b'].includes(message.op_code)
    return isPlain ? [{ currency: 'TON', amount: BigInt(message.value) }] : []
  })
}
