/** Tests the networks and their keys with a real database, real sockets, and secrets in memory. */
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createHttp } from '../../../src-main/gateway/http.ts'
import { type Networks, createNetworks } from '../../../src-main/networks/networks.ts'
import type { ReadySandbox } from '../../../src-main/networks/sandbox-launcher.ts'
import { ownAddressProblem } from '../../../src-main/app/self-addresses.ts'
import { createNetworkSecrets } from '../../../src-main/secrets/network-secrets.ts'
import { createSessionOnly } from '../../../src-main/secrets/keychain.ts'
import { createAccountRecords, forgetChain } from '../../../src-main/chain/store/chain.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import {
  createCustomNetworks,
  createNetworkSecretRecords,
  createWithheldKeys,
} from '../../../src-main/networks/store/networks.ts'
import type {
  CustomNetwork,
  Network,
  NetworkId,
  NetworksState,
} from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Endpoint, startEndpoint } from '../../fixtures/endpoint.ts'
import { killAll, runCommand } from '../command-line/cli-process.ts'

const resources: AsyncDisposable[] = []
afterEach(async () => {
  killAll()
  for (const resource of resources.splice(0)) await resource[Symbol.asyncDispose]()
})

const sandboxKeys = {
  api: 'the-sandbox-api-key',
  invoices: 'the-sandbox-invoices-token',
  control: 'the-sandbox-control-key',
}

function readySandbox(url: string): ReadySandbox {
  return {
    urls: {
      query: url,
      webhooks: url,
      testnetQuery: url,
      testnetWebhooks: url,
      console: url,
      control: url,
    },
    keys: sandboxKeys,
  }
}

type Fixture = Networks & {
  readonly told: NetworksState[]
  readonly database: Database
  readonly startSandbox: (ready: ReadySandbox) => void
}

/** @param running the sandbox, if it runs */
function make(running: ReadySandbox | null = readySandbox('http://127.0.0.1:9')): Fixture {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  const http = createHttp()
  resources.push(http)
  const told: NetworksState[] = []
  let current: NetworkId | null = null
  let sandbox: ReadySandbox | null = null
  const networks = createNetworks({
    onSandboxChosen: () => undefined,
    http,
    secrets: createNetworkSecrets({
      secrets: createSessionOnly(),
      records: createNetworkSecretRecords(database),
      originsOf: () => null,
      withheld: createWithheldKeys(database),
      now: Date.now,
    }),
    custom: createCustomNetworks(database),
    placeProblem: (url) => ownAddressProblem(url, [{ port: 4800, whose: 'the window' }]),
    sandbox: {
      ready: () => sandbox,
      state: () => ({
        status: sandbox === null ? 'stopped' : 'running',
        problem: null,
        urls: sandbox?.urls ?? null,
        wantedPort: null,
        canCopyKeys: false,
        keysFile: '',
        heads: [],
      }),
    },
    memory: { current: () => current, setCurrent: (id) => (current = id) },
    now: Date.now,
    async forget(part, id) {
      if (part === 'chain') await forgetChain(database, id)
    },
    onChanged: (state) => told.push(state),
  })
  function startSandbox(ready: ReadySandbox): void {
    sandbox = ready
    networks.sandboxChanged()
  }
  if (running !== null) startSandbox(running)
  return { ...networks, told, database, startSandbox }
}

async function serve(answer?: Parameters<typeof startEndpoint>[0]): Promise<Endpoint> {
  const endpoint = await startEndpoint(answer)
  resources.push(endpoint)
  return endpoint
}

function at(url: string, over: Partial<CustomNetwork> = {}): CustomNetwork {
  return {
    name: 'Ours',
    urls: { query: url, webhooks: url, testnetWebhooks: null, console: url },
    testOnly: false,
    ...over,
  }
}

const away = at('https://gateway.example.com')

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return 'it went through'
}

