/** Reports matches of watched accounts as notices or incidents. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { countOf } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import type { WatchStore, StoredWatch, WatchSource } from './store/watches.ts'
import type { AcceptedBulk } from '../chain/heads.ts'
import type { QueryOptions } from '../gateway/query.ts'
import type { Backoff } from '../jobs/backoff.ts'

/** An incident ends when no transaction has matched for this time. */
const quietMs = 10 * 60_000

export type WatchReports = ReturnType<typeof createWatchReports>

export function createWatchReports(
  { incidents, nameAccount, notices, now }: AppContext,
  store: WatchStore,
  state: WatchState,
) {
  /** The number of matches in the notice of each watch. */
  const shown = new Map<number, number>()
  const matchedAt = new Map<number, number>()
  const startedAt = now()

  function report(): void {
    for (const watch of state.watches()) {
      const { id, network, lastMatch, matches, told, isPaused } = watch
      const since = matches - told
      if (isPaused || since <= 0) continue
      const subject = `watch:${id}`
      const title = `Watched account ${nameAccount(network, watch)}: ${countOf(since, 'transaction')} matched`
      const cause =
        lastMatch === null ? '' : `The last one: ${lastMatch.what}, transaction ${lastMatch.hash}.`
      const before = shown.get(id)
      const isNotice = watch.report === 'notice'
      const isDismissed = isNotice && !notices.list().some((each) => each.id === noticeOf(id))
      const isQuiet = !isNotice && now() - (matchedAt.get(id) ?? startedAt) > quietMs
      // A report that was not dismissed and is not over is shown again after a restart, with its
      // number of matches.
      if (watch.report === 'none' || (before === matches && (isDismissed || isQuiet))) {
        shown.delete(id)
        store.setTold(id, matches)
        if (isQuiet) incidents.report(network, subject, { condition: null })
        state.refresh()
      } else if (before !== matches) {
        shown.set(id, matches)
        if (isNotice) {
          const notice = { id: noticeOf(id), level: 'info', title, dismissible: true } as const
          notices.raise({ ...notice, detail: cause })
        } else if (watch.report === 'incident') {
          const nextStep = 'Open Explorer › Watched for the transaction and its capture.'
          incidents.report(network, subject, {
            condition: { kind: 'matched', level: 'warning', title, cause, nextStep },
          })
        }
      }
    }
  }

  /** Ends the reports of a watch that was changed, paused or removed. */
  function withdraw(id: number): void {
    shown.delete(id)
    notices.clear(noticeOf(id))
    state.refresh()
    const others = state.watches().filter((each) => each.id !== id && each.report === 'incident')
    for (const network of new Set([...state.watchedNetworks(), ...state.networks()])) {
      const subjects = others.flatMap((each) =>
        each.network === network ? `watch:${each.id}` : [],
      )
      incidents.keepOnly(network, 'watch', subjects)
    }
  }

  return {
    report,
    withdraw,
    matched: (id: number) => void matchedAt.set(id, now()),
    forget(network: NetworkId): void {
      for (const { id } of state.watches().filter((each) => each.network === network)) {
        notices.clear(noticeOf(id))
        shown.delete(id)
      }
      incidents.keepOnly(network, 'watch')
    },
  }
}

const noticeOf = (id: number) => `watch.${id}`

/** The state of watched accounts since the start; it is not stored, and is loaded again after a restart. */

/** Number of transactions per page, and initially of accounts per check. */
export const pageSize = 100

export type Requesting = { readonly signal: AbortSignal; readonly backoff: Backoff }

export const queryOptionsOf = (signal: AbortSignal): QueryOptions => ({
  signal,
  priority: 'job',
  owner: 'watches',
})

type SourceState = {
  isBehind: boolean
  /** Number of transactions read since the source was last up to date. */
  read: number
  newestLt: string | null
  activity: number
  olderSince: number | null
  problem: string | null
  nudgedAt: number
}

type NetworkState = {
  readonly accepted: AcceptedBulk
  /** False if the gateway cannot list which accounts have changed. */
  hasBulk: boolean
  nextAt: number
  checkedAt: number | null
}

export type WatchState = ReturnType<typeof createWatchState>

export function createWatchState(store: WatchStore) {
  const states = new Map<NetworkId, NetworkState>()
  const sources = new Map<string, SourceState>()
  let listed: StoredWatch[] | null = null
  let hasChanged = false
  const keyOf = ({ watch, address }: WatchSource) => `${watch} ${address}`

  /** A burst of matches changes many watches, so the list is read again only once. */
  const watches = (): StoredWatch[] => (listed ??= store.list())

  function stateOf(network: NetworkId): NetworkState {
    const accepted = { chunk: pageSize, hasLogicalTimes: true }
    const state = states.get(network) ?? { accepted, hasBulk: true, nextAt: 0, checkedAt: null }
    states.set(network, state)
    return state
  }

  function sourceState(source: WatchSource): SourceState {
    const none = { newestLt: null, activity: -1, olderSince: null, problem: null, nudgedAt: 0 }
    const state = sources.get(keyOf(source)) ?? { isBehind: false, read: 0, ...none }
    sources.set(keyOf(source), state)
    return state
  }

  return {
    keyOf,
    network: stateOf,
    source: sourceState,
    watches,
    networks: () => states.keys(),
    watchedNetworks: () => new Set(watches().map(({ network }) => network)),
    /** Call this when the stored watches have changed. */
    refresh(): void {
      listed = null
      hasChanged = true
    },
    changed(): void {
      hasChanged = true
    },
    /** @returns whether there was a change since the last call */
    takeChange(): boolean {
      const before = hasChanged
      hasChanged = false
      return before
    },
    forget(network: NetworkId): void {
      states.delete(network)
      sources.clear()
    },
  }
}
