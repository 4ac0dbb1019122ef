/**
 * Tests the ledger of invoices: reported by deliveries, confirmed by the gateway, or found only in
 * its list.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { openScriptedServer } from '../../fixtures/scripted-server.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { freePort } from '../../fixtures/free-port.ts'

const network = 'sandbox'
let app: TestApp

beforeAll(async () => {
  const receiverPort = await freePort()
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0, receiverPort })
  await running()
  // The list was read at the start, so later changes are known only by deliveries.
  await app.request('invoiceSync.run', { network })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

const running = () =>
  app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')

async function create(amount = '1000000000'): Promise<string> {
  const asked = { amount, currency: 'TON', lifeTimeSeconds: 600 } as const
  return (await app.request('sandbox.createInvoice', asked)).id
}

async function find(id: string, where: string = network): Promise<InvoiceDetail | null> {
  try {
    return await app.request('invoice.get', { network: where, id })
  } catch {
    return null
  }
}

async function untilInvoice(
  id: string,
  is: (invoice: InvoiceDetail | null) => boolean,
  what: string,
): Promise<InvoiceDetail> {
  await app.until(async () => is(await find(id)), what)
  return (await find(id)) as InvoiceDetail
}

/** Requests the sandbox as another app would. */
async function shop(): Promise<{ readonly origin: string; readonly token: string }> {
  const { keysFile, urls } = await app.request('sandbox.state')
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as Record<string, string>
  return { origin: urls?.console ?? '', token: keys['invoicesToken'] ?? '' }
}

const told = async (wanted: boolean) =>
  app.request('sandbox.setInvoicesApp', { webhooks: wanted ? [await app.hook()] : [] })

/** Adds and selects another gateway. */
async function addNetwork(to: TestApp, origin: string, secret: string): Promise<string> {
  const isAsked = async () => {
    const { place, problem } = await to.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }
  await to.until(isAsked, 'the keychain')
  const { place } = await to.request('secrets.state')
  if (place === 'none') await to.request('secrets.useSessionOnly')
  const urls = { query: origin, webhooks: origin, testnetWebhooks: null, console: origin }
  const { id } = await to.request('network.add', { name: 'Shop', urls, testOnly: false })
  const off = await to.request('invoiceSync.state', { network: id })
  expect([off.status, off.problem]).toEqual(['off', expect.stringContaining('token')])
  await to.request('network.setSecret', { id, slot: 'invoices', secret })
  await to.request('network.select', { id })
  return id
}

/**
 * Builds a delivery as in the gateway’s documentation, in milliseconds or without optional fields.
 */
function delivery(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    amount: '1000000000',
    currency: 'TON',
    date_create: 1_700_000_000,
    date_expire: 1_700_000_600,
    payment_link: 'https://app.tonkeeper.com/transfer/UQattacker?amount=1&text=pay-me',
    pay_to_address: `0:${'ab'.repeat(32)}`,
    ...fields,
  })
}

/** Events of the chain are not compared here. */
const words = ({ events }: InvoiceDetail) =>
  events.filter(({ source }) => source !== 'chain').map(({ kind, source }) => [kind, source])

test('a delivery is confirmed by the gateway at once, and repeated or older deliveries change nothing', async () => {
  await told(true)
  const id = await create()
  await app.request('sandbox.pay', { id, how: 'over', amount: '1000000007' })
  const isPaid = (each: InvoiceDetail | null) => each?.isConfirmed === true
  const paid = await untilInvoice(id, isPaid, 'the gateway’s word')
  expect(paid).toMatchObject({
    status: 'paid',
    isConfirmed: true,
    reported: null,
    overpayment: '7',
    comment: id,
    firstSource: 'webhook',
    reports: [{ status: 'paid', outcome: 'confirmed' }],
  })
  expect(words(paid)).toEqual([
    ['reported', 'webhook'],
    ['created', 'webhook'],
    ['status', 'webhook'],
    ['overpayment', 'webhook'],
  ])
  expect(paid.events[2]?.capture).toBe(paid.reports[0]?.capture)

  const raw = JSON.parse(paid.raw) as Record<string, unknown>
  const old = { ...raw, status: 'pending', date_change: raw['date_create'] }
  const bodies = [...Array.from({ length: 10 }, () => raw), { ...old, overpayment: undefined }, old]
  for (const body of bodies) await app.post(JSON.stringify(body))
  const seen = await untilInvoice(id, (each) => each?.reports.length === 13, 'all reports')
  expect(seen.reports.slice(0, 12).every(({ outcome }) => outcome === 'stale')).toBe(true)
  expect({ status: seen.status, reported: seen.reported, lines: words(seen).length }).toEqual({
    status: 'paid',
    reported: null,
    lines: 4,
  })

  // A late payment increases the amount, but the state and time of the invoice stay.
  await app.request('sandbox.pay', { id, how: 'exact', amount: '5' })
  const late = await untilInvoice(id, (each) => each?.overpayment === '12', 'the overpayment')
  expect(words(late).at(-1)?.[0]).toBe('overpayment')
  expect(late.changedAt).toBe(paid.changedAt)
})

