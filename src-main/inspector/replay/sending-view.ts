import type { ReplaySending } from '../../../src-preload/contract/index.ts'
import type { StoredSending } from '../../store/replays/replay-sendings.ts'
import { maskHeader } from '../mask.ts'
import { replayId } from './request.ts'

/** A sending as the window shows it: what is secret in the answer's head is masked. */
export function toReplaySending(
  { job, index, capture, at, isAgain, answer }: StoredSending,
  jobOf: (id: number) => { readonly target: string; readonly isEdited: boolean } | null,
): ReplaySending {
  const { status, durationUs, headers, body, bodyBytes, problem } = answer
  const sent = jobOf(job)
  return {
    replayId: replayId(job, index),
    job,
    index,
    capture,
    at,
    target: sent?.target ?? '',
    edited: sent?.isEdited ?? false,
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
