import type { Context } from 'hono'
import type { Chain } from '../chain/chain.ts'
import { type AccountBook, type NamedAccount, createAccountBook } from './account-book.ts'
import { type Contracts, createContracts } from './contracts.ts'
import type { EventDeps } from './event-json.ts'
import { type Jettons, createJettons } from './jettons.ts'

/** What the routes share. */
export type QueryDeps = {
  readonly chain: Chain
  readonly contracts: Contracts
  readonly jettons: Jettons
  /** Raw address of the USDT master. */
  readonly usdt: string
  readonly names: readonly NamedAccount[]
  /** A new one for each answer. */
  readonly book: () => AccountBook
  readonly eventDeps: (context: Context) => EventDeps
}

export function createQueryDeps(
  chain: Chain,
  usdt: string,
  names: readonly NamedAccount[],
): QueryDeps {
  const contracts = createContracts(chain)
  const jettons = createJettons(chain, usdt)
  const byAddress = new Map(names.map(({ address, name }) => [address, name]))
  const book = () => createAccountBook(chain, byAddress)
  return {
    chain,
    contracts,
    jettons,
    usdt,
    names,
    book,
    eventDeps: (context) => ({ book: book(), contracts, jettons, language: languageOf(context) }),
  }
}

/** Russian where it is asked for before English; else English. */
function languageOf(context: Context): 'en' | 'ru' {
  const [first = ''] = (context.req.header('accept-language') ?? '').split(',')
  return /^\s*ru\b/i.test(first) ? 'ru' : 'en'
}
