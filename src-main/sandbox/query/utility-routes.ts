import type { Context } from 'hono'
import { readAddress } from '../../ton/address.ts'
import { answerJson } from '../http.ts'
import { listQuery, notFound, queryProblem, refusal } from './parameters.ts'
import type { QueryDeps } from './query-deps.ts'
import { fixedRatesHeader, serializeTokenRates, tonRates, usdtRate } from './rates.ts'
import type { Route } from './routes.ts'

const maxTokens = 100

export function utilityRoutes({ chain, usdt }: QueryDeps): Route[] {
  function status(): Response {
    const head = chain.head()
    return answerJson({
      rest_online: true,
      indexing_latency: 0,
      last_known_masterchain_seqno: head.seqno,
    })
  }

  function rates(context: Context): Response {
    const tokens = requiredList(context, 'tokens')
    const currencies = requiredList(context, 'currencies').map((each) => each.toUpperCase())
    if (tokens.length > maxTokens || currencies.length > maxTokens) {
      throw refusal(`max params limit is ${maxTokens} items`)
    }
    const known = tokens.flatMap((token) => {
      const rateIn = rateOf(token)
      return rateIn === null
        ? []
        : [[nameOf(token), serializeTokenRates(currencies, rateIn)] as const]
    })
    return answerJson({ rates: Object.fromEntries(known) }, 200, fixedRatesHeader)
  }

  /** Null for what nobody trades here. */
  function rateOf(token: string): ((currency: string) => number | undefined) | null {
    if (readAddress(token)?.raw === usdt) return usdtRate
    return isTon(token) ? (currency) => tonRates.get(currency) : null
  }

  return [
    { path: '/status', get: status },
    { path: '/rates', get: rates },
    {
      path: '/dns/:domain_name/resolve',
      get: () => {
        // Nobody has registered anything here.
        throw notFound()
      },
    },
  ]
}

function requiredList(context: Context, name: string): string[] {
  if (context.req.query(name) === undefined) throw queryProblem(name, 'it is required')
  const list = listQuery(context, name)
  if (list.length === 0) throw refusal(`${name} is required param`)
  return list
}

function isTon(token: string): boolean {
  return /^(ton|gram)$/i.test(token)
}

/** TON in capitals, an address as it was asked for. */
function nameOf(token: string): string {
  return isTon(token) ? token.toUpperCase() : token
}
