import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { ReplayJobs, ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplaySendings, StoredSending } from '../store/replay-sendings.ts'
import { maskHeader } from '../../captures/mask.ts'
import { replayId } from './request.ts'

/** Secrets in the response's headers are masked. */
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
      isCut: body.byteLength < bodyBytes || (status !== null && problem !== null),
      problem,
    },
  }
}

const maxOfCapture = 100

/** These routes work without the send thread, which may not run. */
export function createReplayHandlers(
  jobs: ReplayJobs,
  sendings: ReplaySendings,
): Pick<Handlers, 'replay.ofCapture'> {
  return {
    'replay.ofCapture': ({ id }) =>
      sendings.ofCapture(id, maxOfCapture).flatMap((sending) => {
        const job = jobs.get(sending.job)
        return job === null ? [] : toReplaySending(sending, job)
      }),
  }
}
