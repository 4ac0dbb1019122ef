/** The query API (gateway-facts 1): one client for the real service, self-hosted ones and the sandbox. */
import { z } from 'zod'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Call, HttpClient } from './http.ts'
import * as answers from './query-answers.ts'

export type Asking = {
  readonly signal?: AbortSignal
  readonly priority?: 'interactive' | 'job'
  readonly owner?: string
  /** Called before the request is sent; not called if it is aborted in the queue. */
  readonly onSend?: () => void
}

export type TransactionsPage = {
  /** Logical times, exclusive. */
  readonly beforeLt?: string
  readonly afterLt?: string
  /** At most 1000. */
  readonly limit?: number
  readonly sortOrder?: 'asc' | 'desc'
}

export type QueryClient = ReturnType<typeof createQueryClient>

/**
 * Addresses are raw or friendly, hashes hex or base64, a BOC hex or standard base64. Each call throws as
 * `HttpClient.call` does.
 */
export function createQueryClient(http: HttpClient) {
  const get = <S extends z.ZodType>(
    path: string,
    answer: S,
    asking: Asking = {},
    query: Call<S>['query'] = {},
  ) => http.call({ path, answer, query, ...pick(asking) })

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
    status: (asking?: Asking) => get('/v2/status', answers.statusAnswer, asking),
    account: (address: string, asking?: Asking) =>
      get(account(address), answers.accountAnswer, asking),
    async accountsBulk(
      addresses: readonly string[],
      { currency = null, ...asking }: Asking & { readonly currency?: string | null } = {},
    ): Promise<answers.AccountAnswer[]> {
      const path = '/v2/accounts/_bulk'
      const query = currency === null ? {} : { currency }
      const { accounts } = await bulk(
        () => ask(path, { account_ids: addresses }, answers.accountsAnswer, asking, query),
        () =>
          get(path, answers.accountsAnswer, asking, { ...query, account_ids: addresses.join(',') }),
      )
      return accounts
    },
    async searchAccounts(name: string, asking?: Asking): Promise<answers.FoundAccount[]> {
      const found = await get('/v2/accounts/search', answers.foundAccountsAnswer, asking, { name })
      return found.addresses
    },
    async accountJettons(
      address: string,
      { currency, ...asking }: Asking & { readonly currency?: string } = {},
    ): Promise<answers.Row<answers.JettonBalanceAnswer>[]> {
      const path = `${account(address)}/jettons`
      const query = { currencies: currency }
      return (await get(path, answers.jettonBalancesAnswer, asking, query)).balances
    },
    /** The balance of one jetton; 404 when the account has no wallet of it. */
    accountJetton(
      address: string,
      jetton: string,
      asking?: Asking,
    ): Promise<answers.JettonBalanceAnswer> {
      const path = `${account(address)}/jettons/${encodeURIComponent(jetton)}`
      return get(path, answers.jettonBalanceAnswer, asking)
    },
    accountEvents(
      address: string,
      { limit, beforeLt }: { readonly limit: number; readonly beforeLt?: string },
      asking?: Asking,
    ): Promise<answers.AccountEventsAnswer> {
      const path = `${account(address)}/events`
      return get(path, answers.accountEventsAnswer, asking, { limit, before_lt: beforeLt })
    },
    /** State with code and data; 404 for an unused account. */
    blockchainAccount: (address: string, asking?: Asking) =>
      get(chainAccount(address), answers.rawAccountAnswer, asking),
    /** `blockchainAccount` for several addresses; older servers respond 404. */
    async rawAccountsBulk(
      addresses: readonly string[],
      asking?: Asking,
    ): Promise<answers.RawAccountAnswer[]> {
      const path = '/v2/blockchain/accounts/_bulk'
      return (await ask(path, { account_ids: addresses }, answers.rawAccountsAnswer, asking))
        .accounts
    },
    async accountTransactions(
      address: string,
      page: TransactionsPage,
      asking?: Asking,
    ): Promise<answers.TransactionAnswer[]> {
      const path = `${chainAccount(address)}/transactions`
      return (await get(path, answers.transactionsAnswer, asking, pageQuery(page))).transactions
    },
    async accountTransactionRows(
      address: string,
      page: TransactionsPage,
      asking?: Asking,
    ): Promise<answers.Row<answers.TransactionAnswer>[]> {
      const path = `${chainAccount(address)}/transactions`
      return (await get(path, answers.transactionRowsAnswer, asking, pageQuery(page))).transactions
    },
    /** @param hash of the transaction or of a message */
    transaction: (hash: string, asking?: Asking) =>
      get(
        `/v2/blockchain/transactions/${encodeURIComponent(hash)}`,
        answers.transactionAnswer,
        asking,
      ),
    transactionByMessage: (hash: string, asking?: Asking) =>
      get(
        `/v2/blockchain/messages/${encodeURIComponent(hash)}/transaction`,
        answers.transactionAnswer,
        asking,
      ),
    trace: (hash: string, asking?: Asking) =>
      get(`/v2/traces/${encodeURIComponent(hash)}`, answers.traceAnswer, asking),
    event: (hash: string, asking?: Asking) =>
      get(`/v2/events/${encodeURIComponent(hash)}`, answers.eventAnswer, asking),
    block: (id: string, asking?: Asking) =>
      get(`/v2/blockchain/blocks/${encodeURIComponent(id)}`, answers.blockAnswer, asking),
    async blockTransactions(
      id: string,
      asking?: Asking,
    ): Promise<answers.Row<answers.TransactionAnswer>[]> {
      const path = `/v2/blockchain/blocks/${encodeURIComponent(id)}/transactions`
      return (await get(path, answers.transactionRowsAnswer, asking)).transactions
    },
    masterchainHead: (asking?: Asking) =>
      get('/v2/blockchain/masterchain-head', answers.blockAnswer, asking),
    config: (asking?: Asking) => get('/v2/blockchain/config', answers.configAnswer, asking),
    async configRaw(asking?: Asking): Promise<Readonly<Record<string, unknown>>> {
      return (await get('/v2/blockchain/config/raw', answers.rawConfigAnswer, asking)).config
    },
    async rates(
      tokens: readonly string[],
      currencies: readonly string[],
      asking?: Asking,
    ): Promise<answers.RatesAnswer> {
      const query = { tokens: tokens.join(','), currencies: currencies.join(',') }
      return (await get('/v2/rates', answers.ratesAnswer, asking, query)).rates
    },
    dnsResolve: (name: string, asking?: Asking) =>
      get(`/v2/dns/${encodeURIComponent(name)}/resolve`, answers.dnsRecordAnswer, asking),
    addressParse: (address: string, asking?: Asking) =>
      get(`/v2/address/${encodeURIComponent(address)}/parse`, answers.parsedAddressAnswer, asking),
    /** Owner and master as the contract claims them; null if it is no jetton wallet. */
    async jettonWalletData(
      address: string,
      asking?: Asking,
    ): Promise<{ readonly owner: string; readonly jetton: string } | null> {
      const path = `${chainAccount(address)}/methods/get_wallet_data`
      const { success, decoded } = await get(path, answers.walletDataAnswer, asking)
      return success ? (decoded ?? null) : null
    },
    /** Never repeated automatically. */
    async sendMessage(boc: string, asking: Asking = {}): Promise<void> {
      const path = '/v2/blockchain/message'
      await http.call({ method: 'POST', path, body: { boc }, answer: z.unknown(), ...pick(asking) })
    },
    emulateWallet(boc: string, asking?: Asking): Promise<answers.ConsequencesAnswer> {
      const path = '/v2/wallet/emulate'
      const { consequencesAnswer } = answers
      return emulation(
        () => ask(path, { boc }, consequencesAnswer, asking),
        () => get(path, consequencesAnswer, asking, { boc }),
      )
    },
    emulateTrace(
      boc: string,
      { ignoreSignature = false, ...asking }: Asking & { readonly ignoreSignature?: boolean } = {},
    ): Promise<answers.TraceNodeAnswer[]> {
      const query = ignoreSignature ? { ignore_signature_check: 'true' } : {}
      return ask('/v2/traces/emulate', { boc }, answers.traceAnswer, asking, query)
    },
    decodeMessage: (boc: string, asking?: Asking) =>
      ask('/v2/message/decode', { boc }, answers.decodedMessageAnswer, asking),
  }
}

function pageQuery({ beforeLt, afterLt, limit, sortOrder }: TransactionsPage) {
  return { before_lt: beforeLt, after_lt: afterLt, limit, sort_order: sortOrder }
}

/** Omits absent options, because the client distinguishes undefined from missing. */
function pick({ signal, priority, owner }: Asking): Asking {
  return { ...(signal && { signal }), ...(priority && { priority }), ...(owner && { owner }) }
}

/**
 * Some operations are documented as POST in one source and as GET in another. A refused method is replaced
 * by the other one from then on.
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
        // Both methods failed: the first error is reported.
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
