import { expect, test } from 'vitest'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { InvoiceAccess } from '../../../src-preload/contract/invoice-access.ts'
import type { Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'
import type { TunnelState } from '../../../src-preload/contract/tunnel.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import {
  type SetupFacts,
  describeBackendProblem,
  readSetupSteps,
  nextStep,
  webhookHere,
} from '../../../src-renderer/features/setup/setup-state.ts'

const network = (change: Partial<Network> = {}): Network => ({
  id: 'mainnet',
  kind: 'mainnet',
  name: 'Mainnet',
  urls: {
    query: 'https://gateway.example',
    webhooks: 'https://rt.gateway.example',
    testnetWebhooks: null,
    console: 'https://console.gateway.example',
  },
  testOnly: false,
  secrets: { api: { hint: 'b7d2', addedAt: 1, present: true }, invoices: null },
  explorer: null,
  problem: null,
  ...change,
})

const check = (
  root: NetworkCheck['root'],
  outcome: NetworkCheck['outcome'] = 'ok',
): NetworkCheck => ({ root, outcome, message: '', milliseconds: 1, perSecond: null })

const webhook = (change: Partial<Webhook> = {}) =>
  ({
    id: '7',
    endpoint: 'https://tunnel.example/hook/1',
    status: 'online',
    isHere: true,
    accounts: 2,
    opcodes: 0,
    newContracts: false,
    mempool: false,
    ...change,
  }) as Webhook

const tunnel = { publicUrl: 'https://tunnel.example', check: { ok: true } } as TunnelState

const facts = (change: Partial<SetupFacts> = {}): SetupFacts => ({
  network: network(),
  checks: [check('query'), check('webhooks'), check('invoices', 'no-key')],
  tunnel,
  webhooks: [webhook()],
  access: undefined,
  rules: [],
  backend: null,
  delivery: { id: 1 } as CaptureRow,
  ...change,
})

const stateOf = (step: keyof ReturnType<typeof readSetupSteps>, change: Partial<SetupFacts>) =>
  readSetupSteps(facts(change))[step]

test('the setup guide is done with all required steps, without the optional steps', () => {
  const steps = readSetupSteps(facts())
  expect(Object.values(steps).map(({ state }) => state)).toEqual([
    'done',
    'done',
    'done',
    'done',
    'optional',
    'optional',
    'done',
  ])
  expect(nextStep(steps)).toBe('delivery')
})

test('the key step is done only if the gateway accepts the key for both APIs', () => {
  const wrong = [check('query'), check('webhooks', 'no-capability'), check('invoices', 'ok')]
  expect(stateOf('key', { checks: wrong })).toEqual({
    state: 'failed',
    note: 'Webhooks API: not allowed',
  })
  expect(stateOf('key', { checks: undefined }).state).toBe('loading')
  const absent = network({ secrets: { api: null, invoices: null } })
  const keyless = [check('query', 'no-key'), check('webhooks', 'no-key')]
  expect(stateOf('key', { network: absent, checks: keyless }).state).toBe('open')
  // The user's own gateway may need no key.
  expect(stateOf('key', { network: absent }).state).toBe('done')
})

test('the tunnel step is done after a successful check, or with a gateway on this computer', () => {
  const without = { ...tunnel, publicUrl: null, check: null }
  const failed = { ...tunnel, check: { ok: false } } as TunnelState
  expect(stateOf('tunnel', { tunnel: without }).state).toBe('open')
  expect(stateOf('tunnel', { tunnel: failed }).state).toBe('failed')
  expect(stateOf('tunnel', { tunnel: { ...tunnel, check: null } }).state).toBe('open')
  const urls = { query: '', webhooks: 'http://127.0.0.1:1', testnetWebhooks: null, console: null }
  expect(stateOf('tunnel', { tunnel: without, network: network({ urls }) }).state).toBe('done')
})

test('a webhook with a local URL does not complete the step for a remote gateway, and an online webhook is preferred', () => {
  const local = webhook({ endpoint: 'http://127.0.0.1:4801/hook/1' })
  expect(stateOf('webhook', { webhooks: [local] }).state).toBe('open')
  expect(stateOf('accounts', { webhooks: [local] }).state).toBe('open')
  const offline = webhook({ id: '1', status: 'offline' })
  expect(stateOf('webhook', { webhooks: [offline] }).state).toBe('failed')
  expect(webhookHere(facts({ webhooks: [offline, webhook()] }))?.id).toBe('7')
  expect(stateOf('webhook', { webhooks: [webhook({ isHere: false })] }).state).toBe('open')
})

test("the accounts step counts the gateway's accounts, or accepts events of the whole chain", () => {
  expect(stateOf('accounts', {}).note).toBe('2 accounts subscribed')
  const none = webhook({ accounts: 0 })
  expect(stateOf('accounts', { webhooks: [none] }).state).toBe('open')
  const chainWide = webhook({ accounts: 0, newContracts: true })
  expect(stateOf('accounts', { webhooks: [chainWide] }).state).toBe('done')
})

test('the invoices step is absent for a gateway without invoices, and is done without its webhook', () => {
  const urls = { ...network().urls, query: '', webhooks: '', testnetWebhooks: null, console: null }
  expect(stateOf('invoices', { network: network({ urls }) }).state).toBe('absent')
  const access = {
    steps: [
      { id: 'token', state: 'done' },
      { id: 'webhook', state: 'open' },
    ],
  }
  expect(stateOf('invoices', { access: access as InvoiceAccess }).state).toBe('done')
})

test('the backend step is done once the backend accepted a delivery', () => {
  const rule = { health: [{ delivered: 3 }] } as ForwardRule
  expect(stateOf('code', { rules: [rule] })).toEqual({
    state: 'done',
    note: 'Your server accepted 3 deliveries',
  })
})

const responded = (change: Partial<ShownResponse>): ShownResponse => ({
  isDelivered: true,
  status: 200,
  durationUs: 1,
  headers: [],
  body: '',
  bodyBytes: 0,
  isCut: false,
  problem: null,
  ...change,
})

test('the backend step requires a 200 to the last test event, and its failure does not keep the guide open', () => {
  const rules = [{ health: [{ delivered: 3 }] } as ForwardRule]
  expect(stateOf('code', { backend: responded({}) }).state).toBe('done')
  const isCut = responded({ problem: 'The response did not end within 10 seconds.' })
  for (const backend of [responded({ status: 204 }), responded({ status: 500 }), isCut]) {
    const steps = readSetupSteps(facts({ backend, rules, delivery: null }))
    expect(steps.code.state).toBe('failed')
    expect(nextStep(steps)).toBe('delivery')
  }
  const refused = responded({ status: null, problem: 'Nothing listens on localhost:8080.' })
  expect(stateOf('code', { backend: refused }).note).toBe('Your backend did not respond')
  expect(describeBackendProblem(refused)).toBe('Nothing listens on localhost:8080.')
  const moved = responded({ status: 308, headers: [['Location', 'https://new.example/']] })
  expect(describeBackendProblem(moved)).toContain('to https://new.example/')
  expect(describeBackendProblem(responded({ status: 304 }))).toContain('a redirect.')
})

test('the next step is the first step that is not done, and is unknown while an earlier step is loading', () => {
  expect(nextStep(readSetupSteps(facts({ webhooks: [] })))).toBe('webhook')
  expect(nextStep(readSetupSteps(facts({ webhooks: [], tunnel: undefined })))).toBe(null)
})
