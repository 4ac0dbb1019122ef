/** Gateways that differ from the documented one, or break off in the middle. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beginCell, external, storeMessage } from '@ton/core'
import { expect, test } from 'vitest'
import { walletNamed } from '../fixtures/chain.ts'
import { openExplorer } from '../fixtures/explorer.ts'

const network = 'custom-00000001'
const wallet = walletNamed('wallet-1').address

async function openAgainst(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  await using resources = new AsyncDisposableStack()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    request.resume().once('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  resources.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const queryUrl = `http://127.0.0.1:${port}`
  const explorer = resources.use(await openExplorer({ [network]: { queryUrl, key: 'some-key' } }))
  const kept = resources.move()
  return { ...explorer, asked, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function reply(response: ServerResponse, status: number, body: unknown = {}): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const boc = beginCell()
  .store(storeMessage(external({ to: wallet, body: beginCell().storeUint(1, 32).endCell() })))
  .endCell()
  .toBoc()
  .toString('base64url')

test('a server that takes no POST for many accounts is asked with GET, and with POST no more', async () => {
  await using explorer = await openAgainst((request, response) => {
    if (request.method === 'POST') reply(response, 405)
    else reply(response, 200, { accounts: [] })
  })
  const query = explorer.query(network)
  await query.accountsBulk(['0:1', '0:2'], { currency: 'usd' })
  await query.accountsBulk(['0:3'])
  expect(explorer.asked).toEqual([
    'POST /v2/accounts/_bulk?currency=usd',
    'GET /v2/accounts/_bulk?currency=usd&account_ids=0%3A1%2C0%3A2',
    'GET /v2/accounts/_bulk?account_ids=0%3A3',
  ])
})

test('a message that breaks the connection off is sent once, and told as uncertain', async () => {
  await using explorer = await openAgainst((request, response) => {
    if (request.url === '/v2/blockchain/message') request.socket.destroy()
    else reply(response, 404, { error: 'entity not found' })
  })
  const sent = await explorer.request('message.send', { network, boc })
  expect(sent).toMatchObject({ isUncertain: true, validUntil: null })
  expect(explorer.asked.filter((line) => line.startsWith('POST'))).toHaveLength(1)
})

test('a hash that several messages share is told as such, with a way out', async () => {
  await using explorer = await openAgainst((request, response) => {
    const isTrace = request.url?.startsWith('/v2/traces/') === true
    if (isTrace) reply(response, 404, { error: 'more than one transaction with message hash' })
    else reply(response, 400, { error: 'too many entities' })
  })
  await expect(
    explorer.request('transaction.get', { network, id: 'ab'.repeat(32) }),
  ).rejects.toMatchObject({ code: 'CHAIN_AMBIGUOUS' })
})

test('a trace too long for the gateway costs only the trace', async () => {
  const hash = 'cd'.repeat(32)
  await using explorer = await openAgainst((request, response) => {
    if (request.url?.startsWith('/v2/traces/') === true) {
      reply(response, 413, { error: 'trace is too long' })
    } else {
      reply(response, 200, {
        hash,
        lt: 9007199254740993n.toString(),
        account: { address: wallet.toRawString() },
        success: true,
        utime: 1,
        orig_status: 'active',
        end_status: 'active',
        total_fees: 0,
        transaction_type: 'TransOrd',
      })
    }
  })
  const answer = await explorer.request('transaction.get', { network, id: hash })
  expect(answer.transaction.lt).toBe('9007199254740993')
  expect(answer.trace).toBeNull()
  expect(answer.traceProblem).toContain('trace is too long')
})
