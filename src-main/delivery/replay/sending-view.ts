import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { ReplayRecord } from '../store/replay-jobs.ts'
import type { StoredSending } from '../store/replay-sendings.ts'
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
