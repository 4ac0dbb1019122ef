import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src-main/database/database.ts'
import { describeAlert, signedHeaders, testPayload } from '../../../src-main/alerts/message.ts'
import { deadlines } from '../../deadlines.ts'
import {
  botToken,
  destinationOf,
  incidentOf,
  openAlerts,
  signingSecret,
} from '../../fixtures/alerting.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Received, respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import { filesHolding } from '../../fixtures/files.ts'

const hanging = () => undefined

/** The signature as a receiver computes it from the request and its secret. */
function isSigned({ headers, body }: Received): boolean {
  const id = String(headers['webhook-id'])
  const at = Number(headers['webhook-timestamp']) * 1000
  return headers['webhook-signature'] === signedHeaders(signingSecret, id, body, at)[2][1]
}

test('the signature of an alert equals the test vector of the Standard Webhooks specification', () => {
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  expect(signedHeaders(signingSecret, id, '{"test": 2432232314}', 1_614_265_330_999)).toEqual([
    ['webhook-id', id],
    ['webhook-timestamp', '1614265330'],
    ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  ])
})

test('an alert whose sending is interrupted by a kill arrives after the next start with the same id, and only once more', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'tondesk.db')
  await using endpoint = await startEndpoint(hanging)
  const program = fileURLToPath(new URL('../../fixtures/alerting-program.ts', import.meta.url))
  const child = spawn(process.execPath, [program, path, endpoint.url], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await endpoint.arrived(1)
  child.kill('SIGKILL')
  await once(child, 'exit')

  endpoint.answer = respondWith(200)
  {
    await using again = openAlerts(path)
    await again.until(() => again.store.stateOf('one').lastSentAt !== null)
    // After a kill before the incident was stored, the app may report the same incident as opened again.
    again.alerts.report('opened', incidentOf())
    again.alerts.report('closed', incidentOf({ closedAt: 1_700_000_300_000, wellSince: 1 }))
    await again.until(() => again.store.stateOf('one').waiting === 0)
  }
  await using third = openAlerts(path)
  expect(third.store.waiting()).toEqual([])
  const types = endpoint.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  expect(types).toEqual(['incident.opened', 'incident.opened', 'incident.closed'])
  const ids = endpoint.received.map(({ headers }) => headers['webhook-id'])
  expect(ids[0]).toBe(ids[1])
  expect(ids[2]).not.toBe(ids[1])
  expect(endpoint.received.every(isSigned)).toBe(true)
})

