/**
 * Tests requests for transactions of captures with a real log and store, and a gateway that the
 * test controls.
 */
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ExplanationProgress } from '../../../src-preload/contract/explanation.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes, gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import {
  type Explanation,
  createExplanation,
} from '../../../src-main/captures/explanation/explanation.ts'
import type { TransactionRead } from '../../../src-main/captures/explanation/requests.ts'
import { classify } from '../../../src-main/receiver/classify.ts'
import { deleteCaptures } from '../../../src-main/captures/store/capture-deletion.ts'
import type { Facts } from '../../../src-main/captures/store/index/facts.ts'
import {
  type StoredExplanation,
  createCaptureExplanations,
} from '../../../src-main/captures/store/capture-explanations.ts'
import { createCaptures } from '../../../src-main/captures/store/captures.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { rescueDatabase } from '../../../src-main/database/rescue.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { testAccount, transactionEvent } from '../../fixtures/bodies.ts'

const network = 'mainnet'
const hour = 3_600_000
const began = Date.UTC(2026, 5, 1)
const token = `${network}/7`

type Verdict = 'found' | 'missing' | 'limited' | 'never'

/** Opens a data directory with a gateway and a store, on which a test can start several rooms. */
function openDesk() {
  const directory = temporaryDirectory()
  const path = join(directory.path, 'tondesk.db')
  const database = openDatabase(path, { synchronous: 'NORMAL' })
  migrate(database, () => undefined)
  const insert = database.prepare(
    `INSERT INTO captures (id, received_at, duration_us, status, method, target, http_version,
       remote_address, completeness, token, token_id, headers, body_bytes, body)
     VALUES (?, ?, 1, 200, 'POST', '/hook/x', '1.1', '', 'complete', ?, ?, '', ?, ?)`,
  )
  const desk = {
    path,
    database,
    now: began,
    isOn: true,
    isThere: true,
    verdict: (hash: string): Verdict => (hash === '' ? 'missing' : 'found'),
    /** Hashes in the order of their requests. */
    asked: [] as string[],
    kept: new Map<string, TransactionRead>(),
    facts: new Map<number, Facts>(),
    changed: new Set<number>(),
    /** Resolves when the index has stored the captures. */
    reindex: (() => Promise.resolve()) as (ids: readonly number[]) => Promise<void>,
    onBug: ((error) => {
      throw error
    }) as (error: unknown) => void,
    /** The same lt is the same transaction. */
    deliver(
      lt: number,
      kind: 'account_tx' | 'opcode_msg' = 'account_tx',
      tokenId: string | null = token,
    ) {
      const body = Buffer.from(transactionEvent({ lt: String(lt), kind }))
      const id = desk.facts.size + 1
      insert.run(
        id,
        desk.now * 1000,
        tokenId === null ? 'wrong' : 'right',
        tokenId,
        body.length,
        body,
      )
      const { lt: claimed, ...facts } = classify(body, null)
      const rest = { duplicateOf: null, outOfOrder: false, lt: String(claimed) }
      desk.facts.set(id, { id, ...facts, ...rest })
      return id
    },
    [Symbol.dispose]() {
      database.close()
      directory[Symbol.dispose]()
    },
  }
  return desk
}

type Desk = ReturnType<typeof openDesk>

const hashOf = (lt: number) => String(lt).padStart(64, 'a')

function transaction(hash: string): TransactionRead {
  const ref = { address: testAccount, name: null, label: null, isScam: false, isWallet: true }
  const asset = { jetton: null, symbol: 'TON', decimals: 9 }
  // The response has only the fields from which facts are made.
  return {
    isSure: true,
    answer: {
      transaction: {
        hash,
        account: ref,
        lt: '5',
        at: began,
        phases: {},
        outMessages: [],
        inMessage: null,
      },
      trace: null,
    },
    line: {
      direction: 'in',
      peer: ref,
      change: { asset, units: '7' },
      comment: hash,
      success: true,
    },
  } as unknown as TransactionRead
}

