import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { createKeychain } from '../../../src-main/secrets/keychain.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { bearerHeader, invoiceBody, transactionEvent } from '../../fixtures/bodies.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { filesHolding } from '../../fixtures/files.ts'
import { demandKeychain } from '../../fixtures/keychain.ts'

await demandKeychain()

/** This secret may appear only in the keychain. */
const canary = `c4n4ry-${crypto.randomUUID()}`
const directories: string[] = []
const ids: string[] = []
const entries: string[] = []

// Entries that a failed test may have left in the keychain of this computer.
afterAll(async () => {
  for (const id of ids) await createKeychain().delete(`webhook-token/${id}`)
  for (const entry of entries) await createKeychain().delete(entry)
})

async function start(dataDirectory: string): Promise<TestApp> {
  directories.push(dataDirectory)
  const app = await startApp({ dataDirectory })
  await app.until(
    async () => (await app.request('secrets.state')).place === 'keychain',
    'the keychain',
  )
  return app
}

async function add(app: TestApp, label: string, token: string) {
  const added = await app.request('webhookToken.add', { label, token })
  ids.push(added.id)
  return added
}

async function verdicts(app: TestApp): Promise<string[]> {
  const { rows } = await app.request('capture.list', {})
  return rows.map(({ token }) => token).reverse()
}

test('a token is used from its addition until its removal, also after a restart', async () => {
  using home = temporaryDirectory()
  const body = transactionEvent()
  const right = { headers: bearerHeader(canary) }
  let id: string
  {
    await using app = await start(home.path)
    await app.post(body, right)
    const added = await add(app, 'shop', canary)
    id = added.id
    expect(added).toMatchObject({ label: 'shop', hint: canary.slice(-4), present: true })
    await app.post(body, right)
    await app.post(body, { headers: bearerHeader(`${canary}x`) })
    await app.post(body, { headers: bearerHeader(canary.slice(0, -1)) })
    await app.post(body, { headers: { authorization: canary } })
    await app.post(body)
    expect(await verdicts(app)).toEqual([
      'unchecked',
      'right',
      'wrong',
      'wrong',
      'wrong',
      'missing',
    ])
    await app.until(() => app.events.some(({ name }) => name === 'webhookToken.changed'))
  }
  await using app = await start(home.path)
  expect(await app.request('webhookToken.list')).toMatchObject([
    { id, label: 'shop', present: true },
  ])
  await app.until(async () => {
    await app.post(body, right)
    return (await verdicts(app)).at(-1) === 'right'
  }, 'the tokens from the keychain')
  await app.request('webhookToken.remove', { id })
  expect(await app.request('webhookToken.list')).toEqual([])
  expect(await createKeychain().get(`webhook-token/${id}`)).toBeNull()
  await app.post(body, right)
  expect((await verdicts(app)).at(-1)).toBe('unchecked')
})

test('each of several tokens is right, and removing one does not affect the other', async () => {
  using home = temporaryDirectory()
  await using app = await start(home.path)
  const first = await add(app, 'first', 'first-token-of-two')
  await add(app, 'second', 'second-token-of-two')
  await app.post('1', { headers: bearerHeader('first-token-of-two') })
  await app.post('2', { headers: bearerHeader('second-token-of-two') })
  await app.request('webhookToken.remove', { id: first.id })
  await app.post('3', { headers: bearerHeader('first-token-of-two') })
  await app.post('4', { headers: bearerHeader('second-token-of-two') })
  expect(await verdicts(app)).toEqual(['right', 'right', 'wrong', 'right'])
})

test('with rejection on, a delivery without the right token gets 401 and is stored, and invoices get 200', async () => {
  using home = temporaryDirectory()
  await using app = await start(home.path)
  await app.request('settings.change', { receiver: { rejectWrongToken: true } })
  // No token is stored yet.
  expect(await app.post(transactionEvent())).toBe(200)
  await add(app, 'shop', 'a-token-to-reject-by')
  expect(await app.post(transactionEvent())).toBe(401)
  expect(await app.post(transactionEvent(), { headers: bearerHeader('another-token') })).toBe(401)
  expect(
    await app.post(transactionEvent(), { headers: bearerHeader('a-token-to-reject-by') }),
  ).toBe(200)
  expect(await app.post(invoiceBody('inv-1'))).toBe(200)
  const rows = await app.classified()
  expect(rows.map(({ token }) => token)).toEqual([
    'unchecked',
    'right',
    'wrong',
    'missing',
    'unchecked',
  ])
})

test('a token that the keychain has lost is listed as absent', async () => {
  using home = temporaryDirectory()
  await using app = await start(home.path)
  const { id } = await add(app, 'shop', 'a-token-to-be-lost')
  await createKeychain().delete(`webhook-token/${id}`)
  expect(await app.request('webhookToken.list')).toMatchObject([{ id, present: false }])
  await app.request('webhookToken.remove', { id })
  expect(await app.request('webhookToken.list')).toEqual([])
})

test('a token appears in no file, log, event, response or backup', async () => {
  using home = temporaryDirectory()
  const secret = `c4n4ry-${crypto.randomUUID()}`
  const answers: unknown[] = []
  {
    await using app = await start(home.path)
    answers.push(await app.envelope('webhookToken.add', { label: 'shop', token: secret }))
    const [known] = await app.request('webhookToken.list')
    ids.push(known?.id ?? '')
    for (const name of [
      'webhookToken.list',
      'secrets.state',
      'secrets.retryKeychain',
      'settings.get',
      'notice.list',
      'app.info',
      'backup.create',
      'receiver.state',
    ]) {
      answers.push(await app.envelope(name))
    }
    // The handler fails on an input with the token, because the failure is logged.
    answers.push(await app.envelope('webhookToken.add', { label: '', token: secret }))
    answers.push(
      await app.envelope('webhookToken.add', { label: 'x', token: `${secret} ${secret}` }),
    )
    answers.push(app.events)
  }
  expect(JSON.stringify(answers)).not.toContain(secret)
  expect(readdirSync(join(home.path, 'backups'))).toHaveLength(1)
  expect(filesHolding(home.path, secret)).toEqual([])
  // The search works: it finds the label in the database.
  expect(filesHolding(home.path, 'shop').length).toBeGreaterThan(0)
})

