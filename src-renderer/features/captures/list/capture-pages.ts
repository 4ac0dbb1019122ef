import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'

/**
 * One fetched stretch of the list. When it is far from what is seen its rows are let go, and what
 * is left (its bounds and length) keeps the list's height and says how to fetch it again.
 */
export type CapturePage = {
  /** Ids of its first and last row: newest first, so `top >= floor`. */
  readonly top: number
  readonly floor: number
  readonly count: number
  readonly rows: readonly CaptureRow[] | null
}

/** Newest first, without gap or overlap. */
export type CapturePages = readonly CapturePage[]

/** Rows a page may grow to when few new ones at a time are put before it. */
const pageRows = 200

export function pageOf(rows: readonly CaptureRow[]): CapturePages {
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return []
  return [{ top: first.id, floor: last.id, count: rows.length, rows }]
}

export function countRows(pages: CapturePages): number {
  return pages.reduce((sum, page) => sum + page.count, 0)
}

export function newestId(pages: CapturePages): number | null {
  return pages[0]?.top ?? null
}

/** Puts older rows at the end; what overlaps is dropped. */
export function appendOlder(pages: CapturePages, rows: readonly CaptureRow[]): CapturePages {
  const floor = pages.at(-1)?.floor ?? Number.POSITIVE_INFINITY
  return [...pages, ...pageOf(rows.filter((row) => row.id < floor))]
}

/** Puts newer rows at the head; what overlaps is dropped. */
export function prependNewer(pages: CapturePages, rows: readonly CaptureRow[]): CapturePages {
  const newer = rows.filter((row) => row.id > (newestId(pages) ?? 0))
  if (newer.length === 0) return pages
  const head = pages[0]
  if (head?.rows && head.count + newer.length <= pageRows) {
    return [...pageOf([...newer, ...head.rows]), ...pages.slice(1)]
  }
  return [...pageOf(newer), ...pages]
}

/** Gives a page its rows (again). Rows deleted since make it shorter, or go with it. */
export function fillPage(
  pages: CapturePages,
  page: CapturePage,
  answer: readonly CaptureRow[],
): CapturePages {
  const rows = answer.filter((row) => row.id <= page.top && row.id >= page.floor)
  return pages.flatMap((known) =>
    known.top === page.top && known.floor === page.floor ? pageOf(rows) : [known],
  )
}

/** Replaces rows by newer versions of themselves; pages without a change stay the same object. */
export function patchRows(pages: CapturePages, fresh: readonly CaptureRow[]): CapturePages {
  const byId = new Map(fresh.map((row) => [row.id, row]))
  return mapRows(pages, (row) => byId.get(row.id) ?? row)
}

export function mapRows(
  pages: CapturePages,
  change: (row: CaptureRow) => CaptureRow,
): CapturePages {
  return pages.map((page) => {
    if (page.rows === null) return page
    const rows = page.rows.map(change)
    return rows.some((row, index) => row !== page.rows?.[index]) ? { ...page, rows } : page
  })
}

/** Takes rows out. A page whose rows were let go cannot tell, and finds out when it is fetched. */
export function removeRows(pages: CapturePages, ids: ReadonlySet<number>): CapturePages {
  return pages.flatMap((page) => {
    if (page.rows === null || !page.rows.some((row) => ids.has(row.id))) return [page]
    return pageOf(page.rows.filter((row) => !ids.has(row.id)))
  })
}

/** Lets go of the rows farthest from what is seen until at most `mostRows` are held. */
export function evictFar(
  pages: CapturePages,
  firstSeen: number,
  lastSeen: number,
  mostRows: number,
): CapturePages {
  let held = pages.reduce((sum, page) => sum + (page.rows === null ? 0 : page.count), 0)
  if (held <= mostRows) return pages
  const middle = (firstSeen + lastSeen) / 2
  const byDistance = placesOf(pages)
    .filter(({ page, from, to }) => page.rows !== null && (to <= firstSeen || from > lastSeen))
    .sort((a, b) => Math.abs(b.from - middle) - Math.abs(a.from - middle))
  const evicted = new Set<CapturePage>()
  for (const { page } of byDistance) {
    if (held <= mostRows) break
    evicted.add(page)
    held -= page.count
  }
  return pages.map((page) => (evicted.has(page) ? { ...page, rows: null } : page))
}

/** Pages that hold any of these indexes. */
export function pagesBetween(pages: CapturePages, first: number, last: number): CapturePage[] {
  return placesOf(pages)
    .filter(({ from, to }) => to > first && from <= last)
    .map(({ page }) => page)
}

/** The row at an index; null where its page's rows were let go, or past the end. */
export function rowAt(pages: CapturePages, index: number): CaptureRow | null {
  let from = 0
  for (const page of pages) {
    if (index < from + page.count) return page.rows?.[index - from] ?? null
    from += page.count
  }
  return null
}

/** Rows of these indexes that are there. */
export function rowsBetween(pages: CapturePages, first: number, last: number): CaptureRow[] {
  const found: CaptureRow[] = []
  for (const { page, from } of placesOf(pages)) {
    if (page.rows === null) continue
    found.push(...page.rows.slice(Math.max(0, first - from), Math.max(0, last + 1 - from)))
  }
  return found
}

/** Index of a row that is held; -1 where it is not. */
export function indexOfId(pages: CapturePages, id: number): number {
  let from = 0
  for (const page of pages) {
    if (id <= page.top && id >= page.floor) {
      const within = page.rows?.findIndex((row) => row.id === id) ?? -1
      return within < 0 ? -1 : from + within
    }
    from += page.count
  }
  return -1
}

function placesOf(pages: CapturePages): { page: CapturePage; from: number; to: number }[] {
  let from = 0
  return pages.map((page) => {
    const place = { page, from, to: from + page.count }
    from = place.to
    return place
  })
}