test('reading the list finds changes without deliveries: new, paid, cancelled, expired and overpaid invoices', async () => {
  await told(true)
  const [kept, cancelled, ended] = [await create(), await create(), await create()]
  await app.request('sandbox.pay', { id: ended, how: 'exact' })
  await untilInvoice(ended, (each) => each?.isConfirmed === true, 'the gateway’s word')
  await app.request('invoiceSync.run', { network })
  expect(await find(kept)).toMatchObject({ status: 'pending', firstSource: 'listing' })

  await told(false)
  const later = await create()
  await app.request('sandbox.pay', { id: kept, how: 'exact' })
  await app.request('sandbox.pay', { id: ended, how: 'over', amount: '3' })
  const { origin, token } = await shop()
  await fetch(`${origin}/api/v1/services/invoices/${cancelled}/cancel`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}` },
  })
  const state = await app.request('invoiceSync.run', { network })
  expect(state).toMatchObject({ status: 'waiting', problem: null, reportsWaiting: 0, unread: [] })
  expect([state.lastAt, state.fullAt].every((at) => at !== null)).toBe(true)
  const found = async (id: string) => {
    const { status, overpayment, firstSource } = (await find(id)) as InvoiceDetail
    return [status, overpayment, firstSource]
  }
  expect(await found(kept)).toEqual(['paid', '0', 'listing'])
  expect(await found(cancelled)).toEqual(['cancelled', '0', 'listing'])
  expect(await found(ended)).toEqual(['paid', '3', 'webhook'])
  expect(await found(later)).toEqual(['pending', '0', 'listing'])

  await app.request('sandbox.setClock', { mode: 'virtual' })
  await app.request('sandbox.advance', { byMs: 700_000 })
  // The invoice is requested when it expires by the gateway’s clock, without reading the list.
  expect((await app.request('invoiceSync.state', { network })).clockOffset).toBeGreaterThan(600_000)
  await untilInvoice(later, (each) => each?.status === 'expired', 'its end')
  const counts = await app.request('invoice.counts', { network })
  expect(counts.byStatus['pending']).toBeUndefined()
  expect(counts.total).toBe(Object.values(counts.byStatus).reduce((sum, each) => sum + each, 0))
  await app.request('sandbox.setClock', { mode: 'real' })
})

test('while the gateway is offline a delivery counts as reported only, and a forged invoice is removed after the check', async () => {
  await told(false)
  const [id, lied] = [await create(), await create()]
  await app.request('invoiceSync.run', { network })
  await app.request('sandbox.pay', { id, how: 'exact' })
  await app.request('sandbox.stop')
  const known = (await find(id)) as InvoiceDetail
  // The examples of the public document are in milliseconds.
  const moments = { date_create: known.createdAt, date_change: known.createdAt + 2000 }
  const raw = JSON.parse(known.raw) as Record<string, unknown>
  await app.post(JSON.stringify({ ...raw, ...moments, status: 'paid' }))
  await app.post(delivery({ id: lied, status: 'paid' }))
  await app.post(delivery({ id: 'f0f0f0f0', status: 'paid', date_change: 1_700_000_100_000 }))
  const counts = await app.request('invoice.counts', { network })
  const again = delivery({ id: 'f0f0f0f0', status: 'paid', date_change: 1_700_000_100_000 })
  for (let sent = 1; sent < 60; sent += 1) await app.post(again)
  // The id is a path of the API; a request for it would send the token to that path.
  await app.post(delivery({ id: 'token', status: 'paid' }))

  const reported = await untilInvoice(id, (each) => each?.reported !== null, 'reported')
  expect(reported).toMatchObject({ status: 'pending', isConfirmed: true })
  expect(reported.reported?.status).toBe('paid')
  const forged = await untilInvoice('f0f0f0f0', (each) => each !== null, 'the forged one')
  expect(forged).toMatchObject({ isConfirmed: false, paymentLink: '', comment: null })
  expect(forged.createdAt).toBe(1_700_000_000_000)
  const waiting = async () => (await app.request('invoiceSync.state', { network })).reportsWaiting
  // Only as many reports of an invoice are stored as are displayed, however many arrive.
  await app.until(async () => (await waiting()) >= 52, 'all of them are written down')
  const off = await app.request('invoiceSync.state', { network })
  expect([off.status, off.reportsWaiting]).toEqual(['off', 52])
  // A delivery that anyone could have sent does not count in any sum.
  const { byStatus } = await app.request('invoice.counts', { network })
  expect(byStatus).toEqual(counts.byStatus)
  expect(off.problem).not.toBeNull()
  expect(await find('token')).toBeNull()

  await app.request('sandbox.start')
  await running()
  const paid = await untilInvoice(id, (each) => each?.status === 'paid', 'the gateway’s word')
  expect(paid).toMatchObject({ reported: null, reports: [{ outcome: 'confirmed' }] })
  const denied = await untilInvoice(lied, (each) => each?.reported === null, 'the other word')
  expect(denied).toMatchObject({ status: 'pending', reports: [{ outcome: 'differs' }] })
  await app.until(async () => (await find('f0f0f0f0')) === null, 'it goes')
  // The report later becomes true.
  await app.request('sandbox.pay', { id: lied, how: 'exact' })
  await app.request('invoice.fetch', { network, id: lied })
  expect(await find(lied)).toMatchObject({ status: 'paid', reports: [{ outcome: 'confirmed' }] })
})

test('without a list, invoices are requested one by one, and many forged deliveries cause few requests', async () => {
  await using gateway = await openScriptedServer()
  type Fields = Record<string, unknown>
  const answer = (fields: Fields) => JSON.parse(delivery(fields)) as Fields
  const known: Record<string, Fields> = {
    aa01: answer({ id: 'aa01', status: 'processing', date_change: 1_700_000_050 }),
    aa02: answer({ id: 'aa02', status: 'pending', date_change: 1_700_000_000 }),
  }
  gateway.answer = ({ url }, response) => {
    const id = /\/invoices\/(\w+)/.exec(url)?.[1]
    const [status, body] =
      id === undefined
        ? [403, { error: 'app_id is required', code: 403 }]
        : known[id] === undefined
          ? [404, { error: 'no such invoice', code: 404 }]
          : [200, known[id]]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const { origin } = gateway
  const away = await addNetwork(app, origin, 'TC-INVOICES_of-a-test')

  for (const id of ['aa01', 'aa02'])
    await app.post(JSON.stringify({ ...known[id], status: 'paid' }))
  await app.until(async () => (await find('aa02', away))?.isConfirmed === true, 'both asked for')
  expect(await find('aa01', away)).toMatchObject({ status: 'processing', isConfirmed: true })
  expect((await find('aa01', away))?.reports[0]?.outcome).toBe('differs')
  const state = await app.request('invoiceSync.run', { network: away })
  expect(state.problem).toContain('one by one')
  known['aa02'] = { ...known['aa02'], status: 'paid', date_change: 1_700_000_200 }
  await app.request('invoiceSync.run', { network: away })
  expect(await find('aa02', away)).toMatchObject({ status: 'paid' })

  gateway.seen = []
  const began = Date.now()
  for (let sent = 0; sent < 400; sent += 20) {
    const ids = Array.from({ length: 20 }, (_, index) => `fa15e${sent + index}`)
    await Promise.all(ids.map((id) => app.post(delivery({ id, status: 'paid' }))))
  }
  known['aa02'] = { ...known['aa02'], overpayment: '5' }
  await app.post(JSON.stringify(known['aa02']))
  await app.until(async () => (await find('aa02', away))?.overpayment === '5', 'the true one')
  const seconds = (Date.now() - began) / 1000
  const inVain = gateway.seen.filter(({ url }) => url.includes('fa15e')).length
  expect(inVain).toBeLessThanOrEqual(110 + 10 * seconds)

  gateway.answer = (_seen, response) => response.writeHead(501).end()
  for (let run = 0; run < 3; run += 1) await app.request('invoiceSync.run', { network: away })
  const incidents = async (open: boolean) =>
    (await app.request('incident.list', { network: away, open, offset: 0, limit: 9 })).incidents
  expect(await incidents(true)).toMatchObject([
    { subject: 'invoices', kind: 'failing', cause: expect.stringContaining('501') as string },
  ])
  await app.request('network.select', { id: 'sandbox' })
  await app.request('network.remove', { id: away })
  // The network was removed, which does not count as a recovery.
  expect(await incidents(true)).toEqual([])
  expect(await incidents(false)).toMatchObject([{ subject: 'invoices', wellSince: null }])
  expect((await app.request('network.list')).networks.some(({ id }) => id === away)).toBe(false)
})

test('restored access is used at once, without waiting for the next retry', async () => {
  const grant = (done: boolean) =>
    app.request('invoiceAccess.setStep', { network, step: 'granted', done })
  await grant(false)
  expect((await app.request('invoiceSync.run', { network })).problem).toContain('403')
  await grant(true)
  const problem = async () => (await app.request('invoiceSync.state', { network })).problem
  await app.until(async () => (await problem()) === null, 'the list is read')
})

test('two apps with one gateway have the same invoice, one by delivery and one by its list', async () => {
  await using other = await startApp({ host: 'browser', startSandbox: false, receive: true })
  const { origin, token } = await shop()
  const away = await addNetwork(other, origin, token)
  // The list is read now, and not again before the delivery arrives.
  await other.request('invoiceSync.run', { network: away })
  await app.request('sandbox.setInvoicesApp', { webhooks: [await other.hook()] })
  const id = await create()
  await app.request('sandbox.pay', { id, how: 'exact' })
  const there = async () => {
    const answer = await other.envelope('invoice.get', { network: away, id })
    return answer.ok && (answer.data as InvoiceDetail).isConfirmed
  }
  await other.until(there, 'the gateway’s word')
  await app.request('invoiceSync.run', { network })
  const [one, two] = [await find(id), await other.request('invoice.get', { network: away, id })]
  const { status, changedAt, amount, paidBy } = one as InvoiceDetail
  expect(two).toMatchObject({ status, changedAt, amount, paidBy, firstSource: 'webhook' })
  expect(one).toMatchObject({ status: 'paid', firstSource: 'listing' })
})

test('deliveries captured while the ledger was off are read at the next start, and imported captures never', async () => {
  using home = temporaryDirectory()
  const ids = ['0000aaaa', '0000bbbb'] as const
  {
    await using first = await startApp({
      dataDirectory: home.path,
      startSandbox: false,
      receive: true,
    })
    for (const id of ids) await first.post(delivery({ id, status: 'paid' }))
    const rows = await first.classified()
    const database = openDatabase(join(home.path, 'tondesk.db'))
    const imported = rows.find(({ summary }) => summary.includes(ids[0]))
    database
      .prepare(
        `INSERT INTO capture_origins (capture_id, origin, made_from, received_at)
         SELECT id, 'imported', 'a file', received_at FROM captures WHERE id = ?`,
      )
      .run(imported?.id ?? 0)
    database.close()
  }
  await using second = await startApp({
    host: 'browser',
    dataDirectory: home.path,
    startSandbox: false,
    receive: false,
  })
  const get = (id: string): Promise<Output<'invoice.get'>> =>
    second.request('invoice.get', { network, id })
  const isThere = async () => (await second.envelope('invoice.get', { network, id: ids[1] })).ok
  await second.until(isThere, 'the delivery')
  expect(await get(ids[1])).toMatchObject({ isConfirmed: false, reported: { status: 'paid' } })
  await expect(get(ids[0])).rejects.toMatchObject({ code: 'INVOICE_UNKNOWN' })
})
