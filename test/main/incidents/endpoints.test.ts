/** Tests incidents of failing endpoints over hours of a simulated clock, on a real database. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createIncidents } from '../../../src-main/incidents/incidents.ts'
import { createIncidentStore } from '../../../src-main/incidents/store/incidents.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { createConditions } from '../../../src-main/webhooks/conditions.ts'
import type { WebhookRoom } from '../../../src-main/webhooks/room.ts'
import { createSubscriptionStore } from '../../../src-main/webhooks/store/subscription-store.ts'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const network = 'mainnet'
const minute = 60_000
const account = `0:${'1a'.repeat(32)}`

/** Opens a webhook with one account whose deliveries succeed or fail, sampled every 30 seconds. */
function openDesk(path: string) {
  const database = openDatabase(path)
  migrate(database, () => undefined)
  const store = createSubscriptionStore(database)
  let clock = Date.UTC(2026, 10, 23)
  const happened: string[] = []
  const incidents = createIncidents(
    createIncidentStore(database),
    {
      emit(name: string, payload: object) {
        if ('title' in payload) happened.push(`${name}: ${String(payload.title)}`)
      },
    },
    {
      settings: () => defaultSettings.monitoring,
      onBug(error) {
        throw error
      },
      clock: { now: () => clock, uptime: () => clock },
    },
  )
  const listed = {
    id: '12',
    endpoint: 'https://shop.example/hook',
    status: 'online' as const,
    statusSince: null,
    lastOnlineAt: null,
    failedAttempts: 0,
    accounts: 1,
    opcodes: 0,
    mempool: false,
    newContracts: false,
    tokenHint: null,
  }
  store.webhooks.replace(network, [listed], clock)
  const key = store.webhooks.get(network, '12')?.key ?? 0
  let status: Webhook['status'] = 'online'
  let sample = true
  const book: Partial<WebhookRoom['book']> = {
    known: () => [{ ...listed, status, network, isHere: false } as Webhook],
  }
  const mirror: Partial<WebhookRoom['mirror']> = {
    page: (_network, _webhook, after, limit) => store.subscriptions.followed(key, after, limit),
    takeFailures: () => store.subscriptions.takeFailures(key),
  }
  const access: Partial<WebhookRoom['access']> = {
    info: (id) => ({ id, kind: 'mainnet', name: 'Mainnet', testOnly: false }),
  }
  const conditions = createConditions({
    ...({ access, book, mirror } as Pick<WebhookRoom, 'access' | 'book' | 'mirror'>),
    incidents,
    store,
    settings: {
      get: () => ({ ...defaultSettings, monitoring: { ...defaultSettings.monitoring, sample } }),
    },
    nameAccount: () => 'Till 3',
    causeOf: () => ({ cause: 'The endpoint responds with 500.', steps: [] }),
  })

  const counters = { lastDeliveredLt: 1n, failedAt: null as number | null, failedAttempts: 0 }
  let failedLt: bigint | null = null
  let lt = 1n
  let requests = 0
  return {
    happened,
    closed: () =>
      incidents.handlers['incident.list']({ network, open: false, offset: 0, limit: 9 }).incidents,
    stopSampling(): Promise<void> {
      sample = false
      return conditions.settingsChanged()
    },
    setStatus(next: Webhook['status']): void {
      status = next
    },
    /** Sends one event every 20 s, and a retry of each failed delivery after 10 s. */
    async run(minutes: number, fails: (request: number) => boolean): Promise<void> {
      for (let passed = 0; passed < minutes * minute; passed += 10_000) {
        clock += 10_000
        if (passed % 20_000 === 0) lt += 1n
        if (counters.lastDeliveredLt < lt && status === 'online') {
          requests += 1
          if (fails(requests)) {
            counters.failedAttempts += 1
            counters.failedAt = clock
            failedLt = lt
          } else {
            counters.lastDeliveredLt = lt
            counters.failedAttempts = 0
          }
        }
        incidents.tick()
        if (passed % 30_000 !== 0) continue
        store.subscriptions.land(key, [{ account, failedLt, ...counters }], clock, true)
        await conditions.look(network)
      }
    },
    [Symbol.dispose]: () => database.close(),
  }
}

// Earlier, a notice was raised and cleared every 30 seconds.
test('an endpoint that fails each fourth request causes a single incident', async () => {
  using directory = temporaryDirectory()
  using desk = openDesk(join(directory.path, 'tondesk.db'))
  await desk.run(45, (request) => request % 4 === 0)
  expect(desk.happened).toEqual(['incident.opened: Deliveries to shop.example fail for Till 3'])
  await desk.run(10, () => false)
  expect(desk.happened).toHaveLength(2)
  const [incident] = desk.closed()
  expect(incident).toMatchObject({ subject: 'webhook:12', kind: 'failing' })
  expect(incident?.count).toBeGreaterThan(20)
})

test('an endpoint that fails causes one incident, which grows to offline and closes once', async () => {
  using directory = temporaryDirectory()
  using desk = openDesk(join(directory.path, 'tondesk.db'))
  await desk.run(3, () => false)
  await desk.run(10, () => true)
  desk.setStatus('offline')
  await desk.run(30, () => true)
  desk.setStatus('online')
  await desk.run(5, () => false)
  expect(desk.happened).toEqual([
    'incident.opened: Deliveries to shop.example fail for Till 3',
    'incident.grown: Webhook to shop.example is offline',
    'incident.closed: Webhook to shop.example is offline',
  ])
  const [incident] = desk.closed()
  const { openedAt = 0, wellSince } = incident ?? {}
  expect(((wellSince ?? 0) - openedAt) / minute).toBeCloseTo(40, -1)
})

test('an incident of a webhook that is no longer sampled is closed', async () => {
  using directory = temporaryDirectory()
  using desk = openDesk(join(directory.path, 'tondesk.db'))
  await desk.run(3, () => true)
  await desk.stopSampling()
  expect(desk.closed()).toMatchObject([{ kind: 'failing', wellSince: null }])
})

// Catches an app that closes incidents only on networks that were checked in this run.
test('an incident that an earlier run left open is closed if sampling is turned off before the first round', async () => {
  using directory = temporaryDirectory()
  const path = join(directory.path, 'tondesk.db')
  {
    using desk = openDesk(path)
    await desk.run(3, () => true)
    expect(desk.closed()).toEqual([])
  }
  using desk = openDesk(path)
  await desk.stopSampling()
  expect(desk.closed()).toMatchObject([{ kind: 'failing', wellSince: null }])
})

test('an unreadable incident in the database does not prevent the start, and its problem is reported again', () => {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  database.exec(`INSERT INTO incidents VALUES
    (4, 'mainnet', 'webhook:12', 1, NULL, 'no JSON', '{}', 1, 0, 0, 0, NULL)`)
  const bugs: unknown[] = []
  const incidents = createIncidents(
    createIncidentStore(database),
    { emit: () => undefined },
    {
      settings: () => defaultSettings.monitoring,
      onBug: (error) => bugs.push(error),
    },
  )
  const texts = { title: 'It is offline', cause: 'It broke.', nextStep: 'Repair it.' }
  const condition = { kind: 'offline', level: 'alarm', ...texts } as const
  incidents.report(network, 'webhook:12', { condition })
  expect(bugs).toHaveLength(1)
  expect(createIncidentStore(database).unclosed()).toMatchObject([{ id: 5, condition }])
  database.close()
})
