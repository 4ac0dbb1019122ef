/**
 * Tests jobs that issue and cancel invoices, on the sandbox’s invoices API through a proxy that
 * loses and refuses requests.
 */
import { expect, test } from 'vitest'
import { invoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { ProxiedCall, Verdict } from '../../fixtures/gateway-proxy.ts'
import {
  type IssuingRoom,
  isCancelling,
  isCreation,
  isListing,
  network,
  openIssuingRoom,
} from '../../fixtures/issuing-room.ts'

type Listed = { readonly id: string; readonly description?: string; readonly amount: string }

/** Returns all invoices at the gateway, read without the app. */
async function atShop({ shop }: IssuingRoom): Promise<Listed[]> {
  const { json } = await shop.call('GET', '', { query: { limit: '1000' } })
  return json['items'] as Listed[]
}

/** Decides the response of each creation by its number, from 1. */
function onCreation(verdict: (number: number) => Verdict | Promise<Verdict>) {
  let number = 0
  return (call: ProxiedCall) => (isCreation(call) ? verdict((number += 1)) : 'pass')
}

const alike = (count: number) => Array.from({ length: count }, () => ({}))

test('a draft is issued by one job, also if its start is requested twice or after a restart', async () => {
  await using room = await openIssuingRoom()
  const draft = room.draft([
    { amount: '1,5', description: '=1+1\nline two' },
    { amount: '2', currency: 'USDT' },
    { amount: '0' },
  ])
  expect(draft).toMatchObject({ lines: 3, valid: 2, invalid: 1, job: null })
  const start = async () => room.jobs.handlers['invoiceIssue.start']({ draft: draft.id })
  const [job, again] = await Promise.all([start(), start()])
  expect(again.id).toBe(job.id)
  expect(await room.ended(job)).toMatchObject({ state: 'done', total: 2, done: 2, failed: 0 })
  await room.restart()
  expect((await start()).id).toBe(job.id)
  expect(() => room.jobs.handlers['invoiceIssue.discard']({ draft: draft.id })).toThrow(/already/)
  expect(await room.jobs.handlers['invoiceIssue.drafts']({ network })).toEqual([])
  expect(room.asked()).toBe(2)
  const made = await atShop(room)
  expect(made.map(({ amount }) => amount).toSorted()).toEqual(['1500000000', '2000000'])
  for (const { id, paymentLink, invoice } of (await room.items(job)).map((item) => ({
    ...item,
    id: item.invoice ?? '',
  }))) {
    expect(paymentLink).toContain('transfer/')
    expect(room.ledger.find(network, id)).toMatchObject({
      id: invoice,
      firstSource: 'created-here',
    })
  }
  const file = await room.jobs.handlers['invoiceIssue.export']({ id: job.id })
  expect(file).toMatchObject({ name: `invoices-issued-${job.id}.csv` })
  expect(file.bytes).toBeGreaterThan(100)
})

test('invoices whose responses were lost are found in the gateway’s list, also among equal ones, and not issued twice', async () => {
  await using room = await openIssuingRoom()
  // An equal invoice existed before: it belongs to none of the lines.
  const before = await room.shop.create({ life_time: 600 })
  const verdicts: Record<number, Verdict> = { 1: 'lose', 3: 'cut', 5: 'lose' }
  room.proxy.judge = onCreation((number) => verdicts[number] ?? 'pass')
  const job = await room.ended(await room.issue([...alike(5), { description: 'заказ 😀' }]))
  expect(job).toMatchObject({ state: 'done', done: 6, unclear: 0, failed: 0 })
  expect(room.asked()).toBe(6)
  const ids = (await room.items(job)).map(({ invoice }) => invoice)
  expect(new Set(ids).size).toBe(6)
  expect(ids).not.toContain(before.id)
  expect((await atShop(room)).map(({ id }) => id).toSorted()).toEqual(
    [...ids, before.id].toSorted(),
  )
})

test('an invoice that is not found stays unclear until the user resolves it, and is never issued again automatically', async () => {
  await using room = await openIssuingRoom()
  // The second request is refused and never reaches the gateway.
  room.proxy.judge = onCreation((number) => (number === 2 ? { status: 500, body: {} } : 'pass'))
  const lines = ['a', 'b', 'c'].map((description) => {
    return { description, orderReference: `PO-${description}` }
  })
  const job = await room.ended(await room.issue(lines))
  expect(job).toMatchObject({ state: 'done', done: 2, unclear: 1 })
  const unclear = (await room.items(job)).find(({ state }) => state === 'unclear')
  expect(unclear?.message).toContain('list does not show the invoice')
  // The list is read again, but still does not contain the invoice.
  await room.engine.of('invoiceJob').resume(job.id)
  expect(await room.ended(job)).toMatchObject({ state: 'done', unclear: 1 })
  expect(room.asked()).toBe(3)

  const resolve = async (as: { invoice: string } | { again: true } | { left: true }) =>
    room.jobs.handlers['invoiceIssue.resolve']({ id: job.id, index: 1, as })
  const other = await room.shop.create({ amount: '7000000000' })
  await expect(resolve({ invoice: other.id })).rejects.toThrow(/a different amount/)
  await expect(resolve({ invoice: 'ffffffff' })).rejects.toMatchObject({ code: 'INVOICE_UNKNOWN' })
  await resolve({ again: true })
  expect(await room.ended(job)).toMatchObject({ state: 'done', done: 3, unclear: 0 })
  expect(room.asked()).toBe(4)
  // The gateway has no order references, so reading the invoice by another request must not lose them.
  for (const { invoice, description } of await room.items(job)) {
    const found = room.ledger.get('sandbox', invoice ?? '')
    expect(found.orderReference).toBe(`PO-${description}`)
  }
  await expect(resolve({ left: true })).rejects.toMatchObject({ code: 'INVOICE_JOB_NOT_NOW' })

  room.proxy.judge = onCreation(() => ({ status: 500, body: {} }))
  const left = await room.ended(await room.issue([{ description: 'd' }]))
  const index = 0
  await room.jobs.handlers['invoiceIssue.resolve']({ id: left.id, index, as: { left: true } })
  await room.engine.of('invoiceJob').resume(left.id)
  expect(await room.ended(left)).toMatchObject({ state: 'done', failed: 1 })
  expect(room.asked()).toBe(5)
})

test('an invoice stays unclear, with the reason, if the list is forbidden or has several matches', async () => {
  await using room = await openIssuingRoom()
  room.proxy.judge = (call) =>
    isListing(call) ? { status: 403, body: {} } : isCreation(call) ? 'cut' : 'pass'
  const blind = await room.ended(await room.issue([{}]))
  const [first] = await room.items(blind)
  expect(first).toMatchObject({ state: 'unclear', invoice: null })
  expect(first?.message).toContain('may not list invoices')
  const [made] = await atShop(room)
  const as = { invoice: made?.id ?? '' }
  const named = await room.jobs.handlers['invoiceIssue.resolve']({ id: blind.id, index: 0, as })
  expect(named).toMatchObject({ state: 'done', invoice: made?.id })

  const twins: string[] = []
  room.proxy.judge = onCreation(async () => {
    twins.push((await room.shop.create({ amount: '3000000000', description: 'x' })).id)
    return 'lose' as const
  })
  const several = await room.ended(await room.issue([{ amount: '3', description: 'x' }]))
  const [item] = await room.items(several)
  expect(item?.state).toBe('unclear')
  expect(item?.message).toMatch(/Several .* match/)
  expect(item?.message).toContain(twins[0])
  expect(room.asked()).toBe(2)
})

test('a refusal fails one line, a 429 is waited out, and a refused key or three failures in a row pause the job', async () => {
  await using room = await openIssuingRoom()
  const answers: Record<number, Verdict> = {
    1: { status: 429, body: { error: 'rate limit' } },
    3: { status: 400, body: { error: 'no such luck', code: 400 } },
    4: { status: 401, body: { error: 'the API token is not valid' } },
  }
  room.proxy.judge = onCreation((number) => answers[number] ?? 'pass')
  const lines = ['a', 'b', 'c'].map((description) => ({ description }))
  const paused = await room.ended(await room.issue(lines))
  expect(paused).toMatchObject({ state: 'paused', done: 1, failed: 1, unclear: 0 })
  expect(paused.problem).toContain('the API token is not valid')
  const [, refused] = await room.items(paused)
  expect(refused?.message).toContain('no such luck')
  await room.engine.of('invoiceJob').resume(paused.id)
  expect(await room.ended(paused)).toMatchObject({ state: 'done', done: 2, failed: 1 })
  await room.engine.of('invoiceJob').resume(paused.id)
  expect(await room.ended(paused)).toMatchObject({ state: 'done', done: 3, failed: 0 })

  const before = room.asked()
  room.proxy.judge = onCreation(() => ({ status: 503, body: {} }))
  const failing = await room.ended(await room.issue(alike(10)))
  expect(failing).toMatchObject({ state: 'paused', unclear: 3 })
  expect(failing.problem).toContain('3 invoices in a row')
  expect(room.asked() - before).toBe(3)
  const cancelled = await room.engine.of('invoiceJob').cancel(failing.id)
  expect(cancelled).toMatchObject({ state: 'cancelled', done: 0, unclear: 3 })
  await room.engine.of('invoiceJob').remove(failing.id)
  const listed = room.engine.of('invoiceJob').list({ network })
  expect(listed.map(({ id }) => id)).toEqual([paused.id])
})

test('after a restart the interrupted line is looked up, and no invoice is issued twice', async () => {
  await using room = await openIssuingRoom()
  const held = Promise.withResolvers<undefined>()
  const gone = Promise.withResolvers<undefined>()
  room.proxy.judge = onCreation(async (number): Promise<Verdict> => {
    if (number !== 3) return 'pass'
    held.resolve(undefined)
    // The app ends before the response, but the gateway creates the invoice.
    await gone.promise
    return 'pass'
  })
  const job = await room.issue(alike(6))
  await held.promise
  await room.restart(async () => {
    gone.resolve(undefined)
    await expect.poll(async () => (await atShop(room)).length).toBe(3)
  })
  expect(await room.ended(job)).toMatchObject({ state: 'done', done: 6, unclear: 0 })
  expect(room.asked()).toBe(6)
  expect(await atShop(room)).toHaveLength(6)
})

test('a cancellation reports invoices that are not pending, and reads the state after a lost response', async () => {
  await using room = await openIssuingRoom()
  const short = await room.shop.create({ life_time: 10 })
  await room.shop.advance(60)
  const others = await Promise.all([1, 2, 3].map(() => room.shop.create()))
  const [pending, lost, done] = others.map(({ id }) => id) as [string, string, string]
  await room.shop.call('PATCH', `/${done}/cancel`)
  room.proxy.judge = (call) => (isCancelling(call) && call.path.includes(lost) ? 'cut' : 'pass')
  const cancel = async (ids: string[]) =>
    room.jobs.handlers['invoiceCancel.start']({ network, invoices: { ids } })
  await expect(cancel(['ffffffff'])).rejects.toMatchObject({ code: 'INVOICE_UNKNOWN' })
  const none = { network, invoices: { filter: invoiceFilter.parse({}) } }
  await expect(
    (async () => room.jobs.handlers['invoiceCancel.start'](none))(),
  ).rejects.toMatchObject({ code: 'INVOICE_NONE_TO_CANCEL' })
  // The invoice is known to be expired: no request is sent.
  await room.ledger.fetch(network, short.id, 'fetch')
  const job = await room.ended(await cancel([pending, lost, done, short.id]))
  expect(job).toMatchObject({ kind: 'cancel', state: 'done', done: 3, failed: 1, unclear: 0 })
  const items = await room.items(job)
  expect(items.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'failed'])
  expect(items[2]?.message).toBe('The invoice is already cancelled.')
  expect(items[3]?.message).toBe('The invoice is expired. Only pending invoices can be cancelled.')
  expect(room.proxy.calls.filter(isCancelling).some(({ path }) => path.includes(short.id))).toBe(
    false,
  )
  const row = room.ledger.get(network, lost)
  expect(row.status).toBe('cancelled')
  const kinds = room.store.events.list(row.key, 50).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'cancel-asked')).toHaveLength(1)
})

