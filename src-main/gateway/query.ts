/** The query API (gateway-facts 1): one client for the real service, self-hosted ones and the sandbox. */
import { z } from 'zod'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Call, HttpClient } from './http.ts'
import * as answers from './query-answers.ts'

export type Asking = {
  readonly signal?: AbortSignal
  /** `interactive` (somebody waits, the default) goes ahead of `job`. */
  readonly priority?: 'interactive' | 'job'
  /** Whose it is: within a priority, those of different owners are sent in turn. */
  readonly owner?: string
  /** It is about to leave this computer; not called for what is called off in the queue before. */
  readonly onSend?: () => void
}

export type TransactionsPage = {
  /** Logical times; neither end is included. */
  readonly beforeLt?: string
  readonly afterLt?: string
  /** At most 1000. */
  readonly limit?: number
  readonly sortOrder?: 'asc' | 'desc'
}

/**
 * Addresses are raw or friendly, hashes hex or base64, a BOC hex or standard base64. Each call throws
 * as `HttpClient.call` does.
 */
export type QueryClient = {
  status(asking?: Asking): Promise<answers.StatusAnswer>
  account(address: string, asking?: Asking): Promise<answers.AccountAnswer>
  /** In the order of `addresses`, one for each; POST, or GET where the server takes no other. */
  accountsBulk(
    addresses: readonly string[],
    options?: Asking & { readonly currency?: string | null },
  ): Promise<answers.AccountAnswer[]>
  /** By the beginning of a name, 3 to 15 characters. */
  searchAccounts(name: string, asking?: Asking): Promise<answers.FoundAccount[]>
  /** @param options.currency also asks for prices in this currency */
  accountJettons(
    address: string,
    options?: Asking & { readonly currency?: string },
  ): Promise<answers.Row<answers.JettonBalanceAnswer>[]>
  /** Of one jetton; 404 when the account has no wallet of it. */
  accountJetton(
    address: string,
    jetton: string,
    asking?: Asking,
  ): Promise<answers.JettonBalanceAnswer>
  accountEvents(
    address: string,
    page: { readonly limit: number; readonly beforeLt?: string },
    asking?: Asking,
  ): Promise<answers.AccountEventsAnswer>
  /** State with code and data. 404 for one that was never used. */
  blockchainAccount(address: string, asking?: Asking): Promise<answers.RawAccountAnswer>
  /** As `blockchainAccount`, one for each that is asked for; older servers do not have it (404). */
  rawAccountsBulk(
    addresses: readonly string[],
    asking?: Asking,
  ): Promise<answers.RawAccountAnswer[]>
  accountTransactions(
    address: string,
    page: TransactionsPage,
    asking?: Asking,
  ): Promise<answers.TransactionAnswer[]>
  /** The same for what is only shown: a transaction that cannot be read does not cost the others. */
  accountTransactionRows(
    address: string,
    page: TransactionsPage,
    asking?: Asking,
  ): Promise<answers.Row<answers.TransactionAnswer>[]>
  /** By its own hash, else by the hash of a message. */
  transaction(hash: string, asking?: Asking): Promise<answers.TransactionAnswer>
  transactionByMessage(hash: string, asking?: Asking): Promise<answers.TransactionAnswer>
  /** By the hash of any transaction in it. */
  trace(hash: string, asking?: Asking): Promise<answers.TraceNodeAnswer[]>
  event(hash: string, asking?: Asking): Promise<answers.EventAnswer>
  /** `(workchain,shard,seqno)` */
  block(id: string, asking?: Asking): Promise<answers.BlockAnswer>
  blockTransactions(id: string, asking?: Asking): Promise<answers.Row<answers.TransactionAnswer>[]>
  masterchainHead(asking?: Asking): Promise<answers.BlockAnswer>
  config(asking?: Asking): Promise<answers.ConfigAnswer>
  configRaw(asking?: Asking): Promise<Readonly<Record<string, unknown>>>
  /** By token; those nobody trades are missing. */
  rates(
    tokens: readonly string[],
    currencies: readonly string[],
    asking?: Asking,
  ): Promise<answers.RatesAnswer>
  dnsResolve(name: string, asking?: Asking): Promise<answers.DnsRecordAnswer>
  addressParse(address: string, asking?: Asking): Promise<answers.ParsedAddressAnswer>
  /** Owner and master as the jetton wallet itself tells them; null when it does not. */
  jettonWalletData(
    address: string,
    asking?: Asking,
  ): Promise<{ readonly owner: string; readonly jetton: string } | null>
  /** Sent once, never again by itself. */
  sendMessage(boc: string, asking?: Asking): Promise<void>
  /** POST, or GET where the server takes no other. */
  emulateWallet(boc: string, asking?: Asking): Promise<answers.ConsequencesAnswer>
  emulateTrace(
    boc: string,
    options?: Asking & { readonly ignoreSignature?: boolean },
  ): Promise<answers.TraceNodeAnswer[]>
  decodeMessage(boc: string, asking?: Asking): Promise<answers.DecodedMessageAnswer>
}

