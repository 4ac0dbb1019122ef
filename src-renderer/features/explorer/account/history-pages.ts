import type { HistoryPage, HistoryRow } from '../../../../src-preload/contract/chain.ts'

/** The part of an account's history that is in the window, newest first. */
export type HistoryPages = {
  readonly rows: readonly HistoryRow[]
  /** Newer ones that gather while the list is being read. */
  readonly waiting: readonly HistoryRow[]
  readonly older: string | null
  readonly newer: string | null
  /** Transactions read for these rows: with a filter, more than are shown. */
  readonly scanned: number
  /** The oldest transaction read is the account's first. */
  readonly isBeginning: boolean
  /** Why transactions could not be read, one each. */
  readonly unread: readonly string[]
  /** Why it comes from this computer's store; null when it does not. */
  readonly offline: string | null
  /** The last older page brought nothing, though there are more: going on is the person's choice. */
  readonly isSparse: boolean
}

export function firstPage(page: HistoryPage): HistoryPages {
  return {
    rows: page.rows,
    waiting: [],
    older: page.older,
    newer: page.newer ?? page.rows[0]?.lt ?? null,
    scanned: page.scanned,
    isBeginning: page.isBeginning,
    unread: page.unread,
    offline: page.offline,
    isSparse: page.rows.length === 0 && page.older !== null,
  }
}

export function withOlder(pages: HistoryPages, page: HistoryPage): HistoryPages {
  return {
    ...pages,
    rows: [...pages.rows, ...unknownOf(page.rows, pages.rows)],
    older: page.older,
    scanned: pages.scanned + page.scanned,
    isBeginning: page.isBeginning,
    unread: [...pages.unread, ...page.unread],
    isSparse: page.rows.length === 0 && page.older !== null,
  }
}

/** `show`: straight into the list, for one who looks at its top. */
export function withNewer(pages: HistoryPages, page: HistoryPage, show: boolean): HistoryPages {
  const fresh = unknownOf(page.rows, [...pages.waiting, ...pages.rows])
  const waiting = [...fresh, ...pages.waiting]
  const next = {
    ...pages,
    waiting,
    newer: page.newer ?? page.rows[0]?.lt ?? pages.newer,
    scanned: pages.scanned + page.scanned,
    unread: [...page.unread, ...pages.unread],
    offline: page.offline,
  }
  return show ? showWaiting(next) : next
}

export function showWaiting(pages: HistoryPages): HistoryPages {
  if (pages.waiting.length === 0) return pages
  return { ...pages, rows: [...pages.waiting, ...pages.rows], waiting: [] }
}

/** Pages may overlap where one moved on while the other was read. */
function unknownOf(
  rows: readonly HistoryRow[],
  known: readonly HistoryRow[],
): readonly HistoryRow[] {
  const hashes = new Set(known.map(({ hash }) => hash))
  return rows.filter(({ hash }) => !hashes.has(hash))
}
