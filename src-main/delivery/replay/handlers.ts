import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { ReplayJobs } from '../store/replay-jobs.ts'
import type { ReplaySendings } from '../store/replay-sendings.ts'
import { toReplaySending } from './sending-view.ts'

/** Shown of one capture. */
const maxOfCapture = 100

/** What is read by key is answered without the send thread. */
export function createReplayHandlers(
  jobs: ReplayJobs,
  sendings: ReplaySendings,
): Pick<Handlers, 'replay.ofCapture'> {
  return {
    'replay.ofCapture': ({ id }) =>
      sendings.ofCapture(id, maxOfCapture).flatMap((sending) => {
        const job = jobs.get(sending.job)
        // One that is being removed.
        return job === null ? [] : toReplaySending(sending, job)
      }),
  }
}
