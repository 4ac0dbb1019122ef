/** How a capture was forwarded and replayed, as moments of its way. Pure. */
import type {
  CaptureTimeline,
  Output,
  ReplaySending,
  TargetAnswer,
} from '../../../src-preload/contract/index.ts'

type Forwarded = Output<'forward.ofCapture'>[number]

export function forwardMoments(deliveries: readonly Forwarded[]): CaptureTimeline {
  return deliveries.flatMap(({ ruleName, target, queuedAt, tries }) => [
    {
      at: queuedAt,
      what: 'forward-queued' as const,
      text: `Rule “${ruleName}” takes it to ${target}.`,
      ok: true,
    },
    ...tries.map(({ at, answer }) => ({
      at,
      what: 'forward-attempt' as const,
      text: `Sent to ${target}: ${answerWords(answer)}`,
      ok: isTaken(answer),
    })),
  ])
}

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
