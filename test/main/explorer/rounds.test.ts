/** Tests for how many rounds of requests a page waits: the test controls the gateway’s responses. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createTraceJettons } from '../../../src-main/chain/jetton-wallets.ts'
import { readTrace } from '../../../src-main/chain/read-trace.ts'
import { formatNamed } from '../../fixtures/sentences.ts'
import { eventResponse } from '../../../src-main/gateway/event-responses.ts'
import { traceResponse } from '../../../src-main/gateway/query-responses.ts'
import { formatJson } from '../../../src-main/ton/lossless-json.ts'
import { openScriptedServer } from '../../fixtures/scripted-server.ts'
import { openExplorer } from '../../fixtures/explorer.ts'
import {
  alice,
  responseTo,
  balanceOf,
  bob,
  eventPath,
  firstTransaction,
  jettonPath,
  master,
  methodPath,
  transferNotification,
  jettonTrace,
  tracePath,
  usdtJetton,
  jettonWallets,
} from '../../fixtures/jetton-gateway.ts'
import { accountOf, requiredFields } from '../../fixtures/raw-transaction.ts'

const network = 'custom-00000001'
/** Delays every response until the test releases its round. */
async function openHoldingGateway(answers = responseTo) {
  await using resources = new AsyncDisposableStack()
  const gateway = resources.use(await openScriptedServer())
  const held: { readonly path: string; readonly response: ServerResponse }[] = []
  let arrived = Promise.withResolvers<undefined>()
  gateway.answer = ({ url }, response) => {
    held.push({ path: decodeURIComponent(url.split('?')[0] ?? ''), response })
    arrived.resolve(undefined)
    arrived = Promise.withResolvers()
  }
  const explorer = resources.use(
    await openExplorer({ [network]: { queryUrl: gateway.origin, key: 'some-key' } }),
  )
  const kept = resources.move()
  return {
    explorer,
    /** Waits until exactly these requests are pending, then responds to them. */
    async round(paths: readonly string[]) {
      while (held.length < paths.length) await arrived.promise
      expect(held.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
      for (const { path, response } of held.splice(0)) {
        const body = answers(path)
        response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
        response.end(formatJson(body ?? { error: 'entity not found' }))
      }
    },
    requests: () => explorer.requests(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

type Shown = { readonly trace: { readonly flow: readonly { jettons: object[] }[] } | null }
const assetsOf = ({ trace }: Shown) => trace?.flow.flatMap(({ jettons }) => jettons)

test('a jetton transaction is shown after one round of requests and is complete after three', async () => {
  await using gateway = await openHoldingGateway()
  const { explorer } = gateway
  const input = { network, id: firstTransaction.hash }

  const beginning = explorer.request('transaction.get', { ...input, partial: true })
  await gateway.round([tracePath])
  const partial = await beginning
  expect(partial).toMatchObject({ isPartial: true, trace: { isComplete: true } })
  // Anyone can send a notification, so no jettons are shown as received until its sender is
  // verified.
  expect(assetsOf(partial)).toEqual([])

  const rest = explorer.request('transaction.get', input)
  await gateway.round([eventPath, methodPath(jettonWallets[alice]), methodPath(jettonWallets[bob])])
  await gateway.round([jettonPath(alice), jettonPath(bob)])
  const whole = await rest
  expect(whole.isPartial).toBe(false)
  expect(assetsOf(whole)).toContainEqual({
    asset: { jetton: master, symbol: 'USDT', decimals: 6 },
    units: '5000000',
  })
  expect(assetsOf(whole)).not.toContainEqual(expect.objectContaining({ asset: null }))
  expect(gateway.requests()).toBe(6)

  // All data is stored, so opening the transaction again sends no request.
  const again = await explorer.request('transaction.get', { ...input, partial: true })
  expect(again.isPartial).toBe(false)
  expect(gateway.requests()).toBe(6)
})

test('a jetton that stayed unknown is requested again the next time, and the trace is shown meanwhile', async () => {
  await using gateway = await openHoldingGateway((path) =>
    path === tracePath ? jettonTrace : null,
  )
  const { explorer } = gateway
  const input = { network, id: firstTransaction.hash }
  for (let time = 0; time < 2; time += 1) {
    const beginning = explorer.request('transaction.get', { ...input, partial: true })
    await gateway.round([tracePath])
    expect((await beginning).isPartial).toBe(true)
    const rest = explorer.request('transaction.get', input)
    await gateway.round([
      eventPath,
      methodPath(jettonWallets[alice]),
      methodPath(jettonWallets[bob]),
    ])
    const { isPartial, trace: shown } = await rest
    expect(isPartial).toBe(false)
    expect(formatNamed(shown?.sentence ?? [])).not.toBe('')
  }
})

test('queued requests about a jetton wallet are cancelled when the event names the jetton', async () => {
  const jettons = createTraceJettons()
  const nodes = readTrace(traceResponse.parse(JSON.parse(formatJson(jettonTrace))))
  const withdrawn: string[] = []
  const event = eventResponse.parse({
    ...requiredFields.event,
    actions: [
      {
        type: 'JettonTransfer',
        status: 'ok',
        JettonTransfer: {
          senders_wallet: jettonWallets[alice],
          recipients_wallet: jettonWallets[bob],
          amount: '5',
          jetton: usdtJetton,
        },
      },
    ],
  })
  const { assets, isSure } = await jettons.find(network, nodes, {
    asking: { signal: new AbortController().signal },
    query: {
      // In a queue with one request every four seconds, `onSend` is not called.
      jettonWalletData: (address, { signal } = {}) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            withdrawn.push(address)
            reject(signal.reason as Error)
          })
        }),
      accountJetton: () => Promise.reject(new Error('not needed')),
    },
    actions: () => Promise.resolve(event.actions),
  })
  expect(isSure).toBe(true)
  expect([...assets.keys()].toSorted()).toEqual(Object.values(jettonWallets).toSorted())
  expect(withdrawn.toSorted()).toEqual(Object.values(jettonWallets).toSorted())
})

