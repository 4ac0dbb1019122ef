import type { JobName, jobRoutes } from '../../src-preload/contract/job.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Jobs } from './jobs.ts'

type JobRoute = keyof typeof jobRoutes
export type JobHandlers = Pick<Handlers, JobRoute>

/** @param relayed calls the same route in the thread that runs the kind's jobs */
export function createJobRoutes(
  jobs: Jobs,
  relayed: { readonly [K in JobName]?: (route: JobRoute, input: unknown) => Promise<unknown> } = {},
): JobHandlers {
  const handlers: JobHandlers = {
    'job.list': ({ kind, network }) => jobs.of(kind).list(network === undefined ? {} : { network }),
    'job.get': ({ kind, id }) => jobs.of(kind).get(id),
    'job.pause': ({ kind, id }) => jobs.of(kind).pause(id),
    'job.resume': ({ kind, id }) => jobs.of(kind).resume(id),
    'job.cancel': ({ kind, id }) => jobs.of(kind).cancel(id),
    async 'job.remove'({ kind, id }) {
      await jobs.of(kind).remove(id)
      return {}
    },
  }
  const entries = Object.entries(handlers) as [JobRoute, (input: unknown) => unknown][]
  const relaying = entries.map(([name, handle]) => [
    name,
    (input: { readonly kind: JobName }) => relayed[input.kind]?.(name, input) ?? handle(input),
  ])
  return Object.fromEntries(relaying) as JobHandlers
}
