/** Tests problems in a whole app: their incidents, desktop notifications and alerts. */
import { expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { gatewayWebhook, startWebhookGateway } from '../../fixtures/webhook-gateway.ts'

/** No receiver can listen on this port. */
const badPort = -1
const title = 'The receiver is not listening'

async function incidents(app: TestApp, open: boolean) {
  const page = { network: null, open, offset: 0, limit: 10 }
  return (await app.request('incident.list', page)).incidents
}

/** Collects desktop notifications since the start, as the window’s host gets them. */
function notifications(app: TestApp) {
  app.app.events.flush()
  return app.events.flatMap(({ name, payload }) =>
    name === 'notification.raised' ? [payload] : [],
  )
}

// Catches an incident that closes when the app ends, and is reported again at each start.
test('a receiver that an error stopped is one incident across restarts, and a manual stop closes it without a recovery', async () => {
  using home = temporaryDirectory()
  const start = () => startApp({ dataDirectory: home.path, receiverPort: badPort })
  let first
  {
    await using app = await start()
    first = await incidents(app, true)
    expect(first).toMatchObject([{ subject: 'receiver', kind: 'stopped', level: 'alarm', title }])
  }
  await using app = await start()
  const [same] = await incidents(app, true)
  expect([same?.id, same?.openedAt]).toEqual([first[0]?.id, first[0]?.openedAt])
  expect(await incidents(app, false)).toEqual([])

  // Catches “Resolved” for a receiver that still does not listen. A notification keeps the
  // incident’s id after its end.
  const read = () => app.request('incident.read', { id: same?.id ?? 0 })
  expect(await read()).toEqual(same)
  await app.request('receiver.stop')
  expect(await incidents(app, true)).toEqual([])
  expect(await incidents(app, false)).toMatchObject([{ id: same?.id, wellSince: null }])
  expect(await read()).toMatchObject({ id: same?.id, subject: 'receiver' })
  expect(await app.refusal('incident.read', { id: 4711 })).toBe('INCIDENT_UNKNOWN')
  expect(notifications(app).filter((each) => each.title.startsWith('Resolved'))).toEqual([])
})

// Catches an alarm about a choice of the user.
test('a receiver that the user stops or moves to another port causes no incident', async () => {
  await using app = await startApp()
  await app.request('settings.change', { receiver: { port: await freePort() } })
  await app.request('receiver.stop')
  expect([await incidents(app, true), await incidents(app, false)]).toEqual([[], []])
  expect(notifications(app)).toEqual([])
})

// Catches a port change that closes the incident as if the user had stopped the receiver.
test.for([true, false])(
  'a receiver that listens again on another port recovers, with a notification if enabled: %s',
  async (recovery) => {
    await using app = await startApp({ receiverPort: badPort })
    await app.request('settings.change', { monitoring: { recovery } })
    await app.request('settings.change', { receiver: { port: await freePort() } })
    expect(await app.request('receiver.state')).toMatchObject({ status: 'listening' })
    expect(await incidents(app, true)).toEqual([])
    const [closed, ...others] = await incidents(app, false)
    expect(others).toEqual([])
    expect(closed?.wellSince).not.toBeNull()
    const resolved = notifications(app).filter((each) => each.title === `Resolved: ${title}`)
    expect(resolved).toHaveLength(recovery ? 1 : 0)
    if (recovery)
      expect(resolved[0]?.body).toMatch(/^It lasted .+\. Check your webhooks for missed/)
  },
)

/** Returns hours from an hour ago to an hour from now, in local time like the setting. */
function hoursAround(now: number) {
  const time = (at: number) => new Date(at).toTimeString().slice(0, 5)
  return { from: time(now - 3_600_000), to: time(now + 3_600_000) }
}

// Catches quiet hours that lose an incident or its alerts, and quiet hours without effect.
test('in quiet hours an incident is recorded and sent to alert destinations, without a desktop notification', async () => {
  await using endpoint = await startEndpoint()
  await using app = await startApp({ worksOn: true })
  await app.request('secrets.useSessionOnly')
  await app.request('alert.save', {
    id: null,
    kind: 'webhook',
    url: endpoint.url,
    enabled: true,
    networks: null,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    events: ['opened', 'closed'],
  })
  await app.request('settings.change', {
    monitoring: { failedAttempts: 1, quietHours: hoursAround(Date.now()) },
  })
  const fail = async () => {
    const targets = [`http://127.0.0.1:${await freePort()}/in`]
    const rule = await app.request('forwardRule.save', { targets })
    await app.post('{"event_type":"account_tx","account_id":"0:aa","lt":1,"tx_hash":"ab"}')
    await app.until(async () => (await incidents(app, true)).length > 0, 'an incident')
    return rule
  }
  const sent = () => endpoint.received.map(({ body }) => JSON.parse(body) as object)

  const rule = await fail()
  await endpoint.arrived(1)
  expect(sent()).toMatchObject([
    { type: 'incident.opened', data: { subject: `target:${rule.id}` } },
  ])
  expect(notifications(app)).toEqual([])

  await app.request('settings.change', { monitoring: { quietHours: null } })
  await app.request('forwardRule.remove', { id: rule.id })
  await app.until(async () => (await incidents(app, true)).length === 0, 'the end of the incident')
  await endpoint.arrived(2)
  expect(sent().at(1)).toMatchObject({ type: 'incident.closed', data: { recovered: false } })
  // The rule was removed, which does not count as a recovery.
  expect(notifications(app)).toEqual([])

  const next = await fail()
  expect(notifications(app)).toMatchObject([{ subject: `target:${next.id}` }])
})

// Catches an incident that can never close, because its network is no longer read.
test('removing a network or its key closes its incidents without a recovery', async () => {
  await using gateway = await startWebhookGateway()
  gateway.webhooks = [{ ...gatewayWebhook(7n, []), status: 'offline' }]
  await using app = await startApp()
  await app.request('secrets.useSessionOnly')
  const { url } = gateway
  const { id: network } = await app.request('network.add', {
    name: 'Ours',
    urls: { query: url, webhooks: url, testnetWebhooks: null, console: null },
    testOnly: false,
  })
  const ends = (count: number) =>
    app.until(async () => (await incidents(app, false)).length === count, `${count} ended`)

  for (const [index, end] of (['network.removeSecret', 'network.remove'] as const).entries()) {
    await app.request('network.setSecret', { id: network, slot: 'api', secret: 'a-key-of-ours' })
    await app.request('sampler.run', { network })
    expect(await incidents(app, true)).toMatchObject([{ network, kind: 'offline' }])
    if (end === 'network.remove') await app.request(end, { id: network })
    else await app.request(end, { id: network, slot: 'api' })
    await ends(index + 1)
    expect(await incidents(app, true)).toEqual([])
  }
  expect((await incidents(app, false)).map(({ wellSince }) => wellSince)).toEqual([null, null])
})