export function createQueryClient(http: HttpClient): QueryClient {
  const get = <S extends z.ZodType>(
    path: string,
    answer: S,
    asking: Asking = {},
    query: Call<S>['query'] = {},
  ) => http.call({ path, answer, query, ...pick(asking) })

  /** For what changes nothing, however it is asked. */
  const ask = <S extends z.ZodType>(
    path: string,
    body: unknown,
    answer: S,
    asking: Asking = {},
    query: Call<S>['query'] = {},
  ) => http.call({ method: 'POST', isIdempotent: true, path, body, answer, query, ...pick(asking) })

  const bulk = createEitherForm()
  const emulation = createEitherForm()
  const account = (address: string) => `/v2/accounts/${encodeURIComponent(address)}`
  const chainAccount = (address: string) => `/v2/blockchain/accounts/${encodeURIComponent(address)}`

  return {
    status: (asking) => get('/v2/status', answers.statusAnswer, asking),
    account: (address, asking) => get(account(address), answers.accountAnswer, asking),
    async accountsBulk(addresses, { currency = null, ...asking } = {}) {
      const path = '/v2/accounts/_bulk'
      const query = currency === null ? {} : { currency }
      const { accounts } = await bulk(
        () => ask(path, { account_ids: addresses }, answers.accountsAnswer, asking, query),
        () =>
          get(path, answers.accountsAnswer, asking, { ...query, account_ids: addresses.join(',') }),
      )
      return accounts
    },
    async searchAccounts(name, asking) {
      const found = await get('/v2/accounts/search', answers.foundAccountsAnswer, asking, { name })
      return found.addresses
    },
    async accountJettons(address, { currency, ...asking } = {}) {
      const path = `${account(address)}/jettons`
      const query = { currencies: currency }
      return (await get(path, answers.jettonBalancesAnswer, asking, query)).balances
    },
    accountJetton(address, jetton, asking) {
      const path = `${account(address)}/jettons/${encodeURIComponent(jetton)}`
      return get(path, answers.jettonBalanceAnswer, asking)
    },
    accountEvents(address, { limit, beforeLt }, asking) {
      const path = `${account(address)}/events`
      return get(path, answers.accountEventsAnswer, asking, { limit, before_lt: beforeLt })
    },
    blockchainAccount: (address, asking) =>
      get(chainAccount(address), answers.rawAccountAnswer, asking),
    async rawAccountsBulk(addresses, asking) {
      const path = '/v2/blockchain/accounts/_bulk'
      return (await ask(path, { account_ids: addresses }, answers.rawAccountsAnswer, asking))
        .accounts
    },
    async accountTransactions(address, page, asking) {
      const path = `${chainAccount(address)}/transactions`
      return (await get(path, answers.transactionsAnswer, asking, pageQuery(page))).transactions
    },
    async accountTransactionRows(address, page, asking) {
      const path = `${chainAccount(address)}/transactions`
      return (await get(path, answers.transactionRowsAnswer, asking, pageQuery(page))).transactions
    },
    transaction: (hash, asking) =>
      get(
        `/v2/blockchain/transactions/${encodeURIComponent(hash)}`,
        answers.transactionAnswer,
        asking,
      ),
    transactionByMessage: (hash, asking) =>
      get(
        `/v2/blockchain/messages/${encodeURIComponent(hash)}/transaction`,
        answers.transactionAnswer,
        asking,
      ),
    trace: (hash, asking) =>
      get(`/v2/traces/${encodeURIComponent(hash)}`, answers.traceAnswer, asking),
    event: (hash, asking) =>
      get(`/v2/events/${encodeURIComponent(hash)}`, answers.eventAnswer, asking),
    block: (id, asking) =>
      get(`/v2/blockchain/blocks/${encodeURIComponent(id)}`, answers.blockAnswer, asking),
    async blockTransactions(id, asking) {
      const path = `/v2/blockchain/blocks/${encodeURIComponent(id)}/transactions`
      return (await get(path, answers.transactionRowsAnswer, asking)).transactions
    },
    masterchainHead: (asking) =>
      get('/v2/blockchain/masterchain-head', answers.blockAnswer, asking),
    config: (asking) => get('/v2/blockchain/config', answers.configAnswer, asking),
    async configRaw(asking) {
      return (await get('/v2/blockchain/config/raw', answers.rawConfigAnswer, asking)).config
    },
    async rates(tokens, currencies, asking) {
      const query = { tokens: tokens.join(','), currencies: currencies.join(',') }
      return (await get('/v2/rates', answers.ratesAnswer, asking, query)).rates
    },
    dnsResolve: (name, asking) =>
      get(`/v2/dns/${encodeURIComponent(name)}/resolve`, answers.dnsRecordAnswer, asking),
    addressParse: (address, asking) =>
      get(`/v2/address/${encodeURIComponent(address)}/parse`, answers.parsedAddressAnswer, asking),
    async jettonWalletData(address, asking) {
      const path = `${chainAccount(address)}/methods/get_wallet_data`
      const { success, decoded } = await get(path, answers.walletDataAnswer, asking)
      return success ? (decoded ?? null) : null
    },
    async sendMessage(boc, asking = {}) {
      const path = '/v2/blockchain/message'
      await http.call({ method: 'POST', path, body: { boc }, answer: z.unknown(), ...pick(asking) })
    },
    emulateWallet(boc, asking) {
      const path = '/v2/wallet/emulate'
      const { consequencesAnswer } = answers
      return emulation(
        () => ask(path, { boc }, consequencesAnswer, asking),
        () => get(path, consequencesAnswer, asking, { boc }),
      )
    },
    emulateTrace(boc, { ignoreSignature = false, ...asking } = {}) {
      const query = ignoreSignature ? { ignore_signature_check: 'true' } : {}
      return ask('/v2/traces/emulate', { boc }, answers.traceAnswer, asking, query)
    },
    decodeMessage: (boc, asking) =>
      ask('/v2/message/decode', { boc }, answers.decodedMessageAnswer, asking),
  }
}

function pageQuery({ beforeLt, afterLt, limit, sortOrder }: TransactionsPage) {
  return { before_lt: beforeLt, after_lt: afterLt, limit, sort_order: sortOrder }
}

/** What is absent stays absent: the client tells undefined from nothing. */
function pick({ signal, priority, owner }: Asking): Asking {
  return { ...(signal && { signal }), ...(priority && { priority }), ...(owner && { owner }) }
}

/**
 * Some operations are documented with POST by one source and with GET by another. Where the server
 * refuses one as a verb the other is tried, and is the first to be tried from then on.
 */
function createEitherForm() {
  let postFirst = true
  return async function inEitherForm<T>(post: () => Promise<T>, get: () => Promise<T>): Promise<T> {
    const [first, second] = postFirst ? [post, get] : [get, post]
    try {
      return await first()
    } catch (error) {
      if (!isWrongVerb(error)) throw error
      const answer = await second().catch((other: unknown) => {
        // Neither form is known: what was said of the first counts.
        throw isWrongVerb(other) ? error : other
      })
      postFirst = second === post
      return answer
    }
  }
}

function isWrongVerb(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status } = (error.data ?? {}) as { readonly status?: number }
  return status === 405 || status === 404
}