function room(desk: Desk): Explanation & {
  progress(): Promise<ExplanationProgress>
  row(id: number): StoredExplanation | undefined
} {
  const meanings = createCaptureExplanations(desk.database)
  const secrets = {
    api: { hint: 'abcd', addedAt: 1, present: true },
    invoices: null,
  }
  const urls = { query: 'https://q', webhooks: 'https://w', testnetWebhooks: null, console: null }
  const networks: Network[] = [
    {
      id: network,
      kind: 'mainnet',
      name: 'Main net',
      urls,
      testOnly: false,
      secrets,
      explorer: null,
      problem: null,
    },
  ]
  const rowOf = (id: number) => meanings.byIds([id]).get(id)
  const explanation = createExplanation({
    meanings,
    invoices: {
      paidBy: () => null,
      paymentsOf: () => [],
      latest: () => [],
      reportedTo: () => null,
      reportsFollowedTo: () => Number.MAX_SAFE_INTEGER,
      capturesOf: () => [],
      capturesOfEvent: () => [],
    },
    captures: createCaptures(desk.database),
    facts: {
      indexedTo: () => desk.facts.size,
      between: () => new Map(),
      byIds: (ids) => new Map([...desk.facts].filter(([id]) => ids.includes(id))),
    },
    classifiedTo: () => desk.facts.size,
    hooks: () => [],
    reader: {
      kept: (_network, hash) => desk.kept.get(hash) ?? null,
      async read(_network, hash, { signal }): Promise<TransactionRead> {
        desk.asked.push(hash)
        await breathe()
        switch (desk.verdict(hash)) {
          case 'missing':
            throw new AppError(chainCodes.notFound, 'No transaction has this hash.')
          case 'limited':
            throw new AppError(gatewayCodes.rateLimited, 'Too many requests.', {
              data: { retryAfterMs: 20_000 },
            })
          case 'never':
            return aborted(signal)
          case 'found': {
            const found = transaction(hash)
            desk.kept.set(hash, found)
            return found
          }
        }
      },
    },
    networks: () => (desk.isThere ? networks : []),
    checkNetwork: () => undefined,
    labelsOf: () => new Map(),
    nameAccount: (_, { address }) => address,
    invoice: () => Promise.resolve(null),
    isOn: () => desk.isOn,
    isRush: () => false,
    otherMoments: () => Promise.resolve([]),
    reindex: (ids) => desk.reindex(ids),
    onChanged: (ids) => ids.forEach((id) => desk.changed.add(id)),
    onProgress: () => undefined,
    now: () => desk.now,
    // The tests trigger the timers.
    wait: (ms, signal) => (ms === 1000 ? aborted(signal) : breathe()),
    onBug: (error) => desk.onBug(error),
  })
  return {
    ...explanation,
    row: rowOf,
    progress: () => Promise.resolve(explanation.handlers['explanation.progress'](undefined)),
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

/** Waits until no work remains. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await breathe()
}

/** Advances the clock by a second, which the room is waiting for. */
async function later(explanation: Explanation, desk: Desk, ms: number): Promise<void> {
  desk.now += ms
  explanation.tick()
  await settled()
}

test('transactions of captures are requested once each, the newest first, and those of bursts last', async () => {
  using desk = openDesk()
  desk.deliver(1, 'opcode_msg')
  for (let lt = 2; lt <= 9; lt += 1) desk.deliver(lt)
  const again = desk.deliver(9)
  const explanation = room(desk)
  explanation.start()
  await settled()
  expect(desk.asked).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map(hashOf))
  expect(explanation.row(again)?.facts).toMatchObject({ state: 'known', comment: hashOf(9) })
  expect([...desk.changed].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  await explanation.stop()
})

test('after a kill no request that got a response is repeated, and every capture is explained', async () => {
  using desk = openDesk()
  for (let lt = 1; lt <= 450; lt += 1) desk.deliver(lt)
  desk.verdict = (hash) => (desk.asked.indexOf(hash) % 3 === 2 ? 'never' : 'found')
  const busy = Promise.withResolvers<undefined>()
  desk.reindex = async () => {
    await busy.promise
  }
  const killed = room(desk)
  killed.start()
  await settled()
  // The killed room must never write what it was about to write.
  const answered = new Set(desk.kept.keys())
  expect(answered.size).toBeGreaterThan(3)
  desk.asked = []
  desk.verdict = () => 'found'
  const indexed = new Set<number>()
  desk.reindex = (ids) => {
    for (const id of ids) indexed.add(id)
    return Promise.resolve()
  }
  const next = room(desk)
  next.start()
  for (let turn = 0; turn < 100 && (await next.progress()).waiting > 0; turn += 1) await settled()
  expect(desk.asked.filter((hash) => answered.has(hash))).toEqual([])
  expect(new Set(desk.asked).size).toBe(desk.asked.length)
  expect(desk.kept.size).toBe(450)
  expect(await next.progress()).toEqual({ waiting: 0, unavailable: 0, problem: null })
  // Explanations that were stored before but not indexed are indexed too.
  await settled()
  expect(indexed.size).toBe(450)
  await next.stop()
  busy.resolve(undefined)
  await killed.stop()
})

test('after a 429 no transaction is requested until the pause ends, then all are explained', async () => {
  using desk = openDesk()
  const ids = [1, 2, 3, 4, 5, 6, 7, 8].map((lt) => desk.deliver(lt))
  desk.verdict = () => 'limited'
  const explanation = room(desk)
  explanation.start()
  await settled()
  const first = desk.asked.length
  expect(first).toBeLessThanOrEqual(4)
  expect(await explanation.progress()).toMatchObject({
    waiting: 8,
    problem: expect.stringContaining('Too many') as string,
  })
  await later(explanation, desk, 10_000)
  expect(desk.asked).toHaveLength(first)
  // One request detects the end of the pause, and the others follow.
  await later(explanation, desk, 10_001)
  expect(desk.asked).toHaveLength(first + 1)
  desk.verdict = () => 'found'
  await later(explanation, desk, 60_000)
  expect(ids.map((id) => explanation.row(id)?.facts.state)).toEqual(ids.map(() => 'known'))
  expect(ids.map((id) => explanation.row(id)?.tries)).toEqual(ids.map(() => 0))
  await explanation.stop()
})

test('a transaction that is not found is requested a few times while it is new, then only on retry', async () => {
  using desk = openDesk()
  const fresh = desk.deliver(1)
  const found = desk.deliver(2)
  desk.now += 2 * hour
  const old = desk.deliver(3)
  desk.database
    .prepare('UPDATE captures SET received_at = ? WHERE id = ?')
    .run(desk.now * 1000, fresh)
  desk.database.prepare('UPDATE captures SET received_at = ? WHERE id = ?').run(began * 1000, old)
  desk.verdict = (hash) => (hash === hashOf(2) ? 'found' : 'missing')
  const explanation = room(desk)
  explanation.start()
  await settled()
  expect(explanation.row(found)?.facts.state).toBe('known')
  expect(explanation.row(old)?.facts.state).toBe('unavailable')
  for (const ms of [1000, 5000, 30_000, 300_000, hour, hour]) await later(explanation, desk, ms)
  const times = (lt: number) => desk.asked.filter((hash) => hash === hashOf(lt)).length
  expect([times(1), times(2), times(3)]).toEqual([5, 1, 1])
  expect(explanation.row(fresh)).toMatchObject({
    facts: { state: 'unavailable' },
    problem: 'No transaction has this hash.',
  })
  expect(await explanation.progress()).toEqual({ waiting: 0, unavailable: 2, problem: null })

  desk.verdict = () => 'found'
  await explanation.handlers['explanation.retry'](undefined)
  await settled()
  expect(await explanation.progress()).toEqual({ waiting: 0, unavailable: 0, problem: null })
  await explanation.stop()
})

test('with explanations turned off, only an opened capture is requested; after a reset of the chain no explanation remains', async () => {
  using desk = openDesk()
  desk.isOn = false
  const [one, two] = [desk.deliver(1), desk.deliver(2)]
  const explanation = room(desk)
  explanation.start()
  await settled()
  expect(desk.asked).toEqual([])
  expect((await explanation.progress()).problem).toContain('turned off')
  expect(await explanation.handlers['explanation.get']({ id: one, again: false })).toMatchObject({
    facts: { state: 'known', amount: { units: '7', direction: 'in' } },
    problem: null,
  })
  expect(desk.asked).toEqual([hashOf(1)])

  desk.isOn = true
  desk.verdict = () => 'never'
  explanation.settingsChanged()
  await settled()
  await explanation.forget(network, () => {
    desk.kept.clear()
    return Promise.resolve()
  })
  const states = [one, two].map((id) => explanation.row(id)?.facts)
  expect(states).toMatchObject([{ state: 'unavailable', amount: null }, { state: 'unavailable' }])
  desk.isThere = false
  explanation.networksChanged()
  await settled()
  expect([one, two].map((id) => explanation.row(id)?.network)).toEqual([null, null])
  await explanation.stop()
})

test('explanations are deleted with their capture, and networks that the user chose survive a rescue', async () => {
  using desk = openDesk()
  const of = [
    desk.deliver(1, 'account_tx', null),
    desk.deliver(2, 'account_tx', null),
    desk.deliver(3),
  ]
  const explanation = room(desk)
  explanation.start()
  await settled()
  const said = of.slice(0, 2)
  await explanation.handlers['explanation.setNetwork']({
    ids: said,
    network: network satisfies NetworkId,
  })
  await settled()
  expect(desk.asked).toHaveLength(3)
  await explanation.stop()
  deleteCaptures(desk.database, [1, 3])
  const all = (database: typeof desk.database, table: string) =>
    database
      .prepare(`SELECT capture_id FROM ${table}`)
      .all()
      .map((row) => row['capture_id'])
  expect(all(desk.database, 'capture_meanings')).toEqual([2])
  expect(all(desk.database, 'capture_networks')).toEqual([2])

  await rescueDatabase(desk.path, `${desk.path}-aside`)
  const rescued = openDatabase(desk.path)
  expect(all(rescued, 'capture_networks')).toEqual([2])
  // The progress of explanations is not rescued, because they are created again.
  expect(createCaptureExplanations(rescued).followed()).toEqual({ to: 0, gaps: [] })
  rescued.close()
})

// Earlier, an error in the progress timer ended the app and its receiver.
test('database damage that the progress timer finds is reported', async () => {
  using desk = openDesk()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  desk.onBug = resolve
  const explanation = room(desk)
  desk.facts = new Proxy(desk.facts, {
    get(_facts, name) {
      throw new Error(`the index is malformed: ${String(name)}`)
    },
  })
  explanation.networksChanged()
  expect(await promise).toMatchObject({ message: expect.stringContaining('malformed') as string })
  await explanation.stop()
})
