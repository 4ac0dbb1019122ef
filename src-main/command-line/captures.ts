import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { CaptureDetail } from '../../src-preload/contract/capture.ts'
import {
  type CaptureImport,
  captureExportFormat,
  exchangeRoutes,
} from '../../src-preload/contract/capture-files.ts'
import { isMoved } from '../../src-preload/contract/invoice-money.ts'
import { type ReplayOrder, replayOrder } from '../../src-preload/contract/replay.ts'
import type { Input } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { captureLine, formatMoved, localTime } from './capture-line.ts'
import { type CommandBody, type Invocation, assertUsage, exitCodes, usageError } from './command.ts'
import { checkTarget, exportGone, fileError, openInput, saveExport } from './files.ts'
import { watchJob, watchReplay, throttledNote } from './watch-job.ts'
import * as read from './options.ts'
import { field, readInput } from './schema-options.ts'
import {
  type Run,
  type Session,
  capturePages,
  confirmTargets,
  readingQuery,
  withSession,
} from './session.ts'
import { waitForAbort, factLines, sanitize, writeEvent } from './terminal.ts'

const order = replayOrder.shape
const exportOptions = exchangeRoutes['captureExport.start'].input

const actions = {
  search: ['limit', 'json'],
  show: ['reveal', 'json'],
  // prettier-ignore
  replay: ['query', 'to', 'pace', 'parallel', 'times', 'order', 'append-path', 'stop-at-failure', 'yes', 'json'],
  export: ['query', 'format', 'output', 'reveal', 'pseudonyms', 'force', 'json'],
}

export const captureCommands: CommandBody = {
  options: {
    query: read.text('QUERY', 'replay, export: all captures that match this query'),
    limit: read.text('N', 'search: maximum number of captures (default 100; 0 for all)'),
    to: field(order.target, 'replay: send the captures to this URL', 'URL'),
    pace: read.text(
      'fast|original|N',
      'replay: as fast as the target responds, with the original pauses, or N per second',
    ),
    parallel: field(order.parallel, 'replay: number of parallel requests'),
    times: field(order.times, 'replay: send each capture this many times'),
    order: field(order.order, 'replay: order of the captures'),
    'append-path': field(
      order.appendPath,
      'replay: append each capture’s path and query to the target URL',
    ),
    'stop-at-failure': field(
      order.stopAtFailure,
      'replay: stop at the first response that is not 2xx',
    ),
    format: field(captureExportFormat, 'export: file format (default: by the extension of FILE)'),
    output: read.outputOption('FILE'),
    reveal: read.flag('show, export: include tokens, which are masked by default'),
    pseudonyms: field(
      exportOptions.shape.pseudonyms,
      'export: replace addresses, hashes, tokens and amounts by made-up values',
    ),
    force: read.flag('export: overwrite FILE'),
    yes: read.yesOption('replay: do not ask before sending to other hosts'),
    json: read.jsonOption,
  },
  detail: [
    'An ACTION is one of\n  search QUERY   list the matching captures, newest first\n  show ID        show one capture with headers, body and explanation\n  replay ID…     send captures again to the URL of --to; with --query, all that match\n  export ID…     write captures to a file; with --query, all that match',
    'A QUERY has the syntax of the search bar: terms such as event:account_tx account:EQ… lt:>4690000\nstatus:500 body:"order-42" header.user-agent:*tonapi* token:wrong amount:>1.5TON received:today, and\nfree words. All terms must match; - before a term excludes it. Put -- before a query that begins with -.',
    'Tokens are masked unless --reveal is set. --pseudonyms replaces addresses, hashes, tokens and\namounts consistently by made-up values. `tondesk import` reads HAR and JSON Lines.',
    'If the app is running, it sends the captures; otherwise this command does. Ctrl-C cancels the replay.',
  ],
  exits: { 3: 'replay: done, but some responses were not 2xx' },
  async run(invocation) {
    const work = readWork(invocation)
    const whenLost = 'Tondesk has ended. Run the command again.'
    return withSession(invocation, work, { whenLost, hasOwnExitCode: true })
  },
}

