import { create } from 'zustand'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { SearchAnswer } from '../../../../src-preload/contract/chain.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { transactionsHome } from '../../../app/chain-route.ts'
import { navigate, printRoute, useRoute } from '../../../app/route.ts'
import { rememberSearch } from './recent-searches.ts'
import { routeOf } from './targets.ts'

/** The search of the page: one at a time, of one network. */
export type ChainSearch =
  | { readonly status: 'none' }
  | { readonly status: 'asking'; readonly network: NetworkId; readonly text: string }
  | {
      readonly status: 'failed'
      readonly network: NetworkId
      readonly text: string
      readonly error: AppError
    }
  | { readonly status: 'found'; readonly text: string; readonly answer: SearchAnswer }

export const useChainSearch = create<{ search: ChainSearch }>(() => ({
  search: { status: 'none' },
}))

let asked = 0

/**
 * Looks for a hash, an address, a name, a block, an invoice or a link to one of them. A single thing
 * found is opened; several, or none, are told on the page's home. One who has gone elsewhere before
 * the answer came stays there and finds it on that home. Resolves to whether one was opened.
 */
export async function searchChain(network: NetworkId, text: string): Promise<boolean> {
  asked += 1
  const mine = asked
  const place = () => printRoute(useRoute.getState().route)
  const from = place()
  const hasLeft = () => place() !== from
  useChainSearch.setState({ search: { status: 'asking', network, text } })
  try {
    const answer = await request('search.find', { network, text })
    if (mine !== asked) return false
    useChainSearch.setState({ search: { status: 'found', text, answer } })
    if (hasLeft()) return false
    const [only] = answer.targets
    if (only === undefined || answer.targets.length > 1) {
      navigate(transactionsHome)
      return false
    }
    rememberSearch(network, { text, target: only })
    navigate(routeOf(only, network))
    return true
  } catch (error) {
    if (mine !== asked) return false
    useChainSearch.setState({
      search: { status: 'failed', network, text, error: toAppError(error) },
    })
    if (!hasLeft()) navigate(transactionsHome)
    return false
  }
}

/** Also calls off the one under way. */
export function clearSearch(): void {
  asked += 1
  useChainSearch.setState({ search: { status: 'none' } })
}