/** The tests must not use the keychain of this computer, which the app checks at its start. */
async function useSessionOnly(app: TestApp): Promise<void> {
  const isAsked = async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }
  await app.until(isAsked, 'the keychain')
  await app.request('secrets.useSessionOnly')
}

/** Responds to the status request of the query API and checks nothing else. */
const status: Parameters<typeof startEndpoint>[0] = (_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"rest_online":true,"indexing_latency":1,"last_known_masterchain_seqno":2}')
}

const bearers = (endpoint: Endpoint) =>
  endpoint.received.map(({ headers }) => headers.authorization)

test('an added network and the selection survive a restart, a session key does not, and unsafe URLs are refused', async () => {
  using home = temporaryDirectory()
  let added: Network
  {
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    const first = await app.request('network.list')
    expect(first.current).toBe('sandbox')
    expect(first.networks.map(({ id, urls }) => [id, urls?.query])).toEqual([
      ['sandbox', undefined],
      ['testnet', 'https://testnet.tonapi.io'],
      ['mainnet', 'https://tonapi.io'],
    ])
    await useSessionOnly(app)
    added = await app.request('network.add', away)
    const slot = { id: added.id, slot: 'api', secret: 'a-key-of-this-session' } as const
    expect(await app.request('network.setSecret', slot)).toMatchObject({
      secrets: { api: { hint: 'sion', present: true }, invoices: null },
    })
    await app.request('network.select', { id: added.id })
    await app.until(() =>
      app.events.some(
        ({ name, payload }) => name === 'network.changed' && payload.current === added.id,
      ),
    )
    // A name that differs only in case would make two networks look the same.
    expect(await app.refusal('network.add', { ...away, name: 'mainnet' })).toBe('INVALID_INPUT')
  }
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  await useSessionOnly(app)
  const { current, networks } = await app.request('network.list')
  expect(current).toBe(added.id)
  expect(networks.at(-1)).toMatchObject({ ...away, secrets: { api: { present: false } } })
  expect(await app.request('network.removeSecret', { id: current, slot: 'api' })).toMatchObject({
    secrets: { api: null },
  })
  expect((await app.request('network.remove', { id: current })).current).toBe('sandbox')
  expect(await app.refusal('network.select', { id: current })).toBe('NETWORK_UNKNOWN')
  expect(await app.refusal('network.remove', { id: 'mainnet' })).toBe('NETWORK_UNKNOWN')
  for (const url of [
    'http://gateway.example.com',
    'https://me:pass@gateway.example.com',
    'https://gateway.example.com?token=x',
    'ftp://gateway.example.com',
    'http://127.0.0.1.example.com',
    'gateway',
  ]) {
    expect(await app.refusal('network.add', at(url))).toBe('INVALID_INPUT')
  }
})

test('a sandbox key is refused for a real network, and the key of a real network for a local gateway', async () => {
  const { handlers } = make()
  const set = (id: NetworkId, secret: string, slot: 'api' | 'invoices' = 'api') =>
    codeOf(() => handlers['network.setSecret']({ id, slot, secret }))
  for (const secret of Object.values(sandboxKeys)) {
    expect(await set('mainnet', secret)).toBe('NETWORK_KEY_OF_ANOTHER')
    expect(await set('mainnet', secret, 'invoices')).toBe('NETWORK_KEY_OF_ANOTHER')
  }
  expect(await set('sandbox', 'any-other-key')).toBe('NETWORK_KEY_OF_ANOTHER')
  expect(await codeOf(() => handlers['network.removeSecret']({ id: 'sandbox', slot: 'api' }))).toBe(
    'NETWORK_KEY_OF_ANOTHER',
  )
  const here = await handlers['network.add'](at('http://127.0.0.1:8081'))
  expect(await set('mainnet', 'a-real-key')).toBe('it went through')
  expect(await set(here.id, 'a-real-key')).toBe('NETWORK_KEY_OF_ANOTHER')
  // A key of the service is valid for both of its networks, and a local gateway may be a sandbox.
  expect(await set('testnet', 'a-real-key')).toBe('it went through')
  expect(await set(here.id, sandboxKeys.api)).toBe('it went through')
})

