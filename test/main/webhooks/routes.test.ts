/**
 * Tests webhooks as the window manages them: one app with the real sandbox, and gateways that the
 * test controls.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { parseJson } from '../../../src-main/ton/lossless-json.ts'
import {
  type ScriptedServer,
  jsonResponse,
  openScriptedServer,
} from '../../fixtures/scripted-server.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { bearerHeader } from '../../fixtures/bodies.ts'
import { filesHolding } from '../../fixtures/files.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
})
afterAll(() => app[Symbol.asyncDispose]())

const network = 'sandbox'
const newest = async () => {
  const [row] = await app.classified()
  if (row === undefined) throw new Error('Nothing was captured.')
  return row
}
const event = JSON.stringify({
  event_type: 'account_tx',
  account_id: `0:${'11'.repeat(32)}`,
  lt: 5,
  tx_hash: '22'.repeat(32),
})

async function verdict(token: string): Promise<string> {
  await app.post(event, { headers: bearerHeader(token) })
  return (await newest()).token
}

test('created, changed and deleted webhooks show at once, and their tokens are used for the check of deliveries', async () => {
  const [suggested] = await app.request('webhook.suggestEndpoints', { network })
  expect(suggested?.url).toBe(await app.hook())
  const made = await app.request('webhook.create', { network, endpoint: suggested?.url ?? '' })
  const { id, endpoint } = made
  expect(made).toMatchObject({ status: 'online', tokenKnown: true, isHere: true, accounts: 0 })
  const { token } = await app.request('webhook.revealToken', { network, id })
  expect(made.tokenHint).toBe(token.slice(-4))
  expect(await verdict(token)).toBe('right')

  const rotated = await app.request('webhook.rotateToken', { network, id })
  const { token: next } = await app.request('webhook.revealToken', { network, id })
  expect(next).not.toBe(token)
  expect(rotated.tokenHint).toBe(next.slice(-4))
  expect(await verdict(next)).toBe('right')
  // The delivery was on its way while the token was replaced.
  expect(await verdict(token)).toBe('right')

  const flag = { network, id, on: true }
  expect(await app.request('webhook.setMempool', flag)).toMatchObject({ mempool: true })
  expect(await app.request('webhook.setNewContracts', flag)).toMatchObject({ newContracts: true })
  const decimal = { ...flag, opcode: String(0x0f8a7ea5) }
  expect(await app.request('webhook.setOpcode', decimal)).toEqual([
    {
      opcode: '0x0f8a7ea5',
      name: 'jetton transfer',
      status: 'active',
      disabledAt: null,
      disabledReason: null,
    },
  ])
  const short = { ...flag, opcode: '0x7' }
  expect(await app.request('webhook.setOpcode', short)).toHaveLength(2)
  expect(await app.request('webhook.setOpcode', { ...short, on: false })).toHaveLength(1)
  expect(await app.request('webhook.checkEndpoint', { network, endpoint })).toMatchObject([
    { kind: 'in-use' },
  ])
  expect(await app.request('webhook.logs', { network, id })).toEqual({ logs: [], next: null })
  expect(await app.request('webhook.usage', { network })).toMatchObject({ delivered: '0' })
  expect(await app.request('webhook.backOnline', { network, id })).toMatchObject({ opcodes: 1 })

  // A stopped receiver is still the same endpoint.
  await app.request('receiver.stop')
  const { webhooks } = await app.request('webhook.list', { network })
  expect(webhooks).toMatchObject([{ id, isHere: true }])
  await app.request('receiver.start')

  const other = { network, id, endpoint: `${endpoint}/other` }
  expect(await app.refusal('webhook.delete', other)).toBe('WEBHOOK_ENDPOINT_DIFFERS')
  await app.request('webhook.delete', { network, id, endpoint })
  expect((await app.request('webhook.list', { network })).webhooks).toEqual([])
  expect(await app.refusal('webhook.delete', { network, id, endpoint })).toBe('WEBHOOK_UNKNOWN')
  // No token is left to compare with.
  expect(await verdict(next)).toBe('unchecked')
  const told = app.events.flatMap((each) => (each.name === 'webhook.changed' ? [each.payload] : []))
  expect(told.length).toBeGreaterThan(5)
})

test('known webhooks are listed while the gateway fails, and a reset of the sandbox removes them', async () => {
  const made = await app.request('webhook.create', { network, endpoint: 'https://example.com/a' })
  await app.request('sandbox.setFaults', {
    faults: [{ root: 'webhooks', kind: 'status', status: 500 }],
  })
  const list = await app.request('webhook.list', { network, fresh: true })
  expect(list.webhooks.map(({ id }) => id)).toContain(made.id)
  expect(list.problem).toMatch(/500/)
  await app.request('sandbox.setFaults', { faults: [] })
  await app.request('sandbox.reset')
  expect(await app.request('webhook.list', { network })).toEqual({
    network,
    webhooks: [],
    readAt: null,
    problem: null,
  })
})

type Entry = { id: bigint; endpoint: string; token: string }

/** Opens a gateway that stores webhooks in memory, with ids above 2^53. */
async function openGateway(): Promise<ScriptedServer & { entries: Entry[]; brokenOff: number }> {
  const server = await openScriptedServer()
  const gateway = Object.assign(server, { entries: [] as Entry[], brokenOff: 0 })
  server.answer = (request, response) => {
    const { method, url, body } = request
    const id = BigInt(/\/webhooks\/(\d+)/.exec(url)?.[1] ?? 0)
    const answer = (text: string) => jsonResponse(text)(request, response)
    if (url === '/webhooks' && method === 'GET') {
      const print = ({ id, endpoint, token }: Entry) =>
        `{"id":${id},"endpoint":${JSON.stringify(endpoint)},"token":"${token}"}`
      answer(`{"webhooks":[${gateway.entries.map(print).join()}]}`)
    } else if (url === '/webhooks') {
      const { endpoint } = parseJson(body) as { endpoint: string }
      const made = { id: 9_007_199_254_740_993n + BigInt(gateway.entries.length), endpoint }
      const token = `canary-${crypto.randomUUID()}`
      gateway.entries.push({ ...made, token })
      if (gateway.brokenOff > 0) {
        gateway.brokenOff -= 1
        response.destroy()
      } else answer(`{"webhook_id":${made.id},"token":"${token}"}`)
    } else if (method === 'DELETE') {
      gateway.entries = gateway.entries.filter((entry) => entry.id !== id)
      answer('{}')
    } else answer('{}')
  }
  return gateway
}