function readWork(invocation: Invocation): (run: Run) => Promise<number> {
  const { action, rest } = read.readAction('captures', actions, invocation)
  switch (action) {
    case 'search': {
      // Terms may be one argument or several; spaces separate them in either case.
      const limit = read.readNumber(invocation, 'limit', 100, 0, 1_000_000)
      return (run) => search(run, rest.join(' '), limit)
    }
    case 'show': {
      const [id, ...others] = rest
      const isOne = id !== undefined && others.length === 0
      assertUsage(isOne, '`tondesk captures show` needs the ID of one capture.')
      const capture = readId(id)
      return (run) => show(run, capture)
    }
    case 'replay': {
      const subject = readSubject(invocation, action, rest)
      const given = { subject, target: invocation.options['to'], pace: readPace(invocation) }
      const optionOf = { subject: 'query', target: 'to' }
      const wanted = readInput(replayOrder, invocation, given, optionOf)
      return (run) => replay(run, wanted)
    }
    case 'export': {
      const output = read.readOutput(invocation)
      const format = read.readFormat(invocation, captureExportFormat.options, output, null)
      const isMixed = invocation.options['json'] === true && output === null
      const message =
        'Without a file, the captures are written to standard output. To use --json, add -o FILE.'
      assertUsage(!isMixed, message)
      const given = { format, subject: readSubject(invocation, action, rest) }
      const wanted = readInput(exportOptions, invocation, given, { subject: 'query' })
      return (run) => exportCaptures(run, wanted, output)
    }
  }
}

function readSubject(invocation: Invocation, action: string, ids: readonly string[]) {
  const text = read.readText(invocation, 'query')
  const isOne = (text !== undefined) !== ids.length > 0
  assertUsage(isOne, `\`tondesk captures ${action}\` needs either IDs or --query.`)
  return text === undefined
    ? { kind: 'captures' as const, ids: ids.map(readId) }
    : { kind: 'query' as const, text }
}

function readId(typed: string): number {
  const id = /^#?\d{1,15}$/.test(typed) ? Number(typed.replace('#', '')) : 0
  const message = `"${typed}" is not a capture id. Use a number, as printed by \`tondesk listen\`.`
  assertUsage(id > 0, message)
  return id
}

function readPace(invocation: Invocation): object {
  const typed = read.readText(invocation, 'pace') ?? 'fast'
  if (typed === 'fast' || typed === 'original') return { kind: typed }
  const perSecond = Number(typed)
  if (perSecond >= 0.01 && perSecond <= 10_000) return { kind: 'rate', perSecond }
  throw usageError('--pace takes fast, original, or a number of requests per second up to 10000.')
}

async function search(run: Run, text: string, limit: number): Promise<number> {
  const { session, terminal, stop } = run
  let shown = 0
  let hasMore = false as boolean
  const pages = capturePages(session, { text, max: limit === 0 ? Infinity : limit })
  await readingQuery('QUERY', async () => {
    for await (const { rows, nextBefore, notYetSearchable } of pages) {
      for (const row of rows) {
        await writeEvent(run, { event: 'capture', ...row }, captureLine(row, '  '))
      }
      if (shown === 0 && notYetSearchable > 0) {
        terminal.note(
          `${notYetSearchable} captures are not searchable yet, because the index is being built.`,
        )
      }
      shown += rows.length
      hasMore = nextBefore !== null
      if (stop.aborted) return
    }
  })
  if (hasMore && !stop.aborted) terminal.note(`First ${shown} captures shown: see --limit.`)
  if (shown === 0) terminal.note('No captures match.')
  return exitCodes.ok
}

async function show(run: Run, id: number): Promise<number> {
  const { options, session, terminal } = run
  const detail = await session.call('capture.get', { id, reveal: options['reveal'] === true })
  if (options['json'] === true) {
    const body = (await readBody(session, id, 'raw')).toString('base64')
    await writeEvent(run, { event: 'capture', ...detail, body })
    return exitCodes.ok
  }
  for (const line of describe(detail)) await terminal.print(line)
  await terminal.print('')
  await writeBody(await readBody(session, id, 'decoded'), terminal)
  if (detail.masked) terminal.note('Tokens are masked. Add --reveal to show them.')
  return exitCodes.ok
}