test('a sandbox key that was stored for a real network before the sandbox ran is not sent there', async () => {
  const { handlers, access, startSandbox } = make(null)
  const secret = sandboxKeys.api
  await handlers['network.setSecret']({ id: 'mainnet', slot: 'api', secret })
  expect(await codeOf(() => access.query('mainnet'))).toBe('it went through')
  startSandbox(readySandbox('http://127.0.0.1:9'))
  expect(await codeOf(() => access.query('mainnet'))).toBe('NETWORK_KEY_OF_ANOTHER')
})

test('a change of a network’s hosts deletes its keys; another path at the same host preserves them', async () => {
  const [before, after] = [await serve(status), await serve(status)]
  const { handlers, access } = make()
  const { id } = await handlers['network.add'](at(before.url))
  const query = access.query(id)
  await query.status()
  // An existing client must use the new key.
  await handlers['network.setSecret']({ id, slot: 'api', secret: 'given-for-the-first' })
  await query.status()
  expect(bearers(before)).toEqual([undefined, 'Bearer given-for-the-first'])

  await handlers['network.change']({ id, ...at(`${before.url}/deeper`) })
  await query.status()
  expect(before.received.at(-1)?.path).toBe('/deeper/v2/status')
  expect(bearers(before).at(-1)).toBe('Bearer given-for-the-first')

  // Only the URL of the webhooks changed, and its new host would get the key.
  const moved = at(before.url)
  const changed = await handlers['network.change']({
    id,
    ...moved,
    urls: { ...moved.urls, webhooks: after.url },
  })
  expect(changed.secrets).toEqual({ api: null, invoices: null })
  await handlers['network.change']({ id, ...at(after.url) })
  await query.status()
  expect(bearers(after)).toEqual([undefined])
})

test('a key that is being stored is not assigned to changed URLs and does not survive its network', async () => {
  const { handlers } = make()
  const { id } = await handlers['network.add'](away)
  const secret = 'given-for-the-first'
  const [, changed] = await Promise.all([
    handlers['network.setSecret']({ id, slot: 'api', secret }),
    handlers['network.change']({ id, ...at('https://elsewhere.example.com') }),
  ])
  expect(changed.secrets.api).toBeNull()
  expect((await handlers['network.list'](undefined)).networks.at(-1)?.secrets.api).toBeNull()

  const [kept, removed] = await Promise.allSettled([
    handlers['network.setSecret']({ id, slot: 'api', secret }),
    handlers['network.remove']({ id }),
  ])
  expect([kept.status, removed.status]).toEqual(['fulfilled', 'fulfilled'])
})

test('a network that moves to another gateway loses its stored chain data and aborts its requests', async () => {
  const { handlers, access, database } = make()
  const { id } = await handlers['network.add'](away)
  const accounts = createAccountRecords(database)
  const address = `0:${'1'.repeat(64)}`
  for (const network of [id, 'mainnet']) accounts.put(network, { address, answer: '{}' }, 1)
  const asked = access.interest(id)
  await handlers['network.change']({ id, ...away, name: 'By another name' })
  expect([asked.aborted, accounts.find(id, address)]).toEqual([false, '{}'])
  await handlers['network.change']({ id, ...at('https://elsewhere.example.com') })
  expect([asked.aborted, accounts.find(id, address)]).toEqual([true, null])
  expect(accounts.find('mainnet', address)).toBe('{}')
})

