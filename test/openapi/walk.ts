/**
 * Sends valid and invalid requests for all operations of the sandbox, over HTTP like any client.
 */
import { beginCell, comment, external, internal, SendMode, storeMessage, toNano } from '@ton/core'
import { mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import type { HttpClient } from '../../src-main/gateway/http.ts'
import { type QueryClient, createQueryClient } from '../../src-main/gateway/query.ts'
import { formatJson, parseJson } from '../../src-main/ton/lossless-json.ts'

type Ready = {
  readonly queryUrl: string
  readonly webhooksUrl: string
  readonly controlUrl: string
  readonly apiKey: string
  readonly controlKey: string
  readonly wallets: readonly { name: string; address: string; mnemonic: readonly string[] }[]
}

export type ApiExchange = {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly text: string
}

type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>

/** @param onExchange called with every response of the query and webhooks APIs, in order */
export async function requestEveryRoute(
  ready: Ready,
  onExchange: (exchange: ApiExchange) => void,
): Promise<void> {
  const control = asker(ready.controlUrl, ready.controlKey, () => undefined)
  const webhooks = asker(ready.webhooksUrl, ready.apiKey, onExchange)
  const query = asker(ready.queryUrl, ready.apiKey, onExchange)
  const [payer, payee] = ready.wallets
  if (payer === undefined || payee === undefined) throw new Error('the sandbox has no wallets')

  await control('POST', '/send', {
    from: payer.name,
    to: payee.name,
    amount: '1000000000',
    currency: 'TON',
    comment: 'walk',
  })
  await control('POST', '/send', {
    from: payer.name,
    to: payee.name,
    amount: '2500000',
    currency: 'USDT',
    comment: 'walk',
  })
  await control('POST', '/opcode', { from: payer.name, opcode: '0x12345678', amount: '50000000' })
  await control('POST', '/deploy', { from: payer.name, name: 'walk' })
  await walkWebhooks(webhooks, payee.address)
  await walkQuery(query, ready)
  await walkClient(ready, onExchange)
}

function asker(base: string, key: string, onExchange: (exchange: ApiExchange) => void): Ask {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: formatJson(body) }),
    })
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? ''
    onExchange({
      method,
      path: new URL(base + path).pathname,
      status: response.status,
      contentType,
      text,
    })
    return contentType.includes('json') && text !== '' ? parseJson(text) : text
  }
}

async function walkWebhooks(ask: Ask, account: string): Promise<void> {
  const created = (await ask('POST', '/webhooks', { endpoint: 'http://127.0.0.1:9/hook' })) as {
    webhook_id: number
  }
  const hook = `/webhooks/${created.webhook_id}`
  await ask('GET', '/webhooks')
  await ask('POST', `${hook}/generate-new-token`)
  await ask('POST', `${hook}/account-tx/subscribe`, { accounts: [{ account_id: account }] })
  await ask('GET', `${hook}/account-tx/subscriptions?limit=10`)
  await ask('POST', `${hook}/account-tx/unsubscribe`, { accounts: [account] })
  await ask('POST', `${hook}/subscribe-msg-opcode/0x12345678`)
  await ask('GET', `${hook}/msg-opcode/subscriptions`)
  await ask('POST', `${hook}/unsubscribe-msg-opcode/0x12345678`)
  for (const what of ['new-contracts']) {
    await ask('POST', `${hook}/subscribe-${what}`)
    await ask('POST', `${hook}/unsubscribe-${what}`)
  }
  await ask('POST', `${hook}/mempool/subscribe`)
  await ask('POST', `${hook}/mempool/unsubscribe`)
  await ask('GET', `${hook}/logs`)
  await ask('POST', `${hook}/back-online`)
  await ask('GET', '/usage-stats')
  await ask('DELETE', hook)
  await ask('DELETE', hook)
  await ask('POST', '/webhooks', { endpoint: 17 })
}