async function readBody(session: Session, id: number, form: 'raw' | 'decoded'): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let offset = 0; ;) {
    const { base64, totalBytes } = await session.call('capture.body', { id, form, offset })
    const part = Buffer.from(base64, 'base64')
    parts.push(part)
    offset += part.length
    if (offset >= totalBytes || part.length === 0) return Buffer.concat(parts)
  }
}

async function writeBody(body: Buffer, terminal: Invocation['terminal']): Promise<void> {
  const text = body.toString('utf8')
  if (body.length === 0) terminal.note('The body is empty.')
  else if (!Buffer.from(text).equals(body) || text.includes('\0')) {
    terminal.note(`The body (${body.length} bytes) is not text. Use --json to print base64.`)
  } else
    for (const line of text.split('\n')) await terminal.print(sanitize(line.replace(/\r$/, '')))
}

function describe(detail: CaptureDetail): string[] {
  const { meaning } = detail
  const facts: readonly (readonly [string, string | null])[] = [
    ['id', String(detail.id)],
    [
      'arrived',
      `${new Date(detail.receivedAt / 1000).toISOString()} (${localTime(detail.receivedAt)} local time)`,
    ],
    ['origin', detail.origin === 'received' ? null : detail.origin],
    ['event', detail.kind],
    ['network', detail.network],
    ['account', detail.account],
    ['lt', detail.lt],
    ['transaction', detail.txHash],
    ['amount', meaning.amount === null ? null : formatMoved(meaning.amount, isMoved(detail))],
    ['sender', meaning.sender],
    ['comment', meaning.comment],
    ['invoice', meaning.invoice],
    [
      'response',
      detail.status === null
        ? detail.origin === 'imported'
          ? 'unknown'
          : 'none'
        : String(detail.status),
    ],
    [
      'duration',
      detail.durationUs === null ? 'unknown' : `${(detail.durationUs / 1000).toFixed(1)} ms`,
    ],
    ['token', detail.token],
    ['duplicate of', detail.duplicateOf === null ? null : String(detail.duplicateOf)],
    ['order', detail.outOfOrder ? 'out of order' : null],
    ['incomplete', detail.completeness === 'complete' ? null : detail.completeness],
    ['incident', detail.incident],
    ['forwarded', detail.forward],
    ['note', detail.note === '' ? null : detail.note],
  ]
  return [
    ...factLines(facts, 13),
    '',
    sanitize(`${detail.method} ${detail.target} HTTP/${detail.httpVersion}`),
    ...detail.headers.map(([name, value]) => sanitize(`${name}: ${value}`)),
  ]
}

const someFailed = 3

async function replay(run: Run, wanted: ReplayOrder): Promise<number> {
  const { session, terminal } = run
  const { target } = wanted
  await confirmTargets(run, [target])
  const { id } = await readingQuery('--query', () => session.call('replay.start', wanted))
  const { total, sent, delivered, failed, remarks } = await watchReplay(run, id)
  // Scripts may read `seed`, which belonged to the shuffled order of earlier versions.
  const counts = { total, sent, delivered, failed, seed: null, remarks }
  await writeEvent(run, { event: 'replayed', job: id, target, ...counts })
  for (const remark of remarks) terminal.note(sanitize(remark))
  terminal.note(`${sent} of ${total} sent: ${delivered} delivered, ${failed} failed.`)
  if (failed > 0) terminal.note(await firstFailure(session, id))
  return failed === 0 ? exitCodes.ok : someFailed
}

async function firstFailure(session: Session, id: number): Promise<string> {
  const requested = { id, onlyFailed: true, limit: 1 }
  const [first] = (await session.call('replay.sendings', requested)).sendings
  if (first === undefined) return ''
  const { status, problem } = first.answer
  const why = status === null ? sanitize(problem ?? 'no response') : `status ${status}`
  return `First failure: capture ${first.capture}, ${why.replace(/\.$/, '')}.`
}

