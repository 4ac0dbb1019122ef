import type { Context } from 'hono'
import { formatFriendly, parseAddress } from '../../ton/address.ts'
import { answerJson } from '../http.ts'
import { serializeAccount, serializeWallet } from './account-json.ts'
import { readAccounts } from './blockchain-routes.ts'
import { accountsBody, readBody } from './bodies.ts'
import { ownedJettons } from './owned-jettons.ts'
import { accountParameter, listQuery, pathParameter, queryProblem, refusal } from './parameters.ts'
import type { QueryDeps } from './query-deps.ts'
import { fixedRatesHeader } from './rates.ts'
import type { Route } from './routes.ts'
import { intOf } from './stack.ts'

export function accountRoutes(deps: QueryDeps): Route[] {
  const { chain, contracts, book } = deps

  async function answerAccounts(context: Context, texts: readonly string[]): Promise<Response> {
    const currency = context.req.query('currency')
    const shared = { chain, contracts, book: book() }
    const accounts: object[] = []
    for (const address of readAccounts(texts)) {
      accounts.push(await serializeAccount(address, shared, currency))
    }
    return answerJson({ accounts }, 200, currency === undefined ? {} : fixedRatesHeader)
  }

  async function postAccounts(context: Context): Promise<Response> {
    const { account_ids } = await readBody(context, accountsBody)
    return answerAccounts(context, account_ids)
  }

  async function getAccount(context: Context): Promise<Response> {
    const account = accountParameter(context)
    return answerJson(await serializeAccount(account, { chain, contracts, book: book() }))
  }

  /** Of an address nobody has used, too: it may become one. */
  async function walletVersionAt(address: string, otherwise: string) {
    const contract = await contracts.of(address)
    if (contract.kind === 'wallet') return contract.version
    if (contract.kind === 'none') return null
    throw refusal(otherwise)
  }

  async function getWallet(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const version = await walletVersionAt(account, 'unsupported wallet version')
    const jettons = (await ownedJettons(account, deps)).length
    return answerJson(serializeWallet(account, { chain, book: book() }, { version, jettons }))
  }

  async function getSeqno(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const version = await walletVersionAt(account, 'contract is not a supported wallet')
    if (version === null) return answerJson({ seqno: 0 })
    const result = await chain.runMethod(account, 'seqno', [])
    const seqno = result?.exitCode === 0 ? intOf(result.stack[0]) : null
    if (seqno === null) throw refusal("contract doesn't have a seqno")
    return answerJson({ seqno: Number(seqno) })
  }

  function search(context: Context): Response {
    const name = context.req.query('name')
    if (name === undefined) throw queryProblem('name', 'it is required')
    if (name.length < 3 || name.length > 15)
      throw queryProblem('name', 'it is not 3 to 15 characters long')
    const wanted = name.toLowerCase()
    const found = deps.names.filter((each) => each.name.toLowerCase().startsWith(wanted))
    return answerJson({
      addresses: found.map(({ address, name: known }) => ({
        address,
        name: known,
        preview: '',
        trust: address === deps.usdt ? 'whitelist' : 'none',
      })),
    })
  }

  function parse(context: Context): Response {
    accountParameter(context)
    const { raw, form, isTestOnly } = parseAddress(pathParameter(context, 'account_id'))
    const testOnly = chain.network === 'testnet'
    const printed = (bounceable: boolean) => ({
      b64: formatFriendly(raw, { bounceable, testOnly, urlSafe: false }),
      b64url: formatFriendly(raw, { bounceable, testOnly }),
    })
    return answerJson({
      raw_form: raw,
      bounceable: printed(true),
      non_bounceable: printed(false),
      given_type: form === 'raw' ? 'raw_form' : `friendly_${form}`,
      test_only: isTestOnly,
    })
  }

  return [
    {
      path: '/accounts/_bulk',
      get: (context) => answerAccounts(context, listQuery(context, 'account_ids')),
      post: postAccounts,
    },
    { path: '/accounts/search', get: search },
    { path: '/accounts/:account_id', get: getAccount },
    { path: '/wallet/:account_id/seqno', get: getSeqno },
    { path: '/wallet/:account_id', get: getWallet },
    { path: '/address/:account_id/parse', get: parse },
  ]
}
