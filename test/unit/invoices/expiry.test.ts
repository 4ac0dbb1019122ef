/** Tests pending invoices after their expiry, and the gateway's clock. */
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import {
  type BackgroundRequests,
  createBackgroundRequests,
} from '../../../src-main/jobs/background-requests.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { createGatewayClock } from '../../../src-main/invoices/matching/gateway-clock.ts'
import type { InvoicesContext } from '../../../src-main/invoices/context.ts'
import type { InvoicesRoom } from '../../../src-main/invoices/invoices-room.ts'
import type { ReportedInvoices } from '../../../src-main/invoices/sync/reported-invoices.ts'
import { LedgerSync } from '../../../src-main/invoices/sync/sync.ts'

const network: Network = {
  id: 'sandbox',
  kind: 'sandbox',
  name: 'Sandbox',
  urls: { query: 'q', webhooks: 'w', testnetWebhooks: null, console: 'c' },
  testOnly: false,
  secrets: { api: null, invoices: null },
  explorer: null,
  problem: null,
}

const running: BackgroundRequests[] = []
afterEach(async () => {
  for (const requests of running.splice(0)) await requests.stop()
})

/** Simulates a gateway with an empty list, and one pending invoice that expires at `endsAt`. */
function desk(options: {
  endsAt: number
  answerSeconds?: number
  chainNow?: () => Promise<number>
}) {
  let now = 1_000_000
  let waits: (() => void)[] = []
  const invoice = { id: 'a', expiresAt: options.endsAt, isPending: true }
  const asked: number[] = []
  const bugs: unknown[] = []
  const pendingIn = (from: number, to: number) =>
    invoice.isPending && invoice.expiresAt > from && invoice.expiresAt <= to ? [invoice] : []
  const ledger = { listedAt: now, fullAt: now, state: '' }
  const common = {
    now: () => now,
    wait: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        waits.push(resolve)
      }),
    onBug: (error: unknown) => void bugs.push(error),
  }
  const requests = createBackgroundRequests({
    ...common,
    next: () => null,
    whyNot: () => null,
    onTick: () => sync.tick(),
    onSettled: () => undefined,
  })
  const context = {
    ...common,
    events: { emit: () => undefined },
    incidents: { report: () => undefined },
    access: {
      current: () => 'sandbox',
      info: () => network,
      invoices: () => ({ list: () => Promise.resolve({ invoices: [], unread: [], count: 0 }) }),
    },
    networks: { state: () => ({ networks: [network] }) },
    store: {
      rows: {
        pending: () => [],
        countPending: () => 0,
        inOtherState: () => [],
        overpaid: () => [],
        hasUnsettled: () => true,
        expiring: (_network: string, from: number, to: number) => pendingIn(from, to),
      },
      reports: { countWaiting: () => 0, open: () => ({ waiting: false }) },
      ledgers: {
        get: () => ledger,
        put: (_network: string, next: object) => Object.assign(ledger, next),
      },
    },
  }
  const parts = {
    requests,
    ledger: {
      async fetch() {
        asked.push(now)
        for (let second = 0; second < (options.answerSeconds ?? 0); second += 1) {
          await new Promise<void>((resolve) => waits.push(resolve))
        }
        return null
      },
    },
    chain: { read: () => Promise.resolve(), state: () => null },
    clock: createGatewayClock({
      now: () => now,
      chainNow: options.chainNow ?? (() => Promise.resolve(now)),
    }),
  }
  const sync = new LedgerSync(
    context as unknown as InvoicesContext,
    parts as unknown as InvoicesRoom,
    { promote: () => false } as unknown as ReportedInvoices,
    () => ({ appId: null, projectId: null }),
  )
  running.push(requests)
  return {
    start: () => requests.startTicking(),
    sync,
    invoice,
    asked,
    bugs,
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        now += 1000
        const due = waits
        waits = []
        for (const resolve of due) resolve()
        for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      }
    },
  }
}

test('an invoice that is still pending after its expiry is requested again with growing delays, a limited number of times', async () => {
  const { start, asked, bugs, pass } = desk({ endsAt: 1_010_000 })
  start()
  await pass(60)
  expect(asked[0]).toBeGreaterThanOrEqual(1_012_000)
  // The next regular sync covers the invoice after these requests.
  const pauses = asked.slice(1).map((at, index) => (at - (asked[index] ?? 0)) / 1000)
  expect(pauses).toEqual([2, 4, 6, 8, 10])
  expect(bugs).toEqual([])
})

test('a slow gateway receives no additional requests for an expired invoice', async () => {
  const { start, asked, pass } = desk({ endsAt: 1_010_000, answerSeconds: 3 })
  start()
  await pass(120)
  expect(asked).toHaveLength(6)
})

test('no request is sent once the expiry of an invoice is confirmed', async () => {
  const { start, invoice, asked, pass } = desk({ endsAt: 1_010_000 })
  start()
  await pass(13)
  expect(asked).toHaveLength(1)
  invoice.isPending = false
  await pass(40)
  expect(asked).toHaveLength(1)
})

test('an invoice that expires after a clock change during the first sync is requested', async () => {
  let turnedBy = 0
  const chainNow = () => Promise.resolve(1_000_000 + turnedBy)
  const { start, sync, asked, pass } = desk({ endsAt: 1_600_000, chainNow })
  start()
  await sync.handlers['invoiceSync.run']({ network: 'sandbox', full: false })
  turnedBy = 700_000
  await sync.handlers['invoiceSync.state']({ network: 'sandbox' })
  await pass(1)
  expect(asked).toHaveLength(1)
})

test('a clock response that arrives late does not replace a newer response', async () => {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let calls = 0
  const chainNow = () => answers[calls++]?.promise ?? Promise.reject(new Error('asked too often'))
  const { sync } = desk({ endsAt: 2_000_000, chainNow })
  const state = sync.handlers['invoiceSync.state']
  const [slow, quick] = [state({ network: 'sandbox' }), state({ network: 'sandbox' })]
  answers[1]?.resolve(1_700_000)
  expect((await quick).clockOffset).toBe(700_000)
  answers[0]?.resolve(1_000_000)
  expect((await slow).clockOffset).toBe(700_000)
})
