/** The query API (gateway-facts 1): one client for the real service, self-hosted ones and the sandbox. */
import { z } from 'zod'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Call, type HttpClient, pathTo } from './http.ts'
import * as events from './event-responses.ts'
import * as responses from './query-responses.ts'

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
  /** The maximum is 1000. */
  readonly limit?: number
  readonly sortOrder?: 'asc' | 'desc'
}

type EventsPage = TransactionsPage & {
  /** The maximum is 100. */
  readonly limit: number
  /** Unix seconds, inclusive. */
  readonly since?: number
  readonly until?: number
}

/** The limit is at most 1000 rows. */
type OffsetPage = Readonly<Record<'offset' | 'limit', number>>

type ChartSpan = Readonly<Record<'token' | 'currency', string> & Record<'from' | 'to', number>>

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
 * `HttpClient.call` does.
 */
export function createQueryClient(http: HttpClient) {
  const requests = createRequests(http)
  return {
    status: (options?: QueryOptions) =>
      requests.get('/v2/status', responses.statusResponse, options),
    ...accountQueries(requests),
    ...assetQueries(requests),
    ...chainQueries(requests),
    /** The request is never repeated automatically. */
    async sendMessage(boc: string, options?: QueryOptions): Promise<void> {
      const path = '/v2/blockchain/message'
      await http.call({ ...options, method: 'POST', path, body: { boc }, answer: z.unknown() })
    },
  }
}

type Requests = ReturnType<typeof createRequests>

/** @param root the beginning of the path of each `get` */
export function createRequests(http: HttpClient, root = '') {
  type Query = Call<z.ZodType>['query']

  const get = <S extends z.ZodType>(
    path: string,
    response: S,
    options?: QueryOptions,
    query: Query = {},
  ) => http.call({ ...options, path: root + path, answer: response, query })

  const post = <S extends z.ZodType>(
    path: string,
    body: unknown,
    answer: S,
    options?: QueryOptions,
    query: Query = {},
  ) => http.call({ ...options, method: 'POST', isIdempotent: true, path, body, answer, query })

  return {
    get,
    post,
    /** Builds a request with one value in its path. */
    by:
      <S extends z.ZodType>(template: string, response: S) =>
      (value: string, options?: QueryOptions) =>
        get(pathTo(template, value), response, options),
    /** Builds a request for one page of a list that belongs to an account. */
    pagesBy:
      <S extends z.ZodType, Page>(template: string, response: S, queryOf: (page: Page) => Query) =>
      (address: string, page: Page, options?: QueryOptions) =>
        get(pathTo(template, address), response, options, queryOf(page)),
  }
}

function accountQueries({ get, post, by, pagesBy }: Requests) {
  const inEitherForm = createEitherForm()
  const transactions = '/v2/blockchain/accounts/{address}/transactions'

  return {
    account: by('/v2/accounts/{address}', responses.accountResponse),
    accountsBulk(
      addresses: readonly string[],
      { currency = null, ...options }: QueryOptions & { readonly currency?: string | null } = {},
    ) {
      const path = '/v2/accounts/_bulk'
      const query = currency === null ? {} : { currency }
      const account_ids = addresses.join(',')
      const response = responses.accountsResponse
      return inEitherForm(
        () => post(path, { account_ids: addresses }, response, options, query),
        () => get(path, response, options, { ...query, account_ids }),
      )
    },
    searchAccounts: (name: string, options?: QueryOptions) =>
      get('/v2/accounts/search', responses.foundAccountsResponse, options, { name }),
    rawAccount: by('/v2/blockchain/accounts/{address}', responses.storedAccountResponse),
    /** Reads account states with code and data; older servers respond 404. */
    rawAccountsBulk(addresses: readonly string[], options?: QueryOptions) {
      const path = '/v2/blockchain/accounts/_bulk'
      return post(path, { account_ids: addresses }, responses.rawAccountsResponse, options)
    },
    accountTransactions: pagesBy(transactions, responses.transactionsResponse, pageQuery),
    accountTransactionRows: pagesBy(transactions, responses.transactionRowsResponse, pageQuery),
    /** `next` of the response is the `beforeLt` of the following page, or null. */
    accountEvents: pagesBy(
      '/v2/accounts/{address}/events',
      events.accountEventsResponse,
      (page: EventsPage) => ({ ...pageQuery(page), start_date: page.since, end_date: page.until }),
    ),
    dnsResolve: by('/v2/dns/{name}/resolve', responses.dnsRecordResponse),
  }
}