async function walkQuery(ask: Ask, { wallets }: Ready): Promise<void> {
  const [payer, payee] = wallets
  if (payer === undefined || payee === undefined) return
  const history = (await ask(
    'GET',
    `/v2/blockchain/accounts/${payer.address}/transactions?limit=20`,
  )) as {
    transactions: { hash: string }[]
  }
  for (const { hash } of history.transactions)
    await ask('GET', `/v2/blockchain/transactions/${hash}`)
  const [latest] = history.transactions
  const hash = latest?.hash ?? ''
  const jettons = (await ask('GET', `/v2/accounts/${payer.address}/jettons?currencies=usd`)) as {
    balances: { jetton: { address: string }; wallet_address: { address: string } }[]
  }
  const usdt = jettons.balances[0]?.jetton.address ?? ''
  const usdtWallet = jettons.balances[0]?.wallet_address.address ?? ''
  for (const path of [
    '/v2/blockchain/masterchain/1/transactions',
    '/v2/blockchain/config',
    '/v2/blockchain/config/raw',
    `/v2/accounts/${usdtWallet}`,
    `/v2/accounts/0:${'0'.repeat(64)}`,
    `/v2/blockchain/accounts/${usdt}/methods/get_jetton_data`,
    `/v2/blockchain/accounts/${payer.address}/methods/seqno`,
    `/v2/accounts/${payer.address}/events?limit=20`,
    `/v2/accounts/${payee.address}/events?limit=20`,
    `/v2/accounts/${payer.address}/traces`,
    `/v2/wallet/${payer.address}`,
    `/v2/wallet/${payer.address}/seqno`,
    `/v2/address/${payer.address}/parse`,
    '/v2/jettons?limit=10',
    '/v2/nfts/collections?limit=10',
    '/v2/accounts/nonsense',
    '/v2/blockchain/transactions/nonsense',
    `/v2/blockchain/transactions/${'0'.repeat(64)}`,
    `/v2/traces/${'0'.repeat(64)}`,
    `/v2/accounts/${payer.address}/events?limit=wrong`,
  ]) {
    await ask('GET', path)
  }
  const events = (await ask('GET', `/v2/accounts/${payer.address}/events?limit=50`)) as {
    events: { event_id: string }[]
  }
  for (const { event_id: id } of events.events) {
    await ask('GET', `/v2/events/${id}`)
    await ask('GET', `/v2/traces/${id}`)
    await ask('GET', `/v2/accounts/${payer.address}/events/${id}`)
  }
  await ask('POST', '/v2/accounts/_bulk', { account_ids: wallets.map(({ address }) => address) })
  await ask('POST', '/v2/accounts/_bulk', { account_ids: [] })
  await ask('POST', `/v2/blockchain/accounts/${payer.address}/methods/seqno`, { args: [] })

  const boc = await signedTransfer(ask, payer, payee.address)
  await ask('POST', '/v2/wallet/emulate', { boc })
  await ask('POST', '/v2/events/emulate', { boc })
  await ask('POST', `/v2/accounts/${payee.address}/events/emulate`, { boc })
  await ask('POST', '/v2/message/decode', { boc })
  await ask('POST', '/v2/blockchain/message', { boc })
  await ask('POST', '/v2/blockchain/message', { boc })
  await ask('POST', '/v2/blockchain/message', { boc: 'no boc' })
  await ask('GET', `/v2/blockchain/transactions/${hash}`)
}

type Operations = { readonly [Name in keyof QueryClient]: () => Promise<unknown> }

/** Objects that the client’s requests use. */
type Sample = {
  readonly account: string
  readonly wallets: readonly string[]
  readonly jetton: string
  readonly transaction: string
  readonly message: string
  readonly block: string
  readonly boc: string
}

/**
 * Lists every operation of Tondesk’s own client. A new operation that is missing here does not compile.
 */
