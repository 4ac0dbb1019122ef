import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { ReplayJobs } from '../store/replay-jobs.ts'
import type { ReplaySendings } from '../store/replay-sendings.ts'
import type { Sending } from '../sender/sending.ts'
import { toReplaySending } from './sending-view.ts'

type ReplayHandlers = Pick<Handlers, Extract<keyof Handlers, `replay.${string}`>>

/** Shown of one capture. */
const maxOfCapture = 100

/** The main thread's side: the send thread answers all but what is read by key. */
export function createReplayHandlers(deps: {
  readonly sending: Sending
  readonly jobs: ReplayJobs
  readonly sendings: ReplaySendings
}): ReplayHandlers {
  const { sending, jobs, sendings } = deps
  return {
    'replay.preview': (order) => sending.ask('replay.preview', order),
    'replay.start': (order) => sending.ask('replay.start', order),
    'replay.list': () => sending.ask('replay.list', undefined),
    'replay.get': (job) => sending.ask('replay.get', job),
    'replay.cancel': (job) => sending.ask('replay.cancel', job),
    'replay.resume': (job) => sending.ask('replay.resume', job),
    'replay.remove': (job) => sending.ask('replay.remove', job),
    'replay.sendings': (asked) => sending.ask('replay.sendings', asked),
    'replay.ofCapture': ({ id }) =>
      sendings.ofCapture(id, maxOfCapture).flatMap((sending) => {
        const job = jobs.get(sending.job)
        // One that is being removed.
        return job === null ? [] : toReplaySending(sending, job)
      }),
    'replay.draft': (asked) => sending.ask('replay.draft', asked),
    'replay.diff': (asked) => sending.ask('replay.diff', asked),
    'replay.compare': (asked) => sending.ask('replay.compare', asked),
  }
}
