/** Invoices that lack a part: accepted by the tolerance, or completed by an invoice for the rest. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moneyOf, restOf } from '../../../src-preload/contract/invoice-money.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'

const network = 'sandbox'
const whole = 1_000_000_000n
let app: TestApp

beforeAll(async () => {
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  await app.request('sandbox.setClock', { mode: 'virtual' })
})
afterAll(() => app[Symbol.asyncDispose]())

async function create(amount = whole): Promise<string> {
  const form = { amount: String(amount), currency: 'TON', lifeTimeSeconds: 600 } as const
  return (await app.request('sandbox.createInvoice', form)).id
}

const get = (id: string) => app.request('invoice.get', { network, id })
const sync = () => app.request('invoiceSync.run', { network })

async function pay(id: string, amount: bigint): Promise<void> {
  const { payTo, comment } = await get(id)
  const order = { network: 'mainnet', from: 'wallet-2', to: payTo, currency: 'TON' } as const
  await app.request('sandbox.send', { ...order, amount: String(amount), comment: comment ?? id })
  await sync()
}

const tolerate = (amount?: string) =>
  app.request('settings.change', { invoices: { tolerances: { [network]: { TON: amount } } } })

async function attention(...ids: string[]) {
  const page = { network, text: '', offset: 0, limit: 100 }
  const { matters } = await app.request('discrepancy.page', page)
  return matters
    .filter(({ invoice }) => ids.includes(invoice?.id ?? ''))
    .map(({ invoice, kind, amount }) => [invoice?.id, kind, amount])
}

async function reconcile(...ids: string[]) {
  const span = { network, from: 0, to: Date.UTC(2100, 0), zone: 'UTC' }
  const { totals } = await app.request('reconciliation.read', span)
  const { rows } = await app.request('reconciliation.rows', { ...span, offset: 0, limit: 500 })
  const [total] = totals
  if (total === undefined) throw new Error('there are no totals')
  const { unmatched, paidDifference, unpaidDifference, acceptedDifference } = total
  const parts = [unmatched, paidDifference, unpaidDifference, acceptedDifference]
  const sum = (units: string[]) => String(units.reduce((all, each) => all + BigInt(each), 0n))
  expect(sum(parts)).toBe(total.difference)
  const ofTon = rows.filter(({ invoice, payments }) => (invoice ?? payments[0])?.currency === 'TON')
  expect(sum(ofTon.map(({ differenceAmount }) => differenceAmount))).toBe(total.difference)
  const own = ids.map((id) => rows.find(({ invoice }) => invoice?.id === id))
  return { total, own: own.map((row) => [row?.difference, row?.needsAttention]) }
}

async function exported(id: string): Promise<Record<string, string>> {
  const options = { format: 'csv' } as const
  const subject = { kind: 'invoices', filter: { text: id } } as const
  const { lines } = await app.request('invoiceExport.preview', { network, subject, options })
  const [header = [], cells = []] = lines.map((line) => line.trim().split(','))
  return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))
}

test('a payment short by exactly the tolerance is accepted, one unit less is not', async () => {
  await tolerate('0.02')
  const [exact, less] = [await create(), await create(whole + 2n)]
  await sync()
  await pay(exact, whole - 20_000_000n)
  await pay(less, whole + 2n - 20_000_001n)
  const accepted = await get(exact)
  expect(accepted).toMatchObject({
    status: 'pending',
    matters: [],
    accepted: { tolerance: '20000000', short: '20000000' },
    advice: { tone: 'good', title: 'No action needed.' },
  })
  expect(accepted.events.at(-1)?.text).toBe(
    '0.98 TON of 1 TON arrived. The tolerance of 0.02 TON accepts this as paid.',
  )
  expect(moneyOf(accepted)).toMatchObject({ due: 0n, excess: 0n })
  expect(await exported(exact)).toMatchObject({ accepted_short: '0.02', due: '0', to_return: '0' })
  expect(await get(less)).toMatchObject({ accepted: null, matters: ['partial'] })
  expect((await exported(less))['accepted_short']).toBe('')

  // The setting decides when a payment arrives: a change alters no invoice and no report.
  const before = await reconcile(exact, less)
  expect(before.own).toEqual([
    ['accepted', false],
    ['payment-less', true],
  ])
  expect(before.total).toMatchObject({ acceptedDifference: '980000000', shortfall: '20000000' })
  for (const changed of ['0.5', undefined]) {
    await tolerate(changed)
    await app.request('invoiceSync.run', { network, full: true })
    expect(await reconcile(exact, less)).toEqual(before)
  }

  // The gateway ends the invoice and counts everything as overpayment; the merchant keeps it.
  await app.request('sandbox.advance', { byMs: 700_000 })
  await sync()
  const ended = await get(exact)
  expect(ended).toMatchObject({ status: 'expired', overpayment: '980000000', matters: [] })
  expect(moneyOf(ended)).toMatchObject({ excess: 0n, toReturn: 0n })
  expect((await reconcile(exact)).total).toMatchObject({ acceptedDifference: '0' })
  await pay(exact, 30_000_000n)
  expect(moneyOf(await get(exact))).toMatchObject({ excess: 10_000_000n, toReturn: 10_000_000n })
  expect(await attention(exact)).toEqual([[exact, 'paid-late', '10000000']])
})

test('a tolerance of a whole amount is refused, and never makes nothing count as paid', async () => {
  const small = await create(15_000_000n)
  await sync()
  expect(await app.refusal('settings.change', tolerances('0.015'))).toBe('INVALID_INPUT')
  for (const wrong of ['0', '0.0', '-1', '1e-3', '0.0000000001', '']) {
    expect(await app.refusal('settings.change', tolerances(wrong))).toBe('INVALID_INPUT')
  }
  await tolerate('0.014999999')
  const smaller = await create(10_000_000n)
  await sync()
  expect(await get(small)).toMatchObject({ accepted: null, matters: [] })
  await pay(smaller, 1n)
  expect(await get(smaller)).toMatchObject({ accepted: null, matters: ['partial'] })
  await pay(small, 1n)
  expect(await get(small)).toMatchObject({ accepted: { short: '14999999' }, matters: [] })
  await tolerate()
})

const tolerances = (TON: string) => ({ invoices: { tolerances: { [network]: { TON } } } })

async function issueRest(of: string, amount: string): Promise<string> {
  const line = { amount, currency: 'TON', lifeTimeSeconds: 600, restOf: of } as const
  const draft = await app.request('invoiceIssue.draft', { network, lines: [line] })
  const { id } = await app.request('invoiceIssue.start', { draft: draft.id })
  let made: string | null = null
  await app.until(async () => {
    const { items } = await app.request('invoiceJob.items', { id, offset: 0, limit: 1 })
    made = items[0]?.invoice ?? null
    return made !== null
  }, 'the invoice for the rest')
  await sync()
  return String(made)
}

test('an invoice for the rest counts together with the first, and money to both is one overpayment', async () => {
  const old = await create(10n * whole)
  await sync()
  await pay(old, 4n * whole)
  expect(restOf(await get(old))).toBe(6n * whole)
  const wrong = { amount: '5.999999999', currency: 'TON', lifeTimeSeconds: 600 } as const
  const lines = [{ ...wrong, restOf: old }]
  const draft = await app.request('invoiceIssue.draft', { network, lines })
  expect(draft.invalid).toBe(1)

  const rest = await issueRest(old, '6')
  const [first, last] = [await get(old), await get(rest)]
  expect(first.together).toMatchObject({ other: rest, isLast: false })
  expect(last.together).toMatchObject({ other: old, isLast: true })
  expect(first.paymentLink).toBe(last.paymentLink)
  expect(first.advice.title).toBe(`See invoice ${rest}, which requests the rest.`)
  expect([moneyOf(first).due, moneyOf(last).due]).toEqual([0n, 6n * whole])
  expect(await attention(old, rest)).toEqual([])
  expect((await exported(old))['counts_with']).toBe(rest)
  expect((await exported(rest))['counts_with']).toBe(old)
  expect((await exported(old))['payment_link']).toBe((await exported(rest))['payment_link'])

  await pay(rest, 6n * whole)
  expect(await attention(old, rest)).toEqual([])
  expect(await get(rest)).toMatchObject({ status: 'paid', matters: [] })

  // The first invoice can still be paid at the gateway: its money is an overpayment of both.
  await pay(old, 6n * whole)
  expect((await get(old)).status).toBe('paid')
  expect(await attention(old, rest)).toEqual([[rest, 'overpaid', String(6n * whole)]])
  expect(moneyOf(await get(old))).toMatchObject({ excess: 0n, toReturn: 0n })
  expect(moneyOf(await get(rest))).toMatchObject({ excess: 6n * whole, toReturn: 6n * whole })
  expect((await reconcile(old, rest)).own).toEqual([
    [null, false],
    [null, true],
  ])
  expect([(await exported(old))['to_return'], (await exported(rest))['to_return']]).toEqual([
    '0',
    '6',
  ])

  const page = { network, text: rest, offset: 0, limit: 10 }
  const [matter] = (await app.request('discrepancy.page', page)).matters
  const refund = await app.request('refund.prepare', { network, key: matter?.key ?? 0 })
  expect(refund).toMatchObject({ amount: String(6n * whole), currency: 'TON' })
  const { to, amount, comment } = refund
  const order = { network: 'mainnet', from: 'merchant', currency: 'TON' } as const
  await app.request('sandbox.send', { ...order, to, amount, comment })
  await sync()
  expect(moneyOf(await get(rest))).toMatchObject({ refunded: 6n * whole, toReturn: 0n })
})

test('an invoice for the rest that ends unpaid can be followed by another one', async () => {
  const old = await create(2n * whole)
  await sync()
  await pay(old, whole)
  const rest = await issueRest(old, '1')
  await app.request('sandbox.advance', { byMs: 700_000 })
  await sync()
  expect(await attention(old, rest)).toEqual([[rest, 'partial', String(whole)]])
  expect(restOf(await get(old))).toBe(whole)
  const next = await issueRest(rest, '1')
  expect((await get(old)).together).toMatchObject({ other: next, isLast: false })
  await pay(next, whole)
  expect(await attention(old, rest, next)).toEqual([])
  expect((await reconcile(next)).own).toEqual([[null, false]])
})
