/** The control API does what its OpenAPI document says: checked by the document alone, with a JSON Schema validator. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { ControlOperation } from '../../../src-preload/contract/sandbox-control.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { startSandbox } from '../../fixtures/sandbox.ts'

type Operation = {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { content: { 'application/json': { schema: object } } }
  readonly responses: {
    200: { content: { 'application/json'?: { schema: object } } }
    default: { content: { 'application/json': { schema: object } } }
  }
}

test('every documented operation takes what its request schema allows and responds as its response schema says', async () => {
  await using endpoint = await startEndpoint()
  await using sandbox = await startSandbox()
  const { body: document } = await sandbox.control<{
    openapi: string
    paths: Record<string, Record<string, Operation>>
  }>('GET', '/openapi.json')
  expect(document.openapi).toBe('3.1.0')
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const tried = new Set<string>()

  /** @param fields those of the path, of the query or of the body */
  async function attempt(id: ControlOperation, fields: Record<string, unknown> = {}) {
    const [path, method, operation] = Object.entries(document.paths)
      .flatMap(([each, item]) => Object.entries(item).map((entry) => [each, ...entry] as const))
      .find(([, , { operationId }]) => operationId === id) ?? ['', '', undefined]
    if (operation === undefined) throw new Error(`${id} is not documented`)
    const named = (kind: string) =>
      operation.parameters.filter((each) => each.in === kind).map(({ name }) => name)
    const inPath = named('path')
    const rest = Object.fromEntries(
      Object.entries(fields).filter(([name]) => !inPath.includes(name)),
    )
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(fields[name]))
    const request = operation.requestBody?.content['application/json'].schema
    if (method === 'get') expect(named('query')).toEqual(expect.arrayContaining(Object.keys(rest)))
    else if (request === undefined) expect(rest).toEqual({})
    else expect(ajv.validate(request, rest), `${id}: ${ajv.errorsText()}`).toBe(true)
    const query = new URLSearchParams(rest as Record<string, string>).toString()
    const response = await sandbox.control<Record<string, unknown>>(
      method.toUpperCase(),
      method === 'get' ? `${filled}?${query}` : filled,
      method === 'get' || request === undefined ? undefined : rest,
    )
    expect(response.status, `${id}: ${JSON.stringify(response.body)}`).toBe(200)
    const schema = operation.responses[200].content['application/json']?.schema ?? {}
    expect(ajv.validate(schema, response.body), `${id}: ${ajv.errorsText()}`).toBe(true)
    tried.add(id)
    return response.body
  }

  const { body: made } = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: endpoint.url,
  })
  const webhookId = made.webhook_id
  await sandbox.webhooks('POST', `/webhooks/${webhookId}/subscribe-msg-opcode/0x1`)
  const { body: invoice } = await sandbox.invoices<{ id: string }>('POST', '/invoice', {
    amount: '1000000000',
    life_time: 600,
    currency: 'TON',
  })

  await attempt('faucet', { address: 'wallet-1', amount: '1000', currency: 'USDT' })
  await attempt('send', { from: 'wallet-1', to: 'wallet-2', amount: '5', comment: 'tea' })
  await attempt('message', { to: 'wallet-2', amount: '5' })
  await attempt('deploy', { name: 'shop' })
  await attempt('opcode', { opcode: '0x1' })
  await attempt('setFaults', {
    faults: [
      { root: 'invoices', kind: 'status', status: 503, share: 0.5 },
      { root: 'query', kind: 'rate-limit' },
    ],
  })
  await attempt('setCalls', { bodies: true })
  await attempt('calls', { root: 'webhooks', limit: '10' })
  await attempt('queue', { limit: '10', network: 'mainnet' })
  await attempt('chain')
  await attempt('faults')
  await attempt('pay', { id: invoice.id, how: 'exact' })
  await attempt('waitFor', { invoice: invoice.id, timeoutMs: 1000 })
  await attempt('waitFor', { account: 'wallet-2' })
  await attempt('waitFor', { webhook: webhookId, status: 'online' })
  await attempt('idle', { timeoutMs: 60_000 })
  await attempt('testWebhook', { webhookId, headers: { 'X-Try': '1' }, body: '{}' })
  await attempt('suspendWebhook', { webhookId })
  await attempt('backOnline', { webhookId })
  await attempt('disableOpcode', { webhookId, opcode: '0x1' })
  await attempt('setPolicy', { timeoutMs: 500, retryDelaysMs: [1, 2] })
  await attempt('policy')
  await attempt('setActivity', { perMinute: 0 })
  await attempt('setAccess', { state: 'granted' })
  await attempt('access')
  await attempt('invoicesToken')
  await attempt('setMatching', { rule: 'amount' })
  await attempt('matching')
  await attempt('setInvoicesApp', { webhooks: [`${endpoint.url}/invoices`] })
  await attempt('invoicesApp')
  await attempt('mnemonics')
  await attempt('advance', { byMs: 1000 })
  await attempt('cancelAdvance')
  await attempt('clock')
  await attempt('setClock', { mode: 'virtual' })
  const { name } = await attempt('snapshot', {})
  await attempt('snapshots')
  await attempt('revert', { name })
  await attempt('deleteSnapshot', { name })
  await attempt('reset')

  const documented = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  // A stream of events, and the document itself.
  const others = ['events', 'openapi']
  expect([...tried, ...others].sort()).toEqual(documented.sort())

  const refused = await sandbox.control('POST', '/clock/advance', { byMs: -1 })
  const problem = Object.values(document.paths)[0]?.['get']?.responses.default
  expect(refused.status).toBe(400)
  expect(ajv.validate(problem?.content['application/json'].schema ?? false, refused.body)).toBe(
    true,
  )
  expect(refused.body).toEqual({
    error: 'byMs: is at least 0, because the clock never goes back',
  })
})
