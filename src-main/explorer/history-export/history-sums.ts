/** Checks whether the rows of an asset add up to its change of balance, as numbers and as a sentence. */
import type { HistoryView } from '../../../src-preload/contract/chain/account.ts'
import { countOf } from '../../../src-preload/domain/time-span.ts'
import { formatFriendly } from '../../ton/address.ts'
import { describeRepetition } from '../../gateway/transaction-chain.ts'
import type { AssetSums, HistoryExportStore, HistoryJob, Source } from './store/history-exports.ts'

/** Amounts in minimal units; null while unknown. */
export function sumsOf(sums: AssetSums, source: Source, view: HistoryView) {
  const { balance, later, received, sent, fees, asset } = sums
  const change = BigInt(received) - BigInt(sent) - BigInt(fees)
  const closing = balance === null ? null : BigInt(balance) - BigInt(later)
  if (closing === null) return { opening: null, closing, difference: null, reason: null }
  const derived = closing - change
  const opening = openingOf(asset, source)
  const missing = whyIncomplete(source, view)
  if (opening === null) {
    return { opening: derived, closing, difference: null, reason: missing ?? whyUnknown(source) }
  }
  const difference = closing - opening - change
  // The missing rows may have moved the same amount in both directions.
  if (difference === 0n) {
    return { opening, closing, difference: missing === null ? 0n : null, reason: missing }
  }
  return { opening, closing, difference, reason: missing ?? whyOf(source, view) }
}

const nounOf = (view: HistoryView) => (view === 'events' ? 'event' : 'transaction')
const someOf = (count: number, noun: string) => (count === 1 ? `One ${noun}` : countOf(count, noun))

/** Why transactions or events are missing; null if none is missing. */
function whyIncomplete(source: Source, view: HistoryView): string | null {
  const { ended, gap, gaps, unread, beforeLt, unlinked } = source
  const noun = nounOf(view)
  if (gap !== null) {
    return gaps === 1 ? gap : `${gap} Transactions are missing in ${countOf(gaps, 'place')}.`
  }
  if (ended === 'repeated') return describeRepetition(beforeLt ?? '0', noun)
  if (unread > 0) {
    const whose = unread === 1 ? 'its' : 'their'
    return `${someOf(unread, noun)} could not be read, so ${whose} amounts are missing.`
  }
  return unlinked === 0
    ? null
    : 'The gateway does not name the previous transactions, so it is unknown whether any are missing.'
}

/** The balance before the first row as the gateway reports it; null if it does not report one. */
function openingOf(asset: string, { ended, opening }: Source): bigint | null {
  if (asset === 'TON' && opening !== null) return BigInt(opening)
  return ended === 'beginning' ? 0n : null
}

function whyUnknown({ ended }: Source): string {
  return ended === 'period'
    ? 'The gateway reports only present balances of this asset, so its sum was not compared with the balance at the start of the period. Export the whole history to compare it.'
    : 'The gateway has no older transactions, so the balance before them is unknown.'
}

function whyOf(
  { differsAt, ended, inProgress, jetton, newestLt }: Source,
  view: HistoryView,
): string {
  if (view === 'events') {
    if (inProgress > 0) {
      return 'An event was not complete when it was read. Export the history again to have its final amounts.'
    }
    if (ended === 'period') {
      return 'The gateway left out an event or an amount, or an event that began before the period ended in it. An export of transactions has the exact amounts.'
    }
    return 'The gateway left out an event or an amount, because it did not recognize it. An export of transactions has the exact amounts.'
  }
  if (newestLt === null) return 'The gateway has no transactions of it, although it has a balance.'
  if (differsAt !== null) {
    return `The balance after transaction ${differsAt} is not what the next transaction began with: the gateway left out a transaction, or reports a wrong amount.`
  }
  if (jetton !== null) {
    return 'The jetton wallet changes its balance in a way that the jetton standard does not define, or the gateway left out a transaction.'
  }
  return 'The gateway left out a transaction, or reports a wrong balance.'
}

/** Notes about data that is missing in the file. */
export function notesOf(
  sources: readonly Source[],
  unreadJettons: number,
  view: HistoryView,
  testOnly: boolean,
): string[] {
  const [account] = sources
  const notes: string[] = []
  const inProgress = account?.inProgress ?? 0
  if (inProgress > 0) {
    const which = `${someOf(inProgress, 'event')} ${inProgress === 1 ? 'was' : 'were'}`
    notes.push(
      `${which} not complete when read. Export the history again to have the final amounts.`,
    )
  }
  if (account?.ended === 'pruned') {
    const since = account.beforeLt === null ? '' : ` before logical time ${account.beforeLt}`
    notes.push(
      `The gateway has pruned the older part of this history: it has no transactions${since}, although the account had some. The file begins there.`,
    )
  }
  for (const source of sources) {
    const { idx, gap, ended, unlinked, address } = source
    if (gap === null && ended !== 'repeated' && unlinked === 0) continue
    const where =
      idx === 0
        ? ''
        : ` (Jetton wallet ${formatFriendly(address, { bounceable: true, testOnly })}.)`
    notes.push(`${whyIncomplete(source, view)}${where}`)
  }
  const wallets = sources.filter(({ idx, ended }) => idx > 0 && ended === 'pruned').length
  if (wallets > 0) {
    const which = someOf(wallets, 'jetton wallet').toLowerCase()
    notes.push(`The gateway has pruned older transactions of ${which}.`)
  }
  const unread = sources.reduce((sum, each) => sum + each.unread, 0)
  if (unread > 0) {
    const why = sources.find(({ unreadWhy }) => unreadWhy !== null)?.unreadWhy ?? ''
    const which = someOf(unread, nounOf(view))
    const have = unread === 1 ? 'has' : 'have'
    notes.push(`${which} could not be read and ${have} no rows. The first: ${why}`)
  }
  if (unreadJettons > 0) {
    const which = someOf(unreadJettons, 'jetton')
    notes.push(`${which} of the account could not be parsed, so the file lacks its transfers.`)
  }
  return notes
}

/** The sentence at the end of the job if data is missing or a sum differs; null otherwise. */
export function describeSums(store: HistoryExportStore, { id, view }: HistoryJob): string | null {
  const sources = new Map(store.sources(id).map((source) => [source.idx, source]))
  const isIncomplete = [...sources.values()].some(
    ({ gaps, ended, unread }) => gaps > 0 || ended === 'repeated' || unread > 0,
  )
  if (isIncomplete) {
    return 'The history is incomplete, because the gateway did not return every part. The notes below name the missing parts.'
  }
  const differing = store.assets(id).filter((sums) => {
    const source = sources.get(sums.source)
    return source !== undefined && (sumsOf(sums, source, view).difference ?? 0n) !== 0n
  })
  if (differing.length === 0) return null
  const names = listSome(differing.map(({ symbol }) => symbol))
  return `The rows do not add up to the change of balance for ${names}. The table below says by how much and why.`
}

export function ratesNote(store: HistoryExportStore, { id, fiat }: HistoryJob): string[] {
  const names = fiat === null ? [] : store.withoutRates(id)
  if (names.length === 0) return []
  const shown = listSome(names)
  return [`The gateway has no rates in ${fiat} of ${shown}, so that their rows have no value.`]
}

function listSome(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}