async function addNetwork(origin: string): Promise<string> {
  const urls = { query: origin, webhooks: origin, testnetWebhooks: null, console: null }
  return (await app.request('network.add', { name: origin, urls, testOnly: false })).id
}

const creations = ({ seen }: ScriptedServer) =>
  seen.filter(({ method, url }) => method === 'POST' && url === '/webhooks')

test('a webhook whose creation was interrupted is found and not created twice', async () => {
  await using gateway = await openGateway()
  const id = await addNetwork(gateway.origin)
  const endpoint = 'https://example.com/hook'
  const first = await app.request('webhook.create', { network: id, endpoint })
  // Another webhook has the same endpoint, and must not be mistaken for the created one.
  gateway.brokenOff = 1
  const second = await app.request('webhook.create', { network: id, endpoint })
  expect(second.id).not.toBe(first.id)
  expect(BigInt(second.id)).toBeGreaterThan(2n ** 53n)
  expect(creations(gateway)).toHaveLength(2)
  expect(gateway.entries).toHaveLength(2)
  // The webhook is created twice at the same time, as by two clicks.
  const again = { network: id, endpoint: 'https://example.com/twice' }
  const [one, other] = await Promise.all([
    app.request('webhook.create', again),
    app.request('webhook.create', again),
  ])
  expect(one.id).toBe(other.id)
  expect(gateway.entries).toHaveLength(3)
  await app.request('network.remove', { id })
})

test('a token is stored once with its webhook, and a webhook is created even without a keychain', async () => {
  await using gateway = await openGateway()
  const id = await addNetwork(gateway.origin)
  const endpoint = await app.hook()
  const tokens = () => app.request('webhookToken.list')
  const create = (): Promise<Webhook> => app.request('webhook.create', { network: id, endpoint })
  const remove = (webhook: Webhook) =>
    app.request('webhook.delete', { network: id, id: webhook.id, endpoint })

  // This process may or may not have a keychain, so the test follows the reported state.
  if ((await app.request('secrets.state')).place === 'none') {
    const unkept = await create()
    expect(unkept).toMatchObject({ tokenKnown: false, isHere: true })
    await remove(unkept)
  }
  await app.request('secrets.useSessionOnly')
  const made = await create()
  expect(made).toMatchObject({ tokenKnown: true })
  expect(await tokens()).toMatchObject([{ id: `${id}/${made.id}`, present: true }])
  const secret = gateway.entries[0]?.token ?? ''
  // Neither the window's data, nor the log, nor the database may contain the token.
  expect(JSON.stringify(app.events)).not.toContain(secret)
  expect(filesHolding(app.directory, secret)).toEqual([])
  await remove(made)
  expect(await tokens()).toEqual([])

  // The list contains the token of a webhook that delivers here and was created elsewhere.
  const token = 'canary-of-one-made-elsewhere'
  await app.request('webhookToken.add', { label: 'mine', token })
  gateway.entries.push({ id: 3n, endpoint, token })
  gateway.entries.push({ id: 4n, endpoint: 'https://example.com/', token: 'not-of-this-receiver' })
  const list = await app.request('webhook.list', { network: id, fresh: true })
  expect(list.webhooks.map((each) => [each.id, each.tokenKnown])).toEqual([
    ['4', false],
    ['3', true],
  ])
  expect(await tokens()).toMatchObject([{ label: 'mine' }])
  await app.request('network.remove', { id })
  expect(await tokens()).toMatchObject([{ label: 'mine' }])
  expect(await app.refusal('webhook.list', { network: id })).toBe('NETWORK_UNKNOWN')
})