export function clientOperations(
  client: QueryClient,
  { account, wallets, jetton, transaction, message, block, boc }: Sample,
): Operations {
  const page = { offset: 0, limit: 1000 }
  const [wallet = account] = wallets
  const balances = [{ address: account, balance: 10n ** 12n }]
  return {
    status: () => client.status(),
    account: () => client.account(account),
    accountsBulk: () => client.accountsBulk([account], { currency: 'usd' }),
    searchAccounts: () => client.searchAccounts('wallet'),
    accountJettons: () => client.accountJettons(account, { currency: 'usd' }),
    accountJetton: () => client.accountJetton(account, jetton),
    jetton: () => client.jetton(jetton),
    accountNfts: () => client.accountNfts(account, page),
    nft: () => client.nft(account),
    nftCollection: () => client.nftCollection(account),
    nftCollectionItems: () => client.nftCollectionItems(account, page),
    jettonHolders: () => client.jettonHolders(jetton, page),
    rawAccountsBulk: () => client.rawAccountsBulk([account, ...wallets]),
    accountTransactions: () =>
      client.accountTransactions(account, { limit: 1000, sortOrder: 'asc' }),
    accountTransactionRows: () =>
      client.accountTransactionRows(account, { limit: 1000, beforeLt: '9'.repeat(18) }),
    transaction: () => client.transaction(transaction),
    transactionByMessage: () => client.transactionByMessage(message),
    trace: () => client.trace(transaction),
    event: () => client.event(transaction),
    accountEvents: () => client.accountEvents(account, { limit: 100, since: 1 }),
    block: () => client.block(block),
    blockTransactions: () => client.blockTransactions(block),
    masterchainShards: () => client.masterchainShards(1),
    masterchainBlocks: () => client.masterchainBlocks(1),
    masterchainHead: () => client.masterchainHead(),
    rates: () => client.rates(['ton', jetton], 'EUR'),
    ratesChart: () =>
      client.ratesChart({ token: jetton, currency: 'USD', from: 0, to: Date.UTC(2026, 0, 2) }),
    dnsResolve: () => client.dnsResolve('nobody.ton'),
    jettonWalletData: () => client.jettonWalletData(wallet),
    rawAccount: () => client.rawAccount(account),
    inspect: () => client.inspect(account),
    library: () => client.library(transaction),
    runMethod: () =>
      client.runMethod(jetton, 'get_wallet_address', [{ type: 'slice', value: account }]),
    emulateWallet: () => client.emulateWallet(boc, { balances }),
    emulateTrace: () => client.emulateTrace(boc),
    sendMessage: () => client.sendMessage(boc),
  }
}

/**
 * Sends a request for every operation of Tondesk’s own client, and reads the responses with its
 * schemas. @throws if the client cannot read a successful response
 */
async function walkClient(
  ready: Ready,
  onExchange: (exchange: ApiExchange) => void,
): Promise<void> {
  let status = 0
  const ask = asker(ready.queryUrl, ready.apiKey, (exchange) => {
    status = exchange.status
    onExchange(exchange)
  })
  const http: Pick<HttpClient, 'call'> = {
    async call({ method = 'GET', path, query = {}, body, answer }) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) {
        for (const each of [value ?? []].flat()) search.append(name, String(each))
      }
      const value = await ask(method, `${path}?${search.toString()}`, body)
      if (status >= 300) throw new Refused(`${path}: ${status}`)
      return answer.parse(value)
    },
  }
  const client = createQueryClient(http as HttpClient)
  const [payer, payee] = ready.wallets
  if (payer === undefined || payee === undefined) return
  const [latest] = await client.accountTransactions(payer.address, { limit: 1 })
  const [row] = await client.accountJettons(payer.address)
  if (latest === undefined) throw new Error('the wallet has no transaction')
  if (row === undefined || !('value' in row)) throw new Error('the wallet has no jetton')
  const operations = clientOperations(client, {
    account: payer.address,
    wallets: [row.value.wallet_address.address],
    jetton: row.value.jetton.address,
    transaction: latest.hash,
    message: latest.in_msg?.hash ?? '',
    block: latest.block,
    boc: await signedTransfer(ask, payer, payee.address),
  })
  for (const [name, request] of Object.entries(operations)) {
    try {
      await request()
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw new Error(`The client cannot read the answer of ${name}.`, { cause: error })
      }
    }
  }
}

/** The sandbox lacks the object or the operation. `check.ts` states where this is unexpected. */
class Refused extends Error {}

async function signedTransfer(
  ask: Ask,
  payer: Ready['wallets'][number],
  to: string,
): Promise<string> {
  const keys = await mnemonicToPrivateKey([...payer.mnemonic])
  const wallet = WalletContractV4.create({ workchain: 0, publicKey: keys.publicKey })
  const { seqno } = (await ask('GET', `/v2/wallet/${payer.address}/seqno`)) as { seqno: number }
  const body = wallet.createTransfer({
    seqno,
    secretKey: keys.secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: [
      internal({ to, value: toNano('0.5'), body: comment('signed outside'), bounce: false }),
    ],
  })
  const message = external({ to: wallet.address, body })
  return beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
}
