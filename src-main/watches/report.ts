/** Reports matches of watched accounts as notices or incidents. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { countOf } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import type { WatchState } from './state.ts'
import type { WatchStore } from './store/watches.ts'

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