test('a delivery’s token is stored as received, and shown masked unless revealed', async () => {
  using home = temporaryDirectory()
  await using app = await start(home.path)
  await app.post('x', { headers: bearerHeader(canary), path: `/a?token=${canary}` })
  const shown = [
    await app.envelope('capture.list', {}),
    await app.envelope('capture.get', { id: 1 }),
    await app.envelope('capture.snippet', { id: 1, language: 'posix' }),
    app.events,
  ]
  expect(JSON.stringify(shown)).not.toContain(canary)
  const revealed = await app.request('capture.get', { id: 1, reveal: true })
  expect(revealed.headers).toContainEqual(['authorization', `Bearer ${canary}`])
  expect(filesHolding(join(home.path, 'logs'), canary)).toEqual([])
})

/**
 * Starts an app with a custom gateway and its key, and a backup in which the network points to
 * another gateway.
 */
async function withRedirectingBackup(home: string, url: string, elsewhere: string) {
  const app = await start(home)
  const { id } = await app.request('network.add', {
    name: 'Own gateway',
    urls: { query: url, webhooks: url, testnetWebhooks: null, console: null },
    testOnly: false,
  })
  const entry = `network/${id}/api`
  entries.push(entry)
  await app.request('network.setSecret', { id, slot: 'api', secret: canary })
  const { name, path } = await app.request('backup.create')
  const database = new DatabaseSync(path)
  database.prepare('UPDATE custom_networks SET query_url = ?').run(elsewhere)
  database.close()
  return { app, id, entry, name }
}

async function keyOf(app: TestApp, id: string) {
  const { networks } = await app.request('network.list')
  return networks.find((network) => network.id === id)?.secrets.api
}

const isSent = (received: readonly { headers: object }[]) =>
  JSON.stringify(received.map(({ headers }) => headers)).includes(canary)

test('a restored network that points to another gateway gets no key, and a notice says so', async () => {
  using home = temporaryDirectory()
  await using gateway = await startEndpoint()
  await using elsewhere = await startEndpoint()
  const { app, id, entry, name } = await withRedirectingBackup(
    home.path,
    gateway.url,
    elsewhere.url,
  )
  await using first = app
  await first.request('network.test', { id })
  expect(isSent(gateway.received)).toBe(true)
  await first.request('backup.restore', { name })
  await first.app.dispose()
  {
    await using second = await start(home.path)
    await second.request('network.test', { id })
    expect(elsewhere.received.length).toBeGreaterThan(0)
    expect(isSent(elsewhere.received)).toBe(false)
    expect(await keyOf(second, id)).toMatchObject({
      present: false,
      givenFor: [new URL(gateway.url).origin],
    })
    const notices = await second.request('notice.list')
    expect(notices.find(({ id: each }) => each === 'networks.keyWithheld')?.detail).toContain(
      `was entered for ${new URL(gateway.url).origin}`,
    )
    // The key is still stored for its original gateway.
    const [kept] = (await second.request('backup.list')).filter(
      ({ reason }) => reason === 'restore',
    )
    await second.request('backup.restore', { name: kept?.name ?? '' })
  }
  await using third = await start(home.path)
  await third.until(async () => (await keyOf(third, id))?.present === true, 'the key')
  gateway.received.length = 0
  await third.request('network.test', { id })
  expect(isSent(gateway.received)).toBe(true)
  expect((await third.request('notice.list')).map(({ id: each }) => each)).not.toContain(
    'networks.keyWithheld',
  )
  await third.request('network.remove', { id })
  expect(await createKeychain().get(entry)).toBeNull()
})

test('a key of Tondesk 0.1 is bound to its origins at the first start, but not to those of a backup', async () => {
  using home = temporaryDirectory()
  await using gateway = await startEndpoint()
  await using elsewhere = await startEndpoint()
  const { app, id, entry, name } = await withRedirectingBackup(
    home.path,
    gateway.url,
    elsewhere.url,
  )
  await app.app.dispose()
  const asBefore = () => createKeychain().set(entry, canary)

  // The backup is restored before the key is read.
  await asBefore()
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  {
    await using second = await start(home.path)
    await second.request('network.test', { id })
    expect(isSent(elsewhere.received)).toBe(false)
    expect(await keyOf(second, id)).toMatchObject({ present: false, givenFor: [] })
    expect(await createKeychain().get(entry)).toBe(canary)
    // Restoring the same backup again does not make its URL trusted.
    await second.request('backup.restore', { name })
  }
  {
    await using third = await start(home.path)
    await third.request('network.test', { id })
    expect(isSent(elsewhere.received)).toBe(false)
    // The key is used again after the user has entered it again.
    await third.request('network.setSecret', { id, slot: 'api', secret: canary })
    await third.request('network.test', { id })
    expect(isSent(elsewhere.received)).toBe(true)
  }
  // Without a restore the key is used and bound to its origins.
  await asBefore()
  await using fourth = await start(home.path)
  await fourth.until(
    async () => (await createKeychain().get(entry))?.includes('"origins"') === true,
    'the bound entry',
  )
  elsewhere.received.length = 0
  await fourth.request('network.test', { id })
  expect(isSent(elsewhere.received)).toBe(true)
})
