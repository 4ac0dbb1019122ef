/** The query API (gateway-facts 1): one client for the real service, self-hosted ones and the sandbox. */
import { z } from 'zod'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Call, HttpClient } from './http.ts'
import * as events from './event-responses.ts'
import * as answers from './query-responses.ts'

export type QueryOptions = {
  readonly signal?: AbortSignal
  readonly priority?: 'interactive' | 'job'
  readonly owner?: string
  /** Called before the request is sent; not called if it is aborted in the queue. */
  readonly onSend?: () => void
}

export type AbortableRequest = QueryOptions & { readonly signal: AbortSignal }

export type TransactionsPage = {
  /** Logical times, exclusive. */
  readonly beforeLt?: string
  readonly afterLt?: string
  /** At most 1000. */
  readonly limit?: number
  readonly sortOrder?: 'asc' | 'desc'
}

type EventsPage = TransactionsPage & {
  /** At most 100. */
  readonly limit: number
  /** Unix seconds, included. */
  readonly since?: number
  readonly until?: number
}

/** At most 1000 rows. */
type OffsetPage = Readonly<Record<'offset' | 'limit', number>>

type AssumedBalances = {
  readonly balances?: readonly { readonly address: string; readonly balance: bigint }[]
}

export type MethodArgument = {
  readonly type:
    | 'nan'
    | 'null'
    | 'tinyint'
    | 'int257'
    | 'slice'
    | 'cell_boc_base64'
    | 'slice_boc_hex'
  readonly value: string
}

export type QueryClient = ReturnType<typeof createQueryClient>

/**
 * Addresses are raw or friendly, hashes hex or base64, a BOC hex or standard base64. Each call throws as
 * `HttpClient.call` does. The length is that of the API: one entry for each operation.
 */
