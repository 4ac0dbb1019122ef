/** How a capture was replayed, as moments of its way. Pure. */
import type { CaptureTimeline } from '../../../src-preload/contract/meaning.ts'
import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { TargetAnswer } from '../../../src-preload/contract/target.ts'

export function replayMoments(sendings: readonly ReplaySending[]): CaptureTimeline {
  return sendings.map(({ at, target, edited, answer }) => ({
    at,
    what: 'replayed',
    text: `Replayed${edited ? ', edited,' : ''} to ${target}: ${answerWords(answer)}`,
    ok: isTaken(answer),
  }))
}

function answerWords({ status, problem }: TargetAnswer): string {
  if (status === null) return problem ?? 'no answer.'
  return problem === null ? `answered ${status}.` : `answered ${status}; ${problem}`
}

function isTaken({ status, problem }: TargetAnswer): boolean {
  return status !== null && status >= 200 && status < 300 && problem === null
}