test('a destination that hangs delays no other destination, and a failing destination stops and can be retried', async () => {
  using home = temporaryDirectory()
  await using fine = await startEndpoint()
  await using silent = await startEndpoint(hanging)
  await using failing = await startEndpoint(respondWith(500))
  let now = 1_700_000_000_000
  await using room = openAlerts(join(home.path, 'tondesk.db'), { now: () => now })
  const { alerts, store } = room
  for (const [id, { url }] of Object.entries({ silent, failing, fine })) {
    alerts.save(destinationOf(id, { kind: 'webhook', url }))
  }
  alerts.save({
    ...destinationOf('other network', { kind: 'webhook', url: fine.url }),
    networks: ['testnet'],
  })
  alerts.report('opened', incidentOf())
  await room.until(() => store.stateOf('fine').lastSentAt !== null)
  await silent.arrived(1)
  expect([silent.received.length, fine.received.length]).toEqual([1, 1])

  now += 13 * 3_600_000
  await room.until(() => store.stateOf('failing').givenUp === 1)
  expect(store.stateOf('failing')).toMatchObject({
    waiting: 0,
    problem: expect.stringContaining('responded with 500') as string,
  })
  expect(room.notices.get('alert.failing.failing')).toContain('gave up')
  failing.answer = respondWith(204)
  alerts.retry('failing')
  await room.until(() => store.stateOf('failing').lastSentAt !== null)
  expect(new Set(failing.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect([...room.notices]).toEqual([])
})

test('a snoozed incident is sent to no destination until the snooze ends', async () => {
  using home = temporaryDirectory()
  await using endpoint = await startEndpoint()
  await using room = openAlerts(join(home.path, 'tondesk.db'))
  room.alerts.save(destinationOf('a', { kind: 'webhook', url: endpoint.url }))
  for (const snoozedUntil of [1_700_000_000_001, 'fixed'] as const) {
    for (const event of ['opened', 'grown', 'closed'] as const) {
      room.alerts.report(event, incidentOf({ snoozedUntil }))
    }
  }
  expect(room.store.waiting()).toEqual([])
  room.alerts.report('grown', incidentOf())
  await room.until(() => room.store.stateOf('a').lastSentAt !== null)
  expect(endpoint.received).toHaveLength(1)
  expect(endpoint.received[0]?.body).toContain('incident.grown')
})

test('an alert program gets the incident on standard input, and a program that hangs is stopped', async () => {
  using home = temporaryDirectory()
  const written = join(home.path, 'incident.json')
  const open = (name: string, commandMs: number) =>
    openAlerts(join(home.path, name), { limits: { requestMs: deadlines.wait, commandMs } })
  await using room = open('tondesk.db', deadlines.wait)
  await using impatient = open('impatient.db', 2000)
  const run = (script: string, { sendAlert } = room) =>
    sendAlert(
      { kind: 'command', program: process.execPath, args: ['-e', script, '$(id)', written] },
      '',
      { messageId: 'msg_1', payload: testPayload(0) },
      new AbortController().signal,
    )
  const copy = `const [, dollar, file] = process.argv
    if (dollar !== '$(id)') process.exit(3)
    process.stdin.pipe(require('node:fs').createWriteStream(file))`
  const [hung, failed, copied, missing] = await Promise.all([
    run('setInterval(() => undefined, 1000)', impatient),
    run('console.error("no route"); process.exit(4)'),
    run(copy),
    room.sendAlert(
      { kind: 'command', program: join(home.path, 'absent'), args: [] },
      '',
      { messageId: 'msg_1', payload: testPayload(0) },
      new AbortController().signal,
    ),
  ])
  expect(hung.problem).toMatch(/did not end within 2 s/)
  expect(failed.problem).toMatch(/failed with exit code 4: no route/)
  expect(copied.problem).toBeNull()
  expect(missing.problem).toMatch(/was not found/)
  expect(JSON.parse(readFileSync(written, 'utf8'))).toMatchObject({ id: 'msg_1', type: 'test' })
})

test('a refusal by Telegram is reported with its description and without the bot token', async () => {
  using home = temporaryDirectory()
  await using telegram = await startEndpoint()
  await using room = openAlerts(join(home.path, 'tondesk.db'), { telegramUrl: telegram.url })
  const send = (status: number, body: object) => {
    telegram.answer = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    return room.sendAlert(
      { kind: 'telegram', chatId: '-100123' },
      botToken,
      { messageId: 'msg_1', payload: testPayload(0) },
      new AbortController().signal,
    )
  }
  expect(await send(200, { ok: true, result: {} })).toEqual({ problem: null })
  expect(telegram.received[0]?.path).toBe(`/bot${botToken}/sendMessage`)
  expect(JSON.parse(telegram.received[0]?.body ?? '')).toMatchObject({
    chat_id: '-100123',
    text: describeAlert(testPayload(0)),
  })
  const refused = [
    await send(400, { ok: false, error_code: 400, description: 'Bad Request: chat not found' }),
    await send(401, { ok: false, error_code: 401, description: 'Unauthorized' }),
    await send(500, { ok: false, description: `no bot${botToken}` }),
  ]
  expect(refused[0]?.problem).toMatch(/chat not found/)
  expect(refused[1]?.problem).toMatch(/does not accept the bot token/)
  expect(JSON.stringify(refused)).not.toContain(botToken)
})

test('alert destinations are guarded and can be tested, no response or file has their secrets, and a restore turns them off', async () => {
  using home = temporaryDirectory()
  await using endpoint = await startEndpoint()
  const answers: unknown[] = []
  const common = { enabled: true, events: ['opened', 'closed'], networks: null } as const
  const secrets = { telegram: botToken, webhook: signingSecret }
  let backup: string
  {
    await using app = await startApp({ dataDirectory: home.path })
    await app.request('secrets.useSessionOnly')
    const webhook = (url: string, secret: string | null = secrets.webhook) => ({
      ...common,
      id: null,
      kind: 'webhook',
      url,
      secret,
      events: [...common.events],
    })
    expect([
      await app.refusal('alert.save', webhook('http://169.254.169.254/latest')),
      await app.refusal('alert.save', webhook('http://8.8.8.8/hook')),
      await app.refusal('alert.save', webhook(await app.hook())),
      await app.refusal('alert.save', webhook(endpoint.url, null)),
    ]).toEqual(['TARGET_REFUSED', 'TARGET_UNCONFIRMED', 'TARGET_REFUSED', 'INVALID_INPUT'])
    answers.push(
      await app.envelope('alert.save', webhook(endpoint.url)),
      await app.envelope('alert.save', {
        ...common,
        id: null,
        kind: 'telegram',
        chatId: '@shop_alerts',
        secret: secrets.telegram,
      }),
      await app.envelope('alert.save', webhook(endpoint.url, `${secrets.webhook}!`)),
    )
    const [first, second] = await app.request('alert.list')
    expect(await app.request('alert.test', { id: first?.id ?? '' })).toMatchObject({
      problem: null,
    })
    expect(endpoint.received.map(isSigned)).toEqual([true])
    expect(second).toMatchObject({ kind: 'telegram', secret: { hint: 'Dsaw', present: true } })
    answers.push(await app.request('alert.list'), app.events)
    backup = (await app.request('backup.create')).name
    await app.request('alert.remove', { id: second?.id ?? '' })
    await app.request('backup.restore', { name: backup })
  }
  await using restored = await startApp({ dataDirectory: home.path })
  const list = await restored.request('alert.list')
  expect(list.map(({ enabled }) => enabled)).toEqual([false, false])
  const notices = await restored.request('notice.list')
  expect(notices.find(({ id }) => id === 'store.restored')?.detail).toContain(
    'Alert destinations turned off: 2.',
  )
  for (const secret of Object.values(secrets)) {
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(filesHolding(home.path, secret)).toEqual([])
  }
})

// Catches a script in the window, or an edited backup, that starts a program of its choice.
test('an alert program starts only after the user has confirmed it outside of the window, again after a change or a restore', async () => {
  using home = temporaryDirectory()
  const directory = join(home.path, 'data')
  const asked: string[] = []
  let isAllowed = false
  const start = () =>
    startApp({
      dataDirectory: directory,
      confirmProgram(program, args) {
        asked.push(args.join(' '))
        return Promise.resolve(isAllowed ? null : `${program} is not allowed.`)
      },
    })
  const input = (id: string | null, ...script: string[]) => ({
    id,
    kind: 'command' as const,
    program: process.execPath,
    args: ['-e', ...script],
    secret: null,
    enabled: true,
    events: ['opened' as const],
    networks: null,
  })
  const refused = 'ALERT_PROGRAM_UNCONFIRMED'
  let id: string
  {
    await using app = await start()
    expect(await app.refusal('alert.save', input(null, 'process.exit(0)'))).toBe(refused)
    expect(await app.request('alert.list')).toEqual([])
    isAllowed = true
    id = (await app.request('alert.save', input(null, 'process.exit(0)'))).id
    isAllowed = false
    expect(await app.refusal('alert.save', input(id, 'process.exit(3)'))).toBe(refused)
    await app.request('alert.save', { ...input(id, 'process.exit(0)'), events: ['closed'] })
    expect(await app.request('alert.test', { id })).toMatchObject({ problem: null })
  }
  expect(asked).toEqual(['-e process.exit(0)', '-e process.exit(0)', '-e process.exit(3)'])
  {
    await using app = await start()
    expect(await app.request('alert.test', { id })).toMatchObject({ problem: null })
    const { name } = await app.request('backup.create')
    await app.request('backup.restore', { name })
  }
  {
    await using app = await start()
    expect(await app.refusal('alert.test', { id })).toBe(refused)
    expect(await app.refusal('alert.setEnabled', { id, enabled: true })).toBe(refused)
    isAllowed = true
    await app.request('alert.setEnabled', { id, enabled: true })
  }
  // An earlier version without this confirmation left this state.
  using database = openDatabase(join(directory, 'tondesk.db'))
  database.exec("DELETE FROM settings WHERE key = 'alerts.programs'")
  database.close()
  isAllowed = false
  await using app = await start()
  expect(await app.request('alert.test', { id })).toMatchObject({ problem: null })
})