test('selecting another network aborts the requests of the former one, and no others', async () => {
  const silent = await serve(() => undefined)
  const { handlers, access, told } = make()
  const { id } = await handlers['network.add'](at(silent.url))
  await handlers['network.select']({ id })
  expect(access.current()).toBe(id)
  const asked = access.query(id).status({ signal: access.interest(id) })
  const refused = expect(asked).rejects.toMatchObject({ code: 'NETWORK_SWITCHED' })
  await silent.arrived(1)
  const kept = access.interest('testnet')
  await handlers['network.select']({ id: 'testnet' })
  await refused
  expect(kept.aborted).toBe(false)
  expect(access.interest(id).aborted).toBe(false)
  expect(told.at(-1)?.current).toBe('testnet')
  const count = told.length
  await handlers['network.select']({ id: 'testnet' })
  expect(told).toHaveLength(count)
})

test('a request to an unavailable or unknown network fails at once with the reason', async () => {
  const { access } = make(null)
  expect(() => access.query('sandbox')).toThrow('The sandbox is not running. Start it first.')
  expect(await codeOf(() => access.query('sandbox'))).toBe('NETWORK_UNAVAILABLE')
  expect(await codeOf(() => access.invoices('testnet'))).toBe('NETWORK_UNAVAILABLE')
  expect(await codeOf(() => access.query('custom-00000000'))).toBe('NETWORK_UNKNOWN')
  const running = await serve(status)
  await make(readySandbox(running.url)).access.query('sandbox').status()
  expect(bearers(running)).toEqual([`Bearer ${sandboxKeys.api}`])
})

/** The responses of a gateway to the three requests of the check, and the outcomes. */
const answers: readonly (readonly [
  kept: boolean,
  answer: { status: number; body?: string; headers?: Record<string, string> },
  outcomes: { query: string; webhooks: string; invoices: string },
])[] = [
  [
    true,
    {
      status: 200,
      body: '{"rest_online":true,"webhooks":[],"id":"00000000"}',
      headers: { 'ratelimit-policy': '100;w=10' },
    },
    { query: 'ok', webhooks: 'ok', invoices: 'ok' },
  ],
  [
    true,
    { status: 401, body: '{"error":"no"}' },
    { query: 'wrong-key', webhooks: 'wrong-key', invoices: 'wrong-key' },
  ],
  [false, { status: 401 }, { query: 'no-key', webhooks: 'no-key', invoices: 'no-key' }],
  [
    true,
    { status: 403 },
    { query: 'no-capability', webhooks: 'no-capability', invoices: 'no-capability' },
  ],
  [
    true,
    { status: 501 },
    { query: 'unexpected', webhooks: 'no-capability', invoices: 'unexpected' },
  ],
  [true, { status: 404 }, { query: 'unexpected', webhooks: 'unexpected', invoices: 'ok' }],
  [
    true,
    { status: 429, headers: { 'retry-after': '7' } },
    { query: 'limited', webhooks: 'limited', invoices: 'limited' },
  ],
  [
    true,
    { status: 200, body: '<html>a proxy</html>' },
    { query: 'unexpected', webhooks: 'unexpected', invoices: 'unexpected' },
  ],
  [
    true,
    { status: 302, headers: { location: 'https://elsewhere.example' } },
    { query: 'unexpected', webhooks: 'unexpected', invoices: 'unexpected' },
  ],
]

test('a connection test explains each response and sends one request to each root', async () => {
  const gateway = await serve()
  const { handlers } = make()
  const keyless = await handlers['network.add'](at(gateway.url))
  const keyed = await handlers['network.add'](at(gateway.url, { name: 'With keys' }))
  for (const slot of ['api', 'invoices'] as const) {
    const secret = `a-secret-for-${slot}`
    await handlers['network.setSecret']({ id: keyed.id, slot, secret })
  }
  for (const [isKept, { status: code, body = '', headers = {} }, outcomes] of answers) {
    gateway.received.length = 0
    gateway.answer = (_request, response) => {
      response.writeHead(code, headers).end(body)
    }
    const checks = await handlers['network.test']({ id: isKept ? keyed.id : keyless.id })
    expect(Object.fromEntries(checks.map(({ root, outcome }) => [root, outcome]))).toEqual(outcomes)
    expect(gateway.received).toHaveLength(3)
    if (code === 429) expect(checks[0]?.message).toContain('7 s')
    if (code === 404) expect(checks[1]?.message).toContain('has no webhooks API')
    expect(checks[1]?.perSecond).toBe('ratelimit-policy' in headers ? 10 : null)
  }
})

