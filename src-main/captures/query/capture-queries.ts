import type {
  CaptureView,
  FilterStage,
  QueryPart,
  QueryReading,
} from '../../../src-preload/contract/capture-query.ts'
import { captureQueryCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { TermsReader } from '../store/index/terms.ts'
import type { CaptureViews } from '../store/capture-views.ts'
import type { CaptureIndex } from '../capture-index.ts'
import { type Choices, complete, type NamesDeps, createNames } from './completion.ts'
import { headerKey } from './index-entry.ts'
import { type Part, cutParts } from './parts.ts'
import { isSlow } from './plan.ts'
import { type Query, type SentTerm, sendTerms } from './query.ts'
import { readQuery, requireQuery } from './read-query.ts'

export type CaptureFinder = {
  /**
   * Ascending ids newer than `after`. A page ends after a bounded time, even if empty.
   * @returns `next`: cursor of the next page; null at the end
   * @throws AppError QUERY_INVALID
   */
  ids(text: string, after: number, limit: number): Promise<{ ids: number[]; next: number | null }>
  /** @throws AppError QUERY_INVALID */
  count(text: string): Promise<{ count: number; isExact: boolean }>
}

type CaptureQueriesDeps = NamesDeps & {
  readonly index: Pick<CaptureIndex, 'ask'>
  readonly terms: TermsReader
  readonly views: CaptureViews
  readonly onViewsChanged: () => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type QueryHandlers = Pick<
  Handlers,
  Extract<keyof Handlers, `captureQuery.${string}` | `captureView.${string}`>
>

const maxViews = 100

export function createCaptureQueries(deps: CaptureQueriesDeps) {
  const { index, terms, views } = deps
  const { names, choices: named } = createNames(deps)
  const options = () => ({ now: deps.now(), names, typing: true })
  const choices: Choices = {
    ...named,
    values: (key) => terms.of(key).flatMap(({ value }) => value ?? []),
    headers: () => terms.keys(headerKey('')).map((key) => key.slice(headerKey('').length)),
  }

  /** @throws AppError QUERY_INVALID */
  function read(text: string): SentTerm[] {
    return sendTerms(requireQuery(text, options()).terms)
  }

  function readAloud(
    text: string,
    cursor: number | undefined,
    stage: FilterStage | undefined,
  ): QueryReading {
    const query = readQuery(text, stage === undefined ? options() : { ...options(), stage })
    const parts = cutParts(text).parts.map((part) => toPart(text, part, query))
    const completion =
      cursor === undefined
        ? { from: 0, to: 0, choices: [] }
        : complete(text, Math.min(cursor, text.length), choices, stage)
    return { parts, problems: [...query.problems], completion }
  }

  function toPart(text: string, part: Part, query: Query): QueryPart {
    const { from, to, negated, field, valueFrom } = part
    const term = query.terms.find((each) => each.from === from)
    return {
      from,
      to,
      kind: field === null ? 'words' : 'term',
      field,
      value: text.slice(valueFrom, to),
      negated,
      slow: term !== undefined && isSlow(term, (key) => terms.of(key)),
    }
  }

  const finder: CaptureFinder = {
    async ids(text, after, limit) {
      const question = { terms: read(text), after, before: null, newestFirst: false, limit }
      const { ids, next } = await index.ask('search', question)
      return { ids: [...ids], next }
    },
    count: (text) => index.ask('count', { terms: read(text) }),
  }

  async function countOf({ id, text }: CaptureView) {
    try {
      const { count, isExact } = await finder.count(text)
      return { id, count: isExact ? count : null }
    } catch {
      // A label in the query may have been deleted.
      return { id, count: null }
    }
  }

  const handlers: QueryHandlers = {
    'captureQuery.read': ({ text, cursor, stage }) => readAloud(text, cursor, stage),
    'captureQuery.count': ({ query }) => finder.count(query.text),
    async 'captureQuery.histogram'({ query, from, to, buckets }) {
      const sent = read(query.text)
      if (to <= from) return { buckets: [], isExact: true }
      return index.ask('histogram', { terms: sent, from, to, buckets })
    },
    'captureView.list': () => views.all(),
    'captureView.save'({ id, name, text }) {
      read(text)
      const saved = id === null ? addView(name, text) : replaceView({ id, name, text })
      deps.onViewsChanged()
      return saved
    },
    'captureView.remove'({ id }) {
      if (!views.remove(id)) throw viewUnknown()
      deps.onViewsChanged()
      return {}
    },
    async 'captureView.counts'() {
      const counts = []
      for (const view of views.all()) counts.push(await countOf(view))
      return counts
    },
  }

  function addView(name: string, text: string): CaptureView {
    if (views.all().length >= maxViews) {
      throw new AppError(
        captureQueryCodes.viewsFull,
        `There are ${maxViews} views already. Remove one that you do not need any more.`,
      )
    }
    return { id: views.add({ name, text }), name, text }
  }

  function replaceView(view: CaptureView): CaptureView {
    if (!views.replace(view)) throw viewUnknown()
    return view
  }

  return { handlers, finder, read }
}

function viewUnknown(): AppError {
  return new AppError(captureQueryCodes.viewUnknown, 'This view is not there any more.')
}
