/** `r` in the terminal of `listen`: the last delivery goes to the targets once more. */
import type { ReplayJob } from '../../src-preload/contract/replay.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { localTime } from './capture-line.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

export async function replayTo(
  session: Session,
  capture: number,
  targets: readonly string[],
  print: (line: string) => Promise<void>,
): Promise<void> {
  for (const target of targets) {
    const { id } = await session.call('replay.start', {
      subject: { kind: 'captures', ids: [capture] },
      target,
    })
    const job = await ended(session, id)
    const [sending] = (await session.call('replay.sendings', { id, limit: 1 })).sendings
    if (sending === undefined) {
      throw new AppError('REPLAY_FAILED', job.problem ?? 'It was not sent.')
    }
    const { status, durationUs, problem } = sending.answer
    const words = [
      localTime(sending.at),
      '<-',
      `#${capture}`.padEnd(7),
      plain(target),
      status === null ? 'no answer' : String(status),
      `${(durationUs / 1000).toFixed(1)} ms`,
      problem === null ? 'replayed' : `replayed, ${plain(problem)}`,
    ]
    await print(words.join('  '))
  }
}

const pollMs = 50

async function ended(session: Session, id: number): Promise<ReplayJob> {
  for (;;) {
    const job = await session.call('replay.get', { id })
    if (job.state !== 'running') return job
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
