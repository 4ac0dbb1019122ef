import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { type ChunkSize, readLimit } from '../../jobs/chunk-size.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { OpenItem } from '../store/changes.ts'

/**
 * Number of consecutive failures of one request before smaller ones are tried, or of one item
 * before it is skipped.
 */
const maxFailures = 3
/**
 * If this many items are refused and none is accepted, the change fails, because the items are not
 * the cause.
 */
const maxRefusedAtFirst = 5

/** An item that failed repeatedly. It counts as failed once other items are accepted. */
type Doubtful = {
  readonly index: number
  readonly reason: string
  readonly acceptedBefore: number
  isPassedOver: boolean
}

/** The result of a failed request for its items. */
type Failure = {
  /** Items that the gateway refuses. */
  readonly refused: readonly OpenItem[]
  /** Items that the gateway has not changed. */
  readonly untouched: readonly OpenItem[]
  /** The items may be in effect, which the gateway's state shows. */
  readonly isUnclear: boolean
  /** The next request must wait for the gateway or the user. */
  readonly mustWait: boolean
  readonly message: string
}

/**
 * Selects the items of each request. It finds refused items by halving a refused request, and items
 * on which the gateway fails by trying the items after them.
 * @param accepted the number of items that earlier runs applied
 */
export function createItemSelection(chunk: ChunkSize, accepted: number) {
  const narrowing = createNarrowing(chunk)
  let doubtful: Doubtful | null = null
  let failures = 0
  let refusals = 0
  /** Index of an item that was refused with 404 or 409, which may mean that it is already in effect. */
  let suspect = -1

  function narrow(items: readonly OpenItem[]): void {
    if (items.length > 1) narrowing.refused(items.length, items.at(-1)?.index ?? 0)
  }

  /**
   * The gateway failed on this request. The items after the first one show whether it fails on
   * every request.
   */
  function doubt(items: readonly OpenItem[], reason: string, isLast: boolean): void {
    failures += 1
    const [first] = items
    if (doubtful !== null) doubtful.isPassedOver = !doubtful.isPassedOver
    else if (first !== undefined && items.length === 1 && failures >= maxFailures) {
      const acceptedBefore = isLast ? 0 : accepted
      doubtful = { index: first.index, reason, acceptedBefore, isPassedOver: !isLast }
    }
  }

  function findRefused(items: readonly OpenItem[], message: string): readonly OpenItem[] {
    const limit = readLimit(message)
    if (limit !== null && limit < items.length) {
      chunk.told(limit)
      return []
    }
    const isNamed = ({ subject }: OpenItem) => subject !== '' && message.includes(subject)
    const found = items.length === 1 ? items : items.filter(isNamed)
    refusals += found.length
    if (found.length === 0) narrow(items)
    else narrowing.spoilt()
    return found
  }

  return {
    /** Returns the items for one request, in order: accounts of one webhook, or one other item. */
    next(readOpen: (limit: number) => OpenItem[]): OpenItem[] {
      const size = narrowing.size()
      const open = readOpen(size + 1)
      if (doubtful?.index !== open[0]?.index) doubtful = null
      if (doubtful?.isPassedOver === true && open.length > 1) open.shift()
      const some = open.slice(0, size)
      const end = some.findIndex((item, at) => at > 0 && !isAlike(item, some[0]))
      return end === -1 ? some : some.slice(0, end)
    },
    /** Returns why the item is not sent again; null if it is. */
    whyGivenUp({ index }: OpenItem): string | null {
      if (doubtful?.index !== index || accepted <= doubtful.acceptedBefore) return null
      const { reason } = doubtful
      doubtful = null
      return reason
    },
    accepted(items: readonly OpenItem[]): void {
      failures = 0
      accepted += items.length
      if (doubtful?.index === items[0]?.index) doubtful = null
      else if (doubtful !== null) doubtful.isPassedOver = false
      narrowing.accepted(items.length, items.at(-1)?.index ?? 0)
    },
    failed(items: readonly OpenItem[], error: unknown, isLast: boolean): Failure {
      const refusal = readRefusal(error)
      const { kind, message } = refusal
      const { status } = ((error as AppError).data ?? {}) as TroubleData
      const unclear = { refused: [], untouched: [], isUnclear: true, message }
      if (refusal.kind === 'passing') {
        if (refusal.isOwn) doubt(items, message, isLast)
        if (refusal.isTimeout || failures >= maxFailures) narrow(items)
        // A response of 429 means that the gateway changed nothing.
        if (status !== 429) return { ...unclear, mustWait: true }
      }
      const mayBeInEffect = status === 404 || status === 409
      if (mayBeInEffect && items[0]?.index !== suspect) {
        suspect = items[0]?.index ?? -1
        return { ...unclear, mustWait: false }
      }
      const mustWait = kind !== 'request' && !mayBeInEffect
      const refused = mustWait ? [] : findRefused(items, message)
      const untouched = items.filter((item) => !refused.includes(item))
      return { refused, untouched, isUnclear: false, mustWait, message }
    },
    acceptsNone: () => accepted === 0 && refusals >= maxRefusedAtFirst,
  }
}

const isAlike = (one: OpenItem, other: OpenItem | undefined): boolean =>
  one.what === 'account' &&
  one.what === other?.what &&
  one.webhook === other.webhook &&
  one.act === other.act

/** Sends items in chunks, and halves a refused chunk until the reason is found. */
function createNarrowing(chunk: ChunkSize) {
  let limit = Infinity
  /** The refused chunk. If the gateway accepts its items in smaller chunks, the chunk was too large. */
  let suspect: { readonly length: number; readonly last: number; isClean: boolean } | null = null

  return {
    size: () => Math.max(1, Math.min(chunk.current(), limit)),
    refused(length: number, last: number): void {
      if (suspect === null || last > suspect.last) suspect = { length, last, isClean: true }
      limit = Math.ceil(length / 2)
    },
    /** Call this when an item of the refused chunk was refused alone. */
    spoilt(): void {
      if (suspect !== null) suspect.isClean = false
    },
    accepted(length: number, last: number): void {
      chunk.accepted(length)
      if (suspect === null) return
      limit = Math.min(limit * 2, Math.ceil(suspect.length / 2))
      if (last < suspect.last) return
      if (suspect.isClean) chunk.tooLarge(suspect.length)
      suspect = null
      limit = Infinity
    },
  }
}
