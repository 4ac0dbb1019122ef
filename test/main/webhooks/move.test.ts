/** Tests moving webhooks to another endpoint, on the real sandbox. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { WebhooksClient } from '../../../src-main/gateway/webhooks.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { type Endpoint, respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import {
  type Meddle,
  type MovingRoom,
  network,
  openMovingRoom,
} from '../../fixtures/moving-room.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'
import { account } from '../../fixtures/webhooks.ts'

let sandbox: RunningSandbox
let old: Endpoint
let next: Endpoint
let room: MovingRoom
const meddle: { on: Meddle } = { on: () => undefined }
const nothing: Meddle = () => undefined
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  sandbox = resources.use(await startSandbox({ seed: 'moving' }))
  old = resources.use(await startEndpoint())
  next = resources.use(await startEndpoint())
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  resources.defer(() => database.close())
  room = resources.use(openMovingRoom(sandbox, database, meddle))
})
afterAll(() => resources.disposeAsync())
beforeEach(async () => {
  meddle.on = nothing
  old.answer = respondWith(200)
  for (const { id } of await room.webhooks()) await room.book.remove(network, id)
})

const many = Array.from({ length: 1200 }, (_, index) => account(index + 1))

/** Creates a webhook with a subscription of each kind. */
async function makeOld(accounts: readonly string[]): Promise<string> {
  const { id } = await room.book.create(network, old.url, new Set())
  await room.client.subscribeAccounts(id, accounts)
  await room.client.setOpcode(id, '0x0f8a7ea5', true)
  await room.client.setOpcode(id, '0x00000007', true)
  await room.client.setMempool(id, true)
  return id
}

const begin = (id: string) =>
  room.moves.handlers['move.start']({ network, id, endpoint: next.url }) as Promise<{ id: number }>

async function accountsOf(id: string): Promise<string[]> {
  const pages = await Promise.all(
    [0, 1000].map((offset) => room.client.subscriptions(id, { offset })),
  )
  return pages
    .flat()
    .map((each) => each.account)
    .sort()
}

test('a move that is interrupted at any request ends with one complete webhook', async () => {
  const from = await makeOld(many)
  await room.webhooks()
  const keyBefore = room.store.webhooks.get(network, from)?.key
  // The kill comes before a request is sent or when its response is lost, and after each request
  // that must not be repeated.
  const unheard = new Set<keyof WebhooksClient>(['create', 'subscribeAccounts', 'remove'])
  let requests = 0
  let ends = 0
  const restarts: Promise<void>[] = []
  meddle.on = (call, when) => {
    requests += 1
    const isWorst = when === 'after' && unheard.delete(call)
    if (!isWorst && (ends >= 40 || requests % 5 !== 0)) return
    ends += 1
    restarts.push(room.restart())
    throw new Error(`The app ended ${when} a request.`)
  }
  await begin(from)
  const { to } = await room.until(({ state }) => state === 'done')
  await Promise.all(restarts)
  expect(ends).toBeGreaterThan(40)
  expect(unheard.size).toBe(0)

  const webhooks = await room.webhooks()
  expect(webhooks).toMatchObject([
    { id: to.id, endpoint: next.url, accounts: 1200, opcodes: 2, mempool: true },
  ])
  expect(webhooks[0]?.newContracts).toBe(false)
  expect(await accountsOf(to.id ?? '')).toEqual(many.toSorted())
  // Data of the old webhook now belongs to the new one.
  expect(room.store.webhooks.get(network, to.id ?? '')?.key).toBe(keyBefore)
})

test('changes of the old webhook during a move are made at the new one, and changes of the new one stay', async () => {
  const few = many.slice(0, 10)
  const from = await makeOld(few)
  let isDone = false
  meddle.on = async (call, when) => {
    // The comparison after the copying reads the new webhook.
    if (call !== 'opcodes' || when !== 'after' || room.move().step !== 'compare' || isDone) return
    isDone = true
    const to = room.move().to.id ?? ''
    await room.client.unsubscribeAccounts(from, few.slice(0, 3))
    await room.client.subscribeAccounts(from, many.slice(100, 105))
    await room.client.setOpcode(from, '0x00000007', false)
    await room.client.setMempool(from, false)
    await room.client.setNewContracts(from, true)
    await room.client.subscribeAccounts(to, many.slice(200, 202))
    await room.client.setOpcode(to, '0x00000009', true)
  }
  await begin(from)
  const { to } = await room.until(({ state }) => state === 'done')
  expect(isDone).toBe(true)
  const wanted = [...few.slice(3), ...many.slice(100, 105), ...many.slice(200, 202)]
  expect(await accountsOf(to.id ?? '')).toEqual(wanted.toSorted())
  const opcodes = (await room.client.opcodes(to.id ?? '')).map(({ opcode }) => opcode)
  expect(opcodes.sort()).toEqual(['0x00000009', '0x0f8a7ea5'])
  expect(await room.webhooks()).toMatchObject([{ mempool: false, newContracts: true }])
})

