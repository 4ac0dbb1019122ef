import type { ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplayCaptures } from '../store/replay-captures.ts'
import type { PlannedCapture, ReplayPlans } from '../store/replay-plans.ts'
import type { CaptureSource, SourcePage } from './sequence.ts'

/** What a query finds, oldest first; asked of those who can read queries. */
export type Finder = {
  ids(
    text: string,
    after: number,
    limit: number,
  ): Promise<{ readonly ids: readonly number[]; readonly next: number | null }>
  count(text: string): Promise<{ readonly count: number; readonly isExact: boolean }>
}

export type SourceDeps = {
  readonly plans: ReplayPlans
  readonly captures: ReplayCaptures
  readonly finder: Finder
}

const pageCaptures = 2000

/** Captures of a job in the order of arrival, before any other is made of it. */
export function arrivalSource(job: ReplayRecord, deps: SourceDeps): CaptureSource {
  const { options, newestId } = job
  const { captures, finder } = deps
  switch (options.source.kind) {
    case 'captures':
      return planSource(job.id, deps.plans)
    case 'since': {
      const { at } = options.source
      return {
        page: (after) => Promise.resolve(pageOf(captures.since(at, after, newestId, pageCaptures))),
      }
    }
    case 'query': {
      const text = options.source.text.trim()
      if (text === '') {
        return {
          page: (after) => Promise.resolve(pageOf(captures.between(after, newestId, pageCaptures))),
        }
      }
      return {
        async page(after) {
          const { ids, next } = await finder.ids(text, after, pageCaptures)
          // What has arrived since the job began is no part of it.
          const own = ids.filter((id) => id <= newestId)
          const found = captures.arrivals(own)
          return { captures: found.map(keyed), next: own.length < ids.length ? null : next }
        },
      }
    }
  }
}

export function planSource(job: number, plans: ReplayPlans): CaptureSource {
  return {
    page(after) {
      const part = Math.floor(after / plans.partSize)
      const places = plans.part(job, part)
      const first = part * plans.partSize
      const all = places.map((place, index) => ({ ...place, key: first + index + 1 }))
      return Promise.resolve({
        captures: all.filter(({ key }) => key > after),
        next: places.length < plans.partSize ? null : first + plans.partSize,
      })
    },
  }
}

const keyed = (capture: PlannedCapture) => ({ ...capture, key: capture.id })

function pageOf(found: readonly PlannedCapture[]): SourcePage {
  const next = found.length < pageCaptures ? null : (found.at(-1)?.id ?? null)
  return { captures: found.map(keyed), next }
}
