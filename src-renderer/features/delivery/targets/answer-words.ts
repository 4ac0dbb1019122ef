import type { TargetAnswer } from '../../../../src-preload/contract/target.ts'
import { formatBytes, formatDuration } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/tag.tsx'

/** Only 2xx counts as taken. */
function isTaken({ status }: TargetAnswer): boolean {
  return status !== null && status >= 200 && status < 300
}

export function answerTone(answer: TargetAnswer): Tone {
  if (isTaken(answer)) return answer.problem === null ? 'ok' : 'warn'
  return answer.status === null || answer.status >= 500 ? 'bad' : 'warn'
}

/** `200 in 18 ms`, `no answer after 15 s`. */
export function sayAnswer({ status, durationUs }: TargetAnswer): string {
  const took = formatDuration(durationUs)
  return status === null ? `no answer after ${took}` : `${status} in ${took}`
}

/** How much of a body there is to see. */
export function sayBody({ bodyBytes, isCut }: TargetAnswer): string {
  if (bodyBytes === 0) return 'Empty body'
  return isCut ? `The beginning of ${formatBytes(bodyBytes)}` : `Body, ${formatBytes(bodyBytes)}`
}