function assetQueries({ get, by, pagesBy }: Requests) {
  const offsetQuery = (page: OffsetPage) => page

  return {
    accountJettons: (
      address: string,
      { currency: currencies, ...options }: QueryOptions & { readonly currency?: string } = {},
    ) => {
      const path = pathTo('/v2/accounts/{address}/jettons', address)
      return get(path, responses.jettonBalancesResponse, options, { currencies })
    },
    /** Reads the balance of one jetton; 404 when the account has no wallet of that jetton. */
    accountJetton: (address: string, jetton: string, options?: QueryOptions) => {
      const path = pathTo('/v2/accounts/{address}/jettons/{jetton}', address, jetton)
      return get(path, responses.jettonBalanceResponse, options)
    },
    /** The value is the address of the jetton's master. */
    jetton: by('/v2/jettons/{address}', responses.jettonInfoResponse),
    /** The largest holders come first; the service has only the first 9,000. */
    jettonHolders: pagesBy(
      '/v2/jettons/{address}/holders',
      responses.jettonHoldersResponse,
      offsetQuery,
    ),
    accountNfts: pagesBy('/v2/accounts/{address}/nfts', responses.nftItemsResponse, offsetQuery),
    nft: by('/v2/nfts/{address}', responses.nftItemResponse),
    nftCollection: by('/v2/nfts/collections/{address}', responses.nftCollectionResponse),
    nftCollectionItems: pagesBy(
      '/v2/nfts/collections/{address}/items',
      responses.nftItemsResponse,
      offsetQuery,
    ),
    /** Reads the current rates of at most 100 tokens (`ton`, or the addresses of jetton masters). */
    rates: (tokens: readonly string[], currency: string, options?: QueryOptions) =>
      get('/v2/rates', responses.ratesResponse, options, {
        tokens: tokens.join(','),
        currencies: currency.toLowerCase(),
      }),
    /**
     * Reads at most 200 rates of a token (`ton`, or the address of a jetton's master) in a
     * currency, spread over a span in milliseconds. Empty if the gateway has no rates.
     */
    ratesChart: ({ token, currency, from, to }: ChartSpan, options?: QueryOptions) =>
      get('/v2/rates/chart', responses.ratesChartResponse, options, {
        token,
        currency: currency.toLowerCase(),
        points_count: 200,
        start_date: Math.floor(from / 1000),
        end_date: Math.ceil(to / 1000),
      }),
  }
}

function chainQueries({ get, post, by }: Requests) {
  const emulation = createEitherForm()
  const methods = createEitherForm()

  return {
    /** The hash may belong to the transaction or to one of its messages. */
    transaction: by('/v2/blockchain/transactions/{hash}', responses.transactionResponse),
    transactionByMessage: by(
      '/v2/blockchain/messages/{hash}/transaction',
      responses.transactionResponse,
    ),
    trace: by('/v2/traces/{hash}', responses.traceResponse),
    event: by('/v2/events/{hash}', events.eventResponse),
    block: by('/v2/blockchain/blocks/{id}', responses.blockResponse),
    blockTransactions: by(
      '/v2/blockchain/blocks/{id}/transactions',
      responses.transactionRowsResponse,
    ),
    masterchainShards: (seqno: number, options?: QueryOptions) =>
      get(`/v2/blockchain/masterchain/${seqno}/shards`, responses.shardsResponse, options),
    /** Reads the blocks of all workchains since the previous masterchain block. */
    masterchainBlocks: (seqno: number, options?: QueryOptions) =>
      get(`/v2/blockchain/masterchain/${seqno}/blocks`, responses.blocksResponse, options),
    masterchainHead: (options?: QueryOptions) =>
      get('/v2/blockchain/masterchain-head', responses.blockResponse, options),
    /** @param balances nanotons to assume instead of the real balances; only a POST can send them */
    emulateWallet(boc: string, { balances = [], ...options }: QueryOptions & AssumedBalances = {}) {
      const path = '/v2/wallet/emulate'
      const response = events.consequencesResponse
      if (balances.length > 0) return post(path, { boc, params: balances }, response, options)
      return emulation(
        () => post(path, { boc }, response, options),
        () => get(path, response, options, { boc }),
      )
    },
    emulateTrace: (boc: string, options?: QueryOptions) =>
      post('/v2/traces/emulate', { boc }, responses.traceResponse, options),
    /** The owner and the master are the contract's own claim; null if it is no jetton wallet. */
    jettonWalletData: by(
      '/v2/blockchain/accounts/{address}/methods/get_wallet_data',
      responses.walletDataResponse,
    ),
    /**
     * Reads the service's data about the account's code. The sandbox and small gateways respond
     * with an error.
     */
    inspect: by('/v2/blockchain/accounts/{address}/inspect', responses.inspectResponse),
    library: by('/v2/blockchain/libraries/{hash}', responses.libraryResponse),
    /** @param args arguments in the service's own form; older gateways accept values in the URL only */
    runMethod(
      address: string,
      method: string,
      args: readonly MethodArgument[],
      options?: QueryOptions,
    ) {
      const path = pathTo('/v2/blockchain/accounts/{address}/methods/{method}', address, method)
      const values = args.map(({ value }) => value)
      const inUrl = () => get(path, responses.methodResponse, options, { args: values })
      if (args.length === 0) return inUrl()
      return methods(() => post(path, { args }, responses.methodResponse, options), inUrl)
    },
  }
}

const pageQuery = ({ beforeLt, afterLt, limit, sortOrder }: TransactionsPage) => ({
  before_lt: beforeLt,
  after_lt: afterLt,
  limit,
  sort_order: sortOrder,
})

/**
 * Some operations are documented as POST in one source and as GET in another. If the server refuses
 * one method, the other one is used from then on.
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