test('a connection test reports roots that are missing, stopped or not configured', async () => {
  const { handlers } = make(null)
  expect(await handlers['network.test']({ id: 'sandbox' })).toMatchObject([
    { outcome: 'unreachable', message: 'The sandbox is not running. Start it first.' },
    { outcome: 'unreachable' },
    { outcome: 'unreachable' },
  ])
  const gone = await startEndpoint()
  await gone[Symbol.asyncDispose]()
  const network = at(gone.url)
  const { id } = await handlers['network.add']({
    ...network,
    urls: { ...network.urls, console: null },
  })
  expect(await handlers['network.test']({ id })).toMatchObject([
    { root: 'query', outcome: 'unreachable' },
    { root: 'webhooks', outcome: 'unreachable' },
    { root: 'invoices', outcome: 'absent', milliseconds: null },
  ])
})

test('networks test reports each root as JSON and exits with 1 if one is unreachable', async () => {
  using home = temporaryDirectory()
  const { code, lines, errors } = await runCommand(
    ...['networks', 'test', 'SANDBOX', '--json', '--data-dir', join(home.path, 'data')],
  )
  expect({ code, errors }).toEqual({ code: 1, errors: '' })
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: 'ready' },
    { event: 'check', root: 'query', outcome: 'unreachable' },
    { event: 'check', root: 'webhooks' },
    { event: 'check', root: 'invoices' },
  ])
})

test('a custom network with a link-local or metadata address, or a URL of this app, is refused', async () => {
  const { handlers } = make()
  const add = (query: string) =>
    Promise.resolve().then(() =>
      handlers['network.add']({
        name: query,
        urls: { query, webhooks: 'https://gateway.example', testnetWebhooks: null, console: null },
        testOnly: false,
      }),
    )
  for (const [url, why] of [
    ['https://169.254.169.254', 'a link-local address'],
    ['https://[fe80::1]', 'a link-local address'],
    ['https://[::ffff:169.254.169.254]', 'a link-local address'],
    ['https://[fd00:ec2::254]', 'the metadata service of a cloud'],
    ['https://100.100.100.200', 'the metadata service of a cloud'],
    ['https://0.0.0.0', 'an unspecified address'],
    ['http://127.0.0.1:4800', 'the window of this Tondesk'],
    ['http://localhost:4800', 'the window of this Tondesk'],
  ] as const) {
    await expect(add(url), url).rejects.toThrow(why)
  }
  // A gateway in the local network may be the user’s own.
  expect((await add('https://192.168.1.5')).problem).toBeNull()
  expect((await add('http://127.0.0.1:4801')).problem).toBeNull()
})

test('a gateway name that resolves to a forbidden address gets no connection', async () => {
  await using gateway = await startEndpoint()
  await using http = createHttp({ addressProblem: () => 'a link-local address' })
  const url = gateway.url.replace('127.0.0.1', 'localhost')
  const client = http.client({ name: 'The gateway', baseUrl: url, key: 'a-key-of-8' })
  const call = client.call({ path: '/', answer: z.unknown() })
  await expect(call).rejects.toThrow(/localhost resolves to .* which is a link-local address/)
  expect(gateway.received).toEqual([])
})

// Earlier, a failed look-up was read as a list of addresses, and the resulting error ended the app.
test('a gateway name that cannot be resolved is reported as unreachable, and the app continues', async () => {
  await using http = createHttp({ addressProblem: () => null })
  const client = http.client({ name: 'The gateway', baseUrl: 'https://tondesk.invalid', key: null })
  const call = client.call({ path: '/', answer: z.unknown() })
  await expect(call).rejects.toMatchObject({ code: 'GATEWAY_UNREACHABLE' })
})
