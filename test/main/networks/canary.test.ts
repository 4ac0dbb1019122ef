/**
 * Tests that a key entered in the window is stored only in the keychain. The real app runs in its own
 * process with the real keychain, and is used like a tab; the search is shown to find existing texts.
 */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createKeychain } from '../../../src-main/secrets/keychain.ts'
import type { Envelope } from '../../../src-preload/domain/app-error.ts'
import type { ExportFile, LookupDraft, LookupJob } from '../../../src-preload/contract/lookup.ts'
import type { Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { filesHolding } from '../../fixtures/files.ts'
import { demandKeychain } from '../../fixtures/keychain.ts'
import { killAll, startCommand } from '../command-line/cli-process.ts'

await demandKeychain()

/** There are two keys, because a key of a real network is refused for a gateway on this computer. */
const canary = `c4n4ry-${crypto.randomUUID()}`
const canaryHere = `c4n4ry-${crypto.randomUUID()}`
const canaryTyped = `c4n4ry-${crypto.randomUUID()}`
const canaries = [canary, canaryHere, canaryTyped]

const entries: string[] = []
// Entries that a failed test may have left in the keychain of this computer.
afterAll(async () => {
  killAll()
  for (const entry of entries) await createKeychain().delete(entry)
})

/** Opens a tab of the app with this start URL: its requests, and all events that it gets. */
async function openTab(appUrl: string) {
  const heard: string[] = []
  const { origin, hash } = new URL(appUrl)
  const post = async (path: string, body: unknown, session = '') => {
    const headers = { Origin: origin, 'Content-Type': 'application/json' }
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { ...headers, ...(session !== '' && { 'X-Tondesk-Session': session }) },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    heard.push(answer)
    return JSON.parse(answer) as unknown
  }
  const { session } = (await post('/session', { start: hash.replace('#start=', '') })) as {
    session: string
  }
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/events`, {
    headers: { Origin: origin },
  })
  socket.on('open', () => socket.send(JSON.stringify({ session })))
  socket.on('message', (data: Buffer) => heard.push(data.toString('utf8')))
  // The first message is empty and confirms that no later event is missed.
  await once(socket, 'message')
  return {
    heard,
    async ask<T>(name: string, input?: unknown): Promise<Envelope<T>> {
      return (await post('/request', { name, input }, session)) as Envelope<T>
    },
    close: () => socket.terminate(),
  }
}

type Tab = Awaited<ReturnType<typeof openTab>>

function dataOf<T>(envelope: Envelope<T>): T {
  if (!envelope.ok) throw new Error(envelope.error.message)
  return envelope.data
}

/** Returns the arguments of every process that this user may read. */
function commandLines(): string {
  if (!existsSync('/proc')) return ''
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'latin1')
      } catch {
        // The process has ended meanwhile.
        return ''
      }
    })
    .join('\n')
}

/** Exports the files of a lookup that this gateway refused. */
async function exportLookup(tab: Tab, network: string, address: string): Promise<string[]> {
  const ask = <T>(name: string, input: unknown) => tab.ask<T>(name, input)
  const { id: draft } = dataOf(await ask<LookupDraft>('lookup.begin', { network }))
  dataOf(await ask('lookup.append', { draft, piece: { text: address }, isLast: true }))
  const { id } = dataOf(await ask<LookupJob>('lookup.start', { draft }))
  const state = async () => dataOf(await ask<LookupJob>('job.get', { kind: 'lookup', id })).state
  await expect.poll(state).toBe('paused')
  const files: string[] = []
  for (const format of ['csv', 'json']) {
    const file = dataOf(await ask<ExportFile>('lookup.export', { id, format }))
    const read = await ask<{ base64: string }>('export.read', { id: file.id, offset: 0 })
    files.push(Buffer.from(dataOf(read).base64, 'base64').toString('utf8'))
  }
  for (const file of files) expect(file).toContain(address)
  return files
}

test('a key typed in the window is stored only in the keychain', async () => {
  using home = temporaryDirectory()
  // The gateway repeats the key in its errors.
  await using gateway = await startEndpoint(({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: `bad key: ${headers.authorization ?? 'none'}` }))
  })
  const data = ['--data-dir', home.path]
  const env = { DBUS_SESSION_BUS_ADDRESS: process.env['DBUS_SESSION_BUS_ADDRESS'] ?? '' }
  const ports = ['--port', '0', '--receiver-port', '0', '--without-sandbox']
  const app = startCommand(['--json', '--no-open', ...ports, ...data], { entry: 'serve', env })
  const ready = await app.json()
  const tab = await openTab(String(ready['appUrl']))
  dataOf(await tab.ask('secrets.retryKeychain'))
  entries.push('network/mainnet/api', 'network/mainnet/invoices')
  const kept = { id: 'mainnet', slot: 'api' }
  const set = await tab.ask<Network>('network.setSecret', { ...kept, secret: canary })
  expect(dataOf(set).secrets.api).toMatchObject({ hint: canary.slice(-4), present: true })
  // The command line calls the running app; the key is entered on standard input.
  const setKey = ['networks', 'set-key', 'mainnet', '--invoices', ...data]
  const typing = startCommand(setKey, { env, input: `${canaryTyped}\n` })
  const typed = [...(await typing.rest()), typing.errors()]
  expect(await typing.exit).toBe(0)
  expect(typed.join('')).toContain(`It ends in ${canaryTyped.slice(-4)}`)

  const added = await tab.ask<Network>('network.add', {
    name: 'The parrot',
    urls: {
      query: gateway.url,
      webhooks: gateway.url,
      testnetWebhooks: null,
      console: gateway.url,
    },
    testOnly: false,
  })
  const { id } = dataOf(added)
  entries.push(`network/${id}/api`)
  const here = { id, slot: 'api' }
  dataOf(await tab.ask('network.setSecret', { ...here, secret: canaryHere }))
  await tab.ask('network.select', { id })
  const checks = await tab.ask<NetworkCheck[]>('network.test', { id })
  expect(dataOf(checks)[0]).toMatchObject({ outcome: 'wrong-key' })
  expect(gateway.received.map(({ headers }) => headers.authorization)).toContain(
    `Bearer ${canaryHere}`,
  )
  const address = `0:${'0'.repeat(64)}`
  for (const [name, input] of [
    // These cause errors of the gateway on a page, and an error about an input that contains the key.
    ['account.get', { network: id, address }],
    ['search.find', { network: id, text: address }],
    ['network.setSecret', { ...kept, secret: `${canary} ${canary}` }],
    ['network.setSecret', { ...kept, slot: 'other', secret: canary }],
    ['network.setSecret', { ...here, secret: canary }],
    ['network.list', undefined],
    ['secrets.state', undefined],
    ['settings.get', undefined],
    ['notice.list', undefined],
    ['log.list', {}],
    ['log.crash', undefined],
    ['app.info', undefined],
    ['traffic.read', undefined],
    // These export data from the app.
    ['label.export', { network: 'mainnet' }],
    ['backup.create', undefined],
  ] as const) {
    await tab.ask(name, input)
  }

  const files = await exportLookup(tab, id, address)

  const running = commandLines()
  const told = [...tab.heard, ...files, ...typed, JSON.stringify(ready), app.errors()].join('\n')
  for (const secret of canaries) {
    expect(running).not.toContain(secret)
    expect(told).not.toContain(secret)
    expect(filesHolding(home.path, secret)).toEqual([])
  }
  // The gateway’s error was shown, but without the key.
  expect(told).toContain('bad key: Bearer …')
  // The searches work: they find the network’s name in the files, and the program among the
  // processes.
  expect(filesHolding(home.path, 'The parrot').length).toBeGreaterThan(0)
  expect(readdirSync(join(home.path, 'backups'))).toHaveLength(1)
  if (running !== '') expect(running).toContain(home.path)

  const keychain = createKeychain()
  expect(await keychain.get('network/mainnet/api')).toBe(canary)
  expect(await keychain.get('network/mainnet/invoices')).toBe(canaryTyped)
  // The key is stored with its origins, because a backup could change the network’s URLs.
  expect(JSON.parse((await keychain.get(`network/${id}/api`)) ?? '')).toMatchObject({
    secret: canaryHere,
    origins: [new URL(gateway.url).origin],
  })
  dataOf(await tab.ask('network.remove', { id }))
  dataOf(await tab.ask('network.removeSecret', kept))
  expect(await keychain.get(`network/${id}/api`)).toBeNull()
  expect(await keychain.get('network/mainnet/api')).toBeNull()
  tab.close()
  app.child.kill('SIGTERM')
  expect(await app.exit).toBe(0)
  // After the app has ended, its files no longer change: the log, the database and its write-ahead
  // log.
  for (const secret of canaries) expect(filesHolding(home.path, secret)).toEqual([])
})
