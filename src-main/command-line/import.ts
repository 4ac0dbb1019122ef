import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { CaptureImport } from '../../src-preload/contract/exchange.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Command, type Invocation, exitCodes } from './command.ts'
import { type Session, openSession } from './session.ts'
import { plain } from './terminal.ts'

/** As much as goes over the socket at once. */
const pieceBytes = 512 * 1024
const noteEveryMs = 2000

export const importCaptures: Command = {
  name: 'import',
  arguments: 'FILE',
  summary: 'put captures of a HAR or JSON Lines file into the inspector',
  options: { json: { type: 'boolean', description: 'print a JSON object a line' } },
  detail: [
    'Takes HAR 1.2 of any program and the JSON Lines of `tondesk captures export`. What is damaged in it\nis told by its place and left out; all the rest comes, or none of it.',
    'Imported captures are marked as such, count as no deliveries, feed no invoice and are not forwarded.\nThey can be searched, compared and replayed.',
  ],
  async run(invocation) {
    const { dataDirectory, options, positionals, terminal } = invocation
    const path = resolve(positionals[0] ?? '')
    const bytes = await sizeOf(path)
    const session = await openSession({ dataDirectory, receive: false })
    try {
      const done = await importFile(session, path, bytes, invocation)
      for (const remark of done.remarks) terminal.note(plain(remark))
      const { imported, skipped, format, firstId, lastId } = done
      if (done.remarks.length < skipped) terminal.note(`And ${skipped - done.remarks.length} more.`)
      if (options['json']) {
        const told = { event: 'imported', format, imported, skipped, firstId, lastId }
        await terminal.print(JSON.stringify(told))
      }
      terminal.note(
        `${imported} imported${firstId === null ? '' : `, #${firstId} to #${lastId ?? firstId}`}; ${skipped} left out.`,
      )
      return exitCodes.ok
    } finally {
      await session.dispose()
    }
  },
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path)
    if (found.isFile()) return found.size
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('IMPORT_UNREADABLE', `Cannot read ${path}: ${why}`, { cause: error })
  }
  throw new AppError('IMPORT_UNREADABLE', `${path} is no file.`)
}

async function importFile(
  session: Session,
  path: string,
  bytes: number,
  { terminal, stop }: Invocation,
): Promise<CaptureImport> {
  let state = await session.call('exchange.importStart', { name: basename(path), bytes })
  const { id } = state
  let notedAt = performance.now()
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes })) {
    if (stop.aborted) break
    const base64 = (piece as Buffer).toString('base64')
    state = await session.call('exchange.importPiece', { id, offset: state.bytes, base64 })
    if (state.state !== 'reading') break
    if (performance.now() - notedAt < noteEveryMs) continue
    notedAt = performance.now()
    terminal.note(
      `${Math.floor((100 * state.bytes) / Math.max(1, bytes))} % read, ${state.imported} found`,
    )
  }
  if (state.state === 'reading') {
    const ending = stop.aborted ? null : session.call('exchange.importEnd', { id })
    const cancel = () => {
      session.call('exchange.importCancel', { id }).catch(() => undefined)
    }
    if (ending === null) await session.call('exchange.importCancel', { id })
    else {
      stop.addEventListener('abort', cancel, { once: true })
      state = await ending
      stop.removeEventListener('abort', cancel)
    }
  }
  if (state.state === 'done') return state
  throw new AppError('IMPORT_FAILED', state.problem ?? 'Cancelled: nothing was imported.')
}