export function createQueryClient(http: HttpClient) {
  type Query = Call<z.ZodType>['query']
  const get = <S extends z.ZodType>(
    path: string,
    response: S,
    queryOptions?: QueryOptions,
    query: Query = {},
  ) => http.call({ ...queryOptions, path, answer: response, query })
  const post = <S extends z.ZodType>(
    path: string,
    body: unknown,
    response: S,
    queryOptions?: QueryOptions,
    query: Query = {},
  ) =>
    http.call({
      ...queryOptions,
      method: 'POST',
      isIdempotent: true,
      path,
      body,
      answer: response,
      query,
    })

  const bulk = createEitherForm()
  const emulation = createEitherForm()
  const methods = createEitherForm()
  const account = (address: string) => `/v2/accounts/${encodeURIComponent(address)}`
  const nft = (...path: readonly string[]) =>
    ['/v2/nfts', ...path.map(encodeURIComponent)].join('/')
  const blockchain = (kind: string, id: string) =>
    `/v2/blockchain/${kind}/${encodeURIComponent(id)}`

  return {
    status: (queryOptions?: QueryOptions) =>
      get('/v2/status', answers.statusResponse, queryOptions),
    account: (address: string, queryOptions?: QueryOptions) =>
      get(account(address), answers.accountResponse, queryOptions),
    accountsBulk(
      addresses: readonly string[],
      { currency = null, ...asking }: QueryOptions & { readonly currency?: string | null } = {},
    ) {
      const path = '/v2/accounts/_bulk'
      const query = currency === null ? {} : { currency }
      return bulk(
        () => post(path, { account_ids: addresses }, answers.accountsResponse, asking, query),
        () =>
          get(path, answers.accountsResponse, asking, {
            ...query,
            account_ids: addresses.join(','),
          }),
      )
    },
    searchAccounts: (name: string, queryOptions?: QueryOptions) =>
      get('/v2/accounts/search', answers.foundAccountsResponse, queryOptions, { name }),
    accountJettons: (
      address: string,
      { currency, ...asking }: QueryOptions & { readonly currency?: string } = {},
    ) =>
      get(`${account(address)}/jettons`, answers.jettonBalancesResponse, asking, {
        currencies: currency,
      }),
    /** The balance of one jetton; 404 when the account has no wallet of it. */
    accountJetton: (address: string, jetton: string, queryOptions?: QueryOptions) =>
      get(
        `${account(address)}/jettons/${encodeURIComponent(jetton)}`,
        answers.jettonBalanceResponse,
        queryOptions,
      ),
    /** @param address of the jetton's master */
    jetton: (address: string, queryOptions?: QueryOptions) =>
      get(`/v2/jettons/${encodeURIComponent(address)}`, answers.jettonInfoResponse, queryOptions),
    accountNfts: (address: string, page: OffsetPage, queryOptions?: QueryOptions) =>
      get(`${account(address)}/nfts`, answers.nftItemsResponse, queryOptions, page),
    nft: (address: string, queryOptions?: QueryOptions) =>
      get(nft(address), answers.nftItemResponse, queryOptions),
    nftCollection: (address: string, queryOptions?: QueryOptions) =>
      get(nft('collections', address), answers.nftCollectionResponse, queryOptions),
    nftCollectionItems: (address: string, page: OffsetPage, queryOptions?: QueryOptions) =>
      get(nft('collections', address, 'items'), answers.nftItemsResponse, queryOptions, page),
    /** The largest first; the service has only the first 9,000 in this order. */
    jettonHolders: (address: string, page: OffsetPage, queryOptions?: QueryOptions) =>
      get(
        `/v2/jettons/${encodeURIComponent(address)}/holders`,
        answers.jettonHoldersResponse,
        queryOptions,
        page,
      ),
    /** States with code and data; older servers respond 404. */
    rawAccountsBulk: (addresses: readonly string[], queryOptions?: QueryOptions) =>
      post(
        '/v2/blockchain/accounts/_bulk',
        { account_ids: addresses },
        answers.rawAccountsResponse,
        queryOptions,
      ),
    accountTransactions: (address: string, page: TransactionsPage, queryOptions?: QueryOptions) =>
      get(transactionsOf(address), answers.transactionsResponse, queryOptions, pageQuery(page)),
    accountTransactionRows: (
      address: string,
      page: TransactionsPage,
      queryOptions?: QueryOptions,
    ) =>
      get(transactionsOf(address), answers.transactionRowsResponse, queryOptions, pageQuery(page)),
    /** @param hash of the transaction or of a message */
    transaction: (hash: string, queryOptions?: QueryOptions) =>
      get(blockchain('transactions', hash), answers.transactionResponse, queryOptions),
    transactionByMessage: (hash: string, queryOptions?: QueryOptions) =>
      get(`${blockchain('messages', hash)}/transaction`, answers.transactionResponse, queryOptions),
    trace: (hash: string, queryOptions?: QueryOptions) =>
      get(`/v2/traces/${encodeURIComponent(hash)}`, answers.traceResponse, queryOptions),
    event: (hash: string, queryOptions?: QueryOptions) =>
      get(`/v2/events/${encodeURIComponent(hash)}`, events.eventResponse, queryOptions),
    /** `next` of the response is the `beforeLt` of the following page, or null. */
    accountEvents: (address: string, page: EventsPage, queryOptions?: QueryOptions) =>
      get(`${account(address)}/events`, events.accountEventsResponse, queryOptions, {
        ...pageQuery(page),
        start_date: page.since,
        end_date: page.until,
      }),
    block: (id: string, queryOptions?: QueryOptions) =>
      get(blockchain('blocks', id), answers.blockResponse, queryOptions),
    blockTransactions: (id: string, queryOptions?: QueryOptions) =>
      get(
        `${blockchain('blocks', id)}/transactions`,
        answers.transactionRowsResponse,
        queryOptions,
      ),
    masterchainShards: (seqno: number, queryOptions?: QueryOptions) =>
      get(`/v2/blockchain/masterchain/${seqno}/shards`, answers.shardsResponse, queryOptions),
    /** Blocks of all workchains since the masterchain block before this one. */
    masterchainBlocks: (seqno: number, queryOptions?: QueryOptions) =>
      get(`/v2/blockchain/masterchain/${seqno}/blocks`, answers.blocksResponse, queryOptions),
    masterchainHead: (queryOptions?: QueryOptions) =>
      get('/v2/blockchain/masterchain-head', answers.blockResponse, queryOptions),
    /** The present rates of at most 100 tokens (`ton`, or the addresses of jetton masters). */
    rates: (tokens: readonly string[], currency: string, queryOptions?: QueryOptions) =>
      get('/v2/rates', answers.ratesResponse, queryOptions, {
        tokens: tokens.join(','),
        currencies: currency.toLowerCase(),
      }),
    /**
     * At most 200 rates of a token (`ton`, or the address of a jetton's master) in a currency, spread over a
     * span in milliseconds. Empty where the gateway has none.
     */
    ratesChart: (
      {
        token,
        currency,
        from,
        to,
      }: Readonly<Record<'token' | 'currency', string>> & Readonly<Record<'from' | 'to', number>>,
      queryOptions?: QueryOptions,
    ) =>
      get('/v2/rates/chart', answers.ratesChartResponse, queryOptions, {
        token,
        currency: currency.toLowerCase(),
        points_count: 200,
        start_date: Math.floor(from / 1000),
        end_date: Math.ceil(to / 1000),
      }),
    dnsResolve: (name: string, queryOptions?: QueryOptions) =>
      get(`/v2/dns/${encodeURIComponent(name)}/resolve`, answers.dnsRecordResponse, queryOptions),
    /** Owner and master as the contract claims them; null if it is no jetton wallet. */
    jettonWalletData: (address: string, queryOptions?: QueryOptions) =>
      get(
        `${blockchain('accounts', address)}/methods/get_wallet_data`,
        answers.walletDataResponse,
        queryOptions,
      ),
    rawAccount: (address: string, queryOptions?: QueryOptions) =>
      get(blockchain('accounts', address), answers.storedAccountResponse, queryOptions),
    /** The service's data about the account's code. The sandbox and small gateways respond with an error. */
    inspect: (address: string, queryOptions?: QueryOptions) =>
      get(`${blockchain('accounts', address)}/inspect`, answers.inspectResponse, queryOptions),
    library: (hash: string, queryOptions?: QueryOptions) =>
      get(blockchain('libraries', hash), answers.libraryResponse, queryOptions),
    /** @param args in the service's form of arguments; older gateways only take the values in the URL */
    runMethod(
      address: string,
      method: string,
      args: readonly MethodArgument[],
      queryOptions?: QueryOptions,
    ) {
      const path = `${blockchain('accounts', address)}/methods/${encodeURIComponent(method)}`
      const values = args.map(({ value }) => value)
      const inUrl = () => get(path, answers.methodResponse, queryOptions, { args: values })
      if (args.length === 0) return inUrl()
      return methods(() => post(path, { args }, answers.methodResponse, queryOptions), inUrl)
    },
    /** Never repeated automatically. */
    async sendMessage(boc: string, queryOptions?: QueryOptions): Promise<void> {
      const path = '/v2/blockchain/message'
      await http.call({ ...queryOptions, method: 'POST', path, body: { boc }, answer: z.unknown() })
    },
    /** @param balances assumed instead of the real ones, in nanotons; a GET could not send them */
    emulateWallet(boc: string, { balances = [], ...asking }: QueryOptions & AssumedBalances = {}) {
      const path = '/v2/wallet/emulate'
      if (balances.length > 0) {
        return post(path, { boc, params: balances }, events.consequencesResponse, asking)
      }
      return emulation(
        () => post(path, { boc }, events.consequencesResponse, asking),
        () => get(path, events.consequencesResponse, asking, { boc }),
      )
    },
    emulateTrace: (boc: string, queryOptions?: QueryOptions) =>
      post('/v2/traces/emulate', { boc }, answers.traceResponse, queryOptions),
  }

  function transactionsOf(address: string): string {
    return `${blockchain('accounts', address)}/transactions`
  }
}

function pageQuery({ beforeLt, afterLt, limit, sortOrder }: TransactionsPage) {
  return { before_lt: beforeLt, after_lt: afterLt, limit, sort_order: sortOrder }
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
      const response = await second().catch((other: unknown) => {
        // Both methods failed: the first error is reported.
        throw isWrongVerb(other) ? error : other
      })
      postFirst = second === post
      return response
    }
  }
}

function isWrongVerb(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status } = (error.data ?? {}) as { readonly status?: number }
  return status === 405 || status === 404
}