const accountPath = `/v2/accounts/${alice}`
const historyPath = `/v2/blockchain/accounts/${alice}/transactions`
const account = { address: alice, balance: 1, last_activity: 1, status: 'active' }

test('an account and its history need one round of requests if the list of jettons names the wallets', async () => {
  await using gateway = await openHoldingGateway((path) => {
    if (path === accountPath) return account
    if (path === historyPath) return { transactions: [transferNotification(alice, 100n)] }
    return { balances: [balanceOf(alice)] }
  })
  const question = { network, address: alice }
  const view = gateway.explorer.request('account.get', question)
  const page = gateway.explorer.request('account.history', question)
  await gateway.round([accountPath, `${accountPath}/jettons`, historyPath])
  expect(await view).toMatchObject({ jettons: [{ balance: '5' }] })
  expect(await page).toMatchObject({ rows: [{ change: { asset: { symbol: 'USDT' } } }] })
  expect(gateway.requests()).toBe(3)
})

test('wallets that the list of jettons omits are checked together, not one after the other', async () => {
  const [other, foreign] = [accountOf('e1'), accountOf('e2')]
  await using gateway = await openHoldingGateway((path) => {
    if (path === accountPath) return account
    if (path === historyPath) {
      const rows = [
        transferNotification(alice, 300n, { from: foreign }),
        transferNotification(alice, 200n, { from: other }),
      ]
      rows.push(transferNotification(alice, 100n))
      return { transactions: rows }
    }
    if (path === methodPath(other) || path === methodPath(foreign)) return { success: false }
    return responseTo(path) ?? { balances: [] }
  })
  const question = { network, address: alice }
  const view = gateway.explorer.request('account.get', question)
  const page = gateway.explorer.request('account.history', question)
  await gateway.round([accountPath, `${accountPath}/jettons`, historyPath])
  await view
  await gateway.round([jettonWallets[alice], other, foreign].map((wallet) => methodPath(wallet)))
  await gateway.round([jettonPath(alice)])
  const { rows } = await page
  expect(rows.map(({ change }) => change?.asset.symbol)).toEqual(['TON', 'TON', 'USDT'])
})

const eventsPath = `/v2/accounts/${alice}/events`

// Catches a history that needs an additional round on each page of a gateway without events.
test('a gateway without events gets one request for events, at the same time as for transactions', async () => {
  await using gateway = await openHoldingGateway((path) => {
    if (path === historyPath) return { transactions: [transferNotification(alice, 100n)] }
    return path === `${accountPath}/jettons` ? { balances: [balanceOf(alice)] } : null
  })
  const question = { network, address: alice, view: 'events' } as const
  await gatewayKnowsJettons(gateway)
  const beginning = gateway.explorer.request('account.history', question)
  await gateway.round([eventsPath, historyPath])
  const first = await beginning
  expect(first).toMatchObject({ view: 'transactions', rows: [{ lt: '100' }] })
  expect(first.viewProblem).toContain('does not list events')

  const later = gateway.explorer.request('account.history', question)
  await gateway.round([historyPath])
  expect(await later).toEqual(first)
  const again = gateway.explorer.request('account.history', { ...question, refresh: true })
  await gateway.round([eventsPath, historyPath])
  expect(await again).toEqual(first)
})

// Catches a history that stays without events because the gateway does not know one account.
test('events are requested again after a 404 for an account without transactions, and alone after events were listed', async () => {
  let events: object | null = null
  await using gateway = await openHoldingGateway((path) => (path === eventsPath ? events : null))
  const question = { network, address: alice, view: 'events' } as const
  const unknown = gateway.explorer.request('account.history', question)
  await gateway.round([eventsPath, historyPath])
  expect((await unknown).rows).toEqual([])
  events = { events: [], next_from: 0 }
  for (const paths of [[eventsPath, historyPath], [eventsPath]]) {
    const page = gateway.explorer.request('account.history', question)
    await gateway.round(paths)
    expect(await page).toMatchObject({ view: 'events', viewProblem: null })
  }
})

async function gatewayKnowsJettons(gateway: Awaited<ReturnType<typeof openHoldingGateway>>) {
  const view = gateway.explorer.request('account.get', { network, address: alice })
  await gateway.round([accountPath, `${accountPath}/jettons`])
  await view.catch(() => undefined)
}