test('a job that meets a full disk pauses with advice, and issues each line once after it is resumed', async () => {
  await using room = await openIssuingRoom()
  const { database } = room
  // Tables that migrations dropped leave free pages, which would still contain the rows.
  database.exec('VACUUM')
  const pages = () => Number(Object.values(database.prepare('PRAGMA page_count').get() ?? {})[0])
  room.proxy.judge = onCreation((number) => {
    if (number === 3) database.exec(`PRAGMA max_page_count = ${pages()}`)
    return 'pass'
  })
  const long = 'x'.repeat(100)
  const lines = Array.from({ length: 40 }, (_, index) => ({ description: `${index} ${long}` }))
  const job = await room.issue(lines)
  const full = await room.ended(job)
  expect(full.state).toBe('paused')
  expect(full.problem).toMatch(/disk is full\. Free some space, .* Then resume the job\.$/)
  expect(full.done).toBeLessThan(40)
  database.exec('PRAGMA max_page_count = 4294967294')
  await room.engine.of('invoiceJob').resume(job.id)
  expect(await room.ended(job)).toMatchObject({ state: 'done', done: 40, unclear: 0, failed: 0 })
  expect(room.asked()).toBe(40)
  const made = (await atShop(room)).map(({ description }) => description)
  expect(made.toSorted()).toEqual(lines.map(({ description }) => description).toSorted())
})
