import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { ReplayJobs, ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplaySendings, StoredSending } from '../store/replay-sendings.ts'
import { maskHeader } from '../../captures/mask.ts'
import { replayId } from './request.ts'

/** A sending as the window shows it: what is secret in the answer's head is masked. */
export function toReplaySending(
  { job, index, capture, at, isAgain, answer }: StoredSending,
  { target, isEdited }: Pick<ReplayRecord, 'target' | 'isEdited'>,
): ReplaySending {
  const { status, durationUs, headers, body, bodyBytes, problem } = answer
  return {
    replayId: replayId(job, index),
    job,
    index,
    capture,
    at,
    target,
    edited: isEdited,
    again: isAgain,
    answer: {
      status,
      durationUs,
      headers: headers.map(([name, value]) => maskHeader([name, value])),
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
      bodyBytes,
      // One that broke off is not whole either, however little was said of its length.
      isCut: body.byteLength < bodyBytes || (status !== null && problem !== null),
      problem,
    },
  }
}

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
