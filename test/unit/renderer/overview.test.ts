import { execFileSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { failedHeight } from '../../../src-renderer/components/charts/sparkline.tsx'
import {
  describeArrival,
  describeFailures,
  forwardingHealth,
  invoicesHealth,
  receiverHealth,
  tunnelHealth,
  webhooksHealth,
} from '../../../src-renderer/features/overview/health.ts'
import { connect, createPreloadTransport } from '../../../src-renderer/app/bridge.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { loadCounts } from '../../../src-renderer/features/overview/health-stats.tsx'
import { sampleCommand } from '../../../src-renderer/components/start/sample-webhook.ts'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

type HistogramInput = Input<'captureQuery.histogram'>

describe('the health of a network', () => {
  const webhook = (id: string, status: string | null, failing = 0) => ({ id, status, failing })
  const listOf = (...webhooks: object[]) => ({ webhooks, readAt: 1, problem: null }) as never
  const ruleOf = (state: string, rest = {}) =>
    ({
      id: 4,
      enabled: true,
      problem: null,
      health: [{ state, lastProblem: 'No reply.' }],
      ...rest,
    }) as never
  const sync = { status: 'waiting', problem: null, chain: { problem: null } }

  it('a stopped receiver is shown as an error', () => {
    const state = { status: 'stopped', writable: true, problem: null } as never
    const receiver = receiverHealth(state)
    expect(receiver).toMatchObject({ tone: 'bad', word: 'stopped' })
    const tunnel = tunnelHealth({ publicUrl: null, check: null } as never)
    expect(tunnel.tone).toBe('plain')
    expect(describeArrival({ receiver, tunnel }, 12)).toMatchObject({ tone: 'bad' })
  })

  it.each([
    [
      'an offline webhook outweighs a failing one',
      [webhook('1', 'offline'), webhook('2', 'online', 9)],
      'bad',
      '1 offline',
    ],
    ['failing accounts are a warning', [webhook('1', 'online', 2)], 'warn', 'failing'],
    [
      'webhooks in two bad states are combined',
      [webhook('1', 'offline'), webhook('2', 'suspended')],
      'bad',
      '2 not online',
    ],
    [
      'a webhook without a status is not shown as online',
      [webhook('1', null)],
      'plain',
      'not reported',
    ],
    ['no webhooks', [], 'plain', 'none'],
    ['all webhooks are online', [webhook('1', 'online')], 'ok', 'online'],
  ])('the health of webhooks is right in this case: %s', (_name, webhooks, tone, word) => {
    expect(webhooksHealth(listOf(...webhooks))).toMatchObject({ tone, word })
  })

  it('the health of webhooks links to the only faulty webhook, or to the list of several', () => {
    const one = webhooksHealth(listOf(webhook('7', 'offline'), webhook('8', 'online')))
    expect(one.cause?.route).toMatchObject({ id: '7', tab: 'deliveries' })
    const two = webhooksHealth(listOf(webhook('7', 'offline'), webhook('8', 'offline')))
    expect(two.cause?.route).toMatchObject({ view: 'home' })
  })

  it('a disabled forwarding rule does not count towards the health of forwarding', () => {
    expect(forwardingHealth([ruleOf('down', { enabled: false })])).toMatchObject({ tone: 'plain' })
    const down = forwardingHealth([ruleOf('up'), ruleOf('down')])
    expect(down).toMatchObject({ tone: 'bad', cause: { text: 'No reply.' } })
    const well = invoicesHealth({ urls: null }, sync as never)
    const parts = { receiver: well, tunnel: well, webhooks: well, invoices: well }
    expect(describeFailures({ ...parts, forwarding: down }).text).toBe('Failing: forwarding.')
    expect(describeFailures({ ...parts, forwarding: well }).tone).toBe('ok')
  })

  it('payments that are not current are a warning although the gateway is in sync', () => {
    const behind = { ...sync, chain: { problem: 'Timeout.' } } as never
    expect(invoicesHealth({ urls: null }, behind)).toMatchObject({ tone: 'warn' })
  })

  it('a single failure among thousands is visible in the chart, and no failure is drawn as nothing', () => {
    expect(failedHeight(1, 5000, 1)).toBeGreaterThan(0.1)
    expect(failedHeight(0.15, 1, 1)).toBe(0.15)
    expect(failedHeight(1, 5000, 0)).toBe(0)
  })
})

describe('the sample webhook command', () => {
  const url = 'http://127.0.0.1:4801/hook/0123456789abcdef0123456789abcdef'

  it.skipIf(process.platform === 'win32')(
    'the sample command passes one JSON body and the exact URL to curl',
    () => {
      // `curl` is replaced by a function that writes its arguments, one per line.
      const script = `curl() { printf '%s\\n' "$@"; }\n${sampleCommand(url, 'posix')}`
      const lines = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
      expect(lines).toHaveLength(5)
      expect(lines.at(-1)).toBe(url)
      expect(JSON.parse(lines[3] ?? '')).toMatchObject({ event_type: 'account_tx' })
    },
  )

  it('the sample command is one line for every shell', () => {
    for (const shell of ['posix', 'cmd', 'powershell'] as const) {
      expect(sampleCommand(url, shell)).not.toMatch(/[\r\n]/)
    }
  })
})

describe('the counts of captures', () => {
  const first = Date.UTC(2026, 10, 20, 14, 32, 7)
  /** A new capture arrives with each request that counts. */
  const arrivals = [first - 1_800_000, first - 60_000]

  const answers: Readonly<Record<string, (input: never) => unknown>> = {
    'capture.counts': () => ({ others: 0 }),
    'capture.list': ({ query }: Input<'capture.list'>) => ({
      rows: /received:<-(5|15)m/.test(query?.text ?? '') ? [{}] : [],
    }),
    'captureQuery.histogram'({ from, to, buckets: number }: HistogramInput) {
      vi.setSystemTime(Date.now() + 10)
      arrivals.push(Date.now())
      const counted = arrivals.map((ms) => ms * 1000).filter((at) => at >= from && at < to)
      const step = (to - from) / number
      const buckets = Array.from({ length: number }, (_, index) => ({
        startsAt: from + index * step,
        matching: counted.filter((at) => Math.floor((at - from) / step) === index).length,
      }))
      return { buckets, isExact: true }
    },
  }

  it('the figures count captures up to the same time, in the smallest range that holds all of them', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: first })
    const stop = connect(
      createPreloadTransport({
        request: (name: string, input: never) =>
          Promise.resolve({ ok: true, data: answers[name]?.(input) }),
        on: () => () => undefined,
      } as never),
    )
    const { received, rejected } = await loadCounts('shop', null, false)
    expect([received.total, rejected.total]).toEqual([2, 2])
    // The older of the two is half an hour old.
    expect(first * 1000 - received.from).toBe(3600e6)
    stop()
    vi.useRealTimers()
  })
})