test('a move enables no opcode that the gateway disabled, and keeps flags that others enabled', async () => {
  const from = await makeOld(many.slice(0, 2))
  await room.client.setMempool(from, false)
  const disabled = { opcode: '0x00000007', reason: 'too many events' }
  const change = await sandbox.control('POST', `/webhooks/${from}/disable-opcode`, disabled)
  expect(change.status).toBe(200)
  let isDone = false
  meddle.on = async (call, when) => {
    if (call !== 'opcodes' || when !== 'before' || isDone) return
    isDone = true
    const to = room.move().to.id ?? ''
    await room.client.setMempool(to, true)
    await room.client.setNewContracts(to, true)
  }
  await begin(from)
  const { to } = await room.until(({ state }) => state === 'done')
  expect(isDone).toBe(true)
  expect(await room.client.opcodes(to.id ?? '')).toMatchObject([
    { opcode: '0x0f8a7ea5', status: 'active' },
  ])
  expect(await room.webhooks()).toMatchObject([
    { id: to.id, mempool: true, newContracts: true, opcodes: 1 },
  ])
})

test('an old webhook with undelivered events remains until the user finishes the move', async () => {
  const [payer, payee] = sandbox.ready.wallets
  const from = await makeOld([payee?.address ?? ''])
  old.answer = respondWith(503)
  const pay = { from: payer?.name, to: payee?.name, amount: '1000000' }
  expect((await sandbox.control('POST', '/send', pay)).status).toBe(200)
  const { id } = await begin(from)
  const waiting = await room.until(({ problem }) => problem !== null)
  expect(waiting).toMatchObject({ step: 'drain', state: 'running', undelivered: 1 })
  expect(waiting.problem).toMatch(/^One account has an event that is not delivered .*missed/)
  expect(() => room.moves.refuse(network, from)).toThrow(/is being moved/)

  void room.moves.handlers['move.finish']({ id })
  await room.until(({ state }) => state === 'done')
  expect(await room.webhooks()).toMatchObject([{ endpoint: next.url, accounts: 1 }])
  const late = () => room.moves.handlers['move.rollBack']({ id })
  expect(late).toThrow(expect.objectContaining({ code: 'WEBHOOK_MOVE_NOT_NOW' }) as Error)
})

test('a move that is rolled back leaves the old webhook unchanged, and one without its old webhook pauses', async () => {
  const from = await makeOld(many.slice(0, 5))
  const accounts = await accountsOf(from)
  meddle.on = (call, when) => {
    if (call !== 'opcodes' || when !== 'before') return
    meddle.on = nothing
    void room.moves.handlers['move.rollBack']({ id: room.move().id })
  }
  await begin(from)
  await room.until(({ state }) => state === 'rolled-back')
  expect(await room.webhooks()).toMatchObject([{ id: from, endpoint: old.url, accounts: 5 }])
  expect(await accountsOf(from)).toEqual(accounts)

  meddle.on = async (call, when) => {
    if (call !== 'opcodes' || when !== 'before') return
    meddle.on = nothing
    await room.client.remove(from)
  }
  const { id } = await begin(from)
  const paused = await room.until(({ state }) => state === 'paused')
  expect(paused.problem).toMatch(/was deleted outside this app.*Finish .* or roll back/)
  void room.moves.handlers['move.finish']({ id })
  await room.until(({ state }) => state === 'done')
  expect(await room.webhooks()).toMatchObject([{ endpoint: next.url, accounts: 5 }])
})

test('a webhook that another program created at the new endpoint is not used by the move', async () => {
  const from = await makeOld(many.slice(0, 5))
  meddle.on = (call) => {
    if (call === 'create') throw new AppError(gatewayCodes.forbidden, 'No more webhooks (403).')
  }
  const { id } = await begin(from)
  await room.until(({ state }) => state === 'paused')
  meddle.on = nothing
  const theirs = await room.client.create(next.url)
  await room.client.subscribeAccounts(theirs.id, many.slice(0, 1))
  void room.moves.handlers['move.rollBack']({ id })
  await room.until(({ state }) => state === 'rolled-back')
  expect((await room.webhooks()).map((each) => each.id)).toEqual([theirs.id, from])
})

test('a new webhook that is deleted during a move is created again when the user resumes', async () => {
  const from = await makeOld(many.slice(0, 5))
  meddle.on = async (call, when) => {
    if (call !== 'opcodes' || when !== 'before') return
    meddle.on = nothing
    await room.client.remove(room.move().to.id ?? '')
  }
  const { id } = await begin(from)
  const { problem } = await room.until(({ state }) => state === 'paused')
  expect(problem).toMatch(
    /^The new webhook \d+ was deleted outside this app\. Resume to create another/,
  )
  expect(await room.webhooks()).toMatchObject([{ id: from, accounts: 5 }])
  void room.moves.handlers['move.resume']({ id })
  await room.until(({ state }) => state === 'done')
  expect(await room.webhooks()).toMatchObject([{ endpoint: next.url, accounts: 5, opcodes: 2 }])
})
