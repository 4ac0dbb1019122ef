import type {
  CaptureView,
  QueryPart,
  QueryReading,
} from '../../../src-preload/contract/capture-query.ts'
import { captureQueryCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { AppContext } from '../../app/context.ts'
import { createSavedViews } from '../../database/saved-views.ts'
import { createTermsReader } from '../store/index/terms.ts'
import type { CaptureLog } from '../capture-log.ts'
import { type Choices, completeQuery, type NamesDeps, createNames } from './completion.ts'
import { headerKey } from './index-entry.ts'
import { splitQuery } from './split-query.ts'
import { isSlowTerm } from './plan.ts'
import { type SentTerm, sendTerms } from './query.ts'
import { readQuery, requireQuery } from './read-query.ts'

export type CaptureFinder = ReturnType<typeof createCaptureQueries>['finder']

type QueryHandlers = Pick<
  Handlers,
  Extract<keyof Handlers, `captureQuery.${string}` | `captureView.${string}`>
>

const maxViews = 100

export function createCaptureQueries(
  { database, events, now }: AppContext,
  { captures, index, indexDatabase }: CaptureLog,
  naming: NamesDeps,
) {
  const terms = createTermsReader(indexDatabase)
  const views = createSavedViews<CaptureView>(
    database,
    ['capture_views', 'name, query AS text'],
    {},
    [captureQueryCodes.viewUnknown, 'This view no longer exists.'],
    () => events.emit('captureView.changed', {}),
  )
  const { names, choices: named } = createNames(naming)
  const options = () => ({ now: now(), names, typing: true })
  const choices: Choices = {
    ...named,
    values: (key) => terms.of(key).flatMap(({ value }) => value ?? []),
    headers: () => terms.keys(headerKey('')).map((key) => key.slice(headerKey('').length)),
  }

  /** Parses a query. @throws AppError QUERY_INVALID */
  const read = (text: string): SentTerm[] => sendTerms(requireQuery(text, options()).terms)

  function readAloud({ text, cursor, stage }: Parsed<'captureQuery.read'>): QueryReading {
    const query = readQuery(text, stage === undefined ? options() : { ...options(), stage })
    const parts = splitQuery(text).parts.map(
      ({ from, to, negated, field, valueFrom }): QueryPart => {
        const term = query.terms.find((each) => each.from === from)
        return {
          from,
          to,
          field,
          negated,
          kind: field === null ? 'words' : 'term',
          value: text.slice(valueFrom, to),
          slow: term !== undefined && isSlowTerm(term, terms.of),
        }
      },
    )
    const completion =
      cursor === undefined
        ? { from: 0, to: 0, choices: [] }
        : completeQuery(text, Math.min(cursor, text.length), choices, stage)
    return { parts, problems: [...query.problems], completion }
  }

  const finder = {
    /**
     * Returns ascending ids newer than `after`. A page ends after a limited time, even if it is empty.
     * @returns `next`: the cursor of the next page; null at the end
     * @throws AppError QUERY_INVALID
     */
    async ids(text: string, after: number, limit: number) {
      const question = { terms: read(text), after, before: null, newestFirst: false, limit }
      const { ids, next } = await index.ask('search', question)
      return { ids: [...ids], next }
    },
    /** Parses a query. @throws AppError QUERY_INVALID */
    count: (text: string) => index.ask('count', { terms: read(text) }),
  }

  async function countOf({ id, text }: CaptureView) {
    try {
      const { count, isExact } = await finder.count(text)
      return { id, count: isExact ? count : null }
    } catch {
      // The query may contain a label that was deleted.
      return { id, count: null }
    }
  }

  const handlers: QueryHandlers = {
    'captureQuery.read': readAloud,
    'captureQuery.count': ({ query }) => finder.count(query.text),
    async 'captureQuery.histogram'({ query, from, to, buckets }) {
      const sent = read(query.text)
      const oldestAt = captures.oldestAt()
      if (to <= from) return { buckets: [], oldestAt, isExact: true }
      return { oldestAt, ...(await index.ask('histogram', { terms: sent, from, to, buckets })) }
    },
    'captureView.list': () => views.all(),
    'captureView.save'({ id, name, text }) {
      read(text)
      if (id === null && views.all().length >= maxViews) throw viewsFull()
      return { id: views.save(id, { name, query: text }), name, text }
    },
    'captureView.remove': views.remove,
    async 'captureView.counts'() {
      const counts = []
      for (const view of views.all()) counts.push(await countOf(view))
      return counts
    },
  }

  return { handlers, finder, names, read }
}

const viewsFull = (): AppError =>
  new AppError(
    captureQueryCodes.viewsFull,
    `You have ${maxViews} views, which is the maximum. Delete a view first.`,
  )