async function exportCaptures(
  run: Run,
  wanted: Input<'captureExport.start'>,
  output: string | null,
): Promise<number> {
  const { options, session, terminal } = run
  // The target is verified first, because a failure after the export would come late.
  if (output !== null) await checkTarget(output, options['force'] === true)
  const { id } = await readingQuery('--query', () => session.call('captureExport.start', wanted))
  const watched = { id, wayOn: 'Run the export again.' }
  const { file, captures, bytes } = await watchJob(run, 'captureExport', watched)
  if (file === null) throw exportGone()
  const { reveal = false, pseudonyms = false } = wanted
  await saveExport(run, file, output, reveal ? 0o600 : undefined)
  await writeEvent(run, { event: 'exported', file: output, captures, bytes })
  terminal.note(`${captures} ${captures === 1 ? 'capture' : 'captures'}, ${bytes} bytes.`)
  if (reveal && !pseudonyms) terminal.note('The file contains tokens. Do not share it.')
  return exitCodes.ok
}

export const importCaptures: CommandBody = {
  options: { json: read.jsonOption },
  detail: [
    'Reads HAR 1.2 files of any program, single entries of them, and JSON Lines files of `tondesk captures export`,\nin UTF-8 or UTF-16. For -, the file is read from standard input. Damaged entries are\nlisted with their position and skipped. If the import fails, no entry is imported.',
    'Imported captures are marked. They do not count as deliveries, change no invoice and are not forwarded.\nYou can search, compare and replay them.',
  ],
  async run(invocation) {
    const { positionals, terminal } = invocation
    const [typed = ''] = positionals
    const path = typed === '-' ? null : resolve(typed)
    const bytes = path === null ? null : await sizeOf(path)
    const { remarks, imported, skipped, format, firstId, lastId } = await withSession(
      invocation,
      (run) => importFile(run, path, bytes),
    )
    for (const remark of remarks) terminal.note(sanitize(remark))
    if (remarks.length < skipped) terminal.note(`and ${skipped - remarks.length} more.`)
    const counts = { format, imported, skipped, firstId, lastId }
    await writeEvent(invocation, { event: 'imported', ...counts })
    terminal.note(
      `${imported} imported${firstId === null ? '' : `, #${firstId} to #${lastId ?? firstId}`}; ${skipped} skipped.`,
    )
    return exitCodes.ok
  },
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError('IMPORT_UNREADABLE', `Cannot read ${path}`, error)
  })
  if (found.isFile()) return found.size
  throw new AppError('IMPORT_UNREADABLE', `${path} is not a file.`)
}

async function importFile(
  { session, terminal, stop }: Run,
  path: string | null,
  bytes: number | null,
): Promise<CaptureImport> {
  const name = path === null ? 'standard input' : basename(path)
  let state = await session.call('captureImport.start', { name, bytes })
  const { id } = state
  const note = throttledNote(terminal)
  for await (const piece of openInput(path, 'The file')) {
    if (stop.aborted) break
    const base64 = piece.toString('base64')
    state = await session.call('captureImport.append', { id, offset: state.bytes, base64 })
    if (state.state !== 'reading') break
    const read =
      bytes === null
        ? `${state.bytes} bytes`
        : `${Math.floor((100 * state.bytes) / Math.max(1, bytes))} %`
    note(() => `${read} read, ${state.imported} found`)
  }
  if (state.state === 'reading') {
    const cancelled = waitForAbort(stop).then(() =>
      state.state === 'reading' ? session.call('captureImport.cancel', { id }) : null,
    )
    cancelled.catch(() => undefined)
    if (stop.aborted) await cancelled
    else state = await session.call('captureImport.end', { id })
  }
  if (state.state === 'done') return state
  throw new AppError('IMPORT_FAILED', state.problem ?? 'Cancelled: nothing was imported.')
}
