import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'
import type { StoredAttempt } from '../store/forward-queue.ts'
import type { ReplayRecord } from '../store/replay-jobs.ts'
import type { StoredSending } from '../store/replay-sendings.ts'
import { toBase64 } from '../../captures/files/exported.ts'
import { maskHeader } from '../../../src-preload/domain/mask.ts'
import { replayId } from './request.ts'

export function toReplaySending(
  { job, index, capture, at, isOk, isAgain, answer }: StoredSending,
  { target, isEdited }: Pick<ReplayRecord, 'target' | 'isEdited'>,
): ReplaySending {
  const { status, body, bodyBytes, problem } = answer
  const isCut = body.byteLength < bodyBytes || (status !== null && problem !== null)
  return {
    job,
    index,
    capture,
    at,
    target,
    replayId: replayId(job, index),
    edited: isEdited,
    again: isAgain,
    answer: toTargetResponse({ ...answer, isCut, isDelivered: isOk }),
  }
}

/** Masks secrets of the target, such as cookies, like those of the gateway. */
export function toTargetResponse(response: Omit<StoredAttempt, 'at'>): ShownResponse {
  const { headers, body, ...shown } = response
  return {
    ...shown,
    headers: headers.map(([name, value]) => maskHeader([name, value])),
    body: toBase64(body),
  }
}
