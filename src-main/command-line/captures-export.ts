import type { CaptureExport } from '../../src-preload/contract/exchange.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { readingQuery } from './capture-query.ts'
import type { AskedCaptures } from './captures-options.ts'
import { checkTarget } from './check-target.ts'
import { type Invocation, exitCodes } from './command.ts'
import { followJob } from './follow-job.ts'
import { saveExport } from './save-export.ts'
import type { Session } from './session.ts'

export async function exportCaptures(
  session: Session,
  asked: Extract<AskedCaptures, { action: 'export' }>,
  invocation: Invocation,
): Promise<number> {
  const { subject, format, output, reveal, pseudonyms, force, json } = asked
  const { terminal } = invocation
  // Before anything is made: to find out in the end would be late.
  if (output !== null) await checkTarget(output, force)
  const begun = await readingQuery('--query', () =>
    session.call('exchange.export', { subject, format, reveal, pseudonyms }),
  )
  const { id } = begun
  const done = await followJob<CaptureExport>(
    session,
    {
      name: 'The export',
      wayOn: 'Run it again.',
      get: () => find(session, id),
      pause: () => session.call('exchange.cancelExport', { id }),
      seenIn: ({ name, payload }) =>
        name === 'exchange.exportChanged'
          ? payload.exports.find((each) => each.id === id)
          : undefined,
      progressOf: ({ captures, total }) =>
        total === null ? `${captures} written` : `${captures} of ${total} written`,
    },
    invocation,
  )
  const { file, captures, bytes } = done
  if (file === null) throw gone()
  await saveExport(session, file, output, terminal, reveal ? 0o600 : undefined)
  if (json) {
    await terminal.print(JSON.stringify({ event: 'exported', file: output, captures, bytes }))
  }
  terminal.note(`${captures} ${captures === 1 ? 'capture' : 'captures'}, ${bytes} bytes.`)
  if (reveal && !pseudonyms) terminal.note('Tokens are in it: keep it to yourself.')
  return exitCodes.ok
}

async function find(session: Session, id: number): Promise<CaptureExport> {
  const found = (await session.call('exchange.exports')).find((each) => each.id === id)
  if (found === undefined) throw gone()
  return found
}

function gone(): AppError {
  return new AppError('EXPORT_GONE', 'The export made room for later ones: run it again.')
}
