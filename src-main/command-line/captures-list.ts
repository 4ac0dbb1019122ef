import type { CaptureDetail, CapturePage } from '../../src-preload/contract/capture.ts'
import { isMoved } from '../../src-preload/contract/invoice-money.ts'
import { captureLine, localTime, formatMoved } from './capture-line.ts'
import { readingQuery } from './capture-query.ts'
import type { AskedCaptures } from './captures-options.ts'
import { type Invocation, exitCodes } from './command.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

const pageRows = 500

type Asked<A> = Extract<AskedCaptures, { action: A }>

/** Newest first. */
export async function search(
  session: Session,
  { text, limit, json }: Asked<'search'>,
  { terminal, stop }: Invocation,
): Promise<number> {
  const max = limit === 0 ? Infinity : limit
  let shown = 0
  let before: number | null = null
  do {
    const from: number | null = before
    const page: CapturePage = await readingQuery('QUERY', () =>
      session.call('capture.list', {
        query: { text },
        ...(from === null ? {} : { before: from }),
        limit: Math.min(pageRows, max - shown),
      }),
    )
    const { rows, nextBefore, notYetSearchable } = page
    for (const row of rows) {
      const line = json ? JSON.stringify({ event: 'capture', ...row }) : captureLine(row, '  ')
      await terminal.print(line)
    }
    if (from === null && notYetSearchable > 0) {
      terminal.note(`${notYetSearchable} captures are not searchable yet: the index is being made.`)
    }
    shown += rows.length
    before = nextBefore
  } while (before !== null && shown < max && !stop.aborted)
  if (before !== null && !stop.aborted)
    terminal.note(`There are more than the ${shown} shown: see --limit.`)
  if (shown === 0) terminal.note('Nothing was found.')
  return exitCodes.ok
}

export async function show(
  session: Session,
  { id, reveal, json }: Asked<'show'>,
  { terminal }: Invocation,
): Promise<number> {
  const detail = await session.call('capture.get', { id, reveal })
  const raw = await readBody(session, id, 'raw')
  if (json) {
    const body = raw.toString('base64')
    await terminal.print(JSON.stringify({ event: 'capture', ...detail, body }))
    return exitCodes.ok
  }
  for (const line of describe(detail)) await terminal.print(line)
  await terminal.print('')
  await formatBody(await readBody(session, id, 'decoded'), terminal)
  if (detail.masked) terminal.note('Tokens are masked: --reveal shows them.')
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

async function formatBody(body: Buffer, terminal: Invocation['terminal']): Promise<void> {
  const text = body.toString('utf8')
  if (body.length === 0) terminal.note('It has no body.')
  else if (!Buffer.from(text).equals(body) || text.includes('\0')) {
    terminal.note(`The body is ${body.length} bytes that are no text: --json has them as base64.`)
  } else for (const line of text.split('\n')) await terminal.print(plain(line.replace(/\r$/, '')))
}

function describe(detail: CaptureDetail): string[] {
  const { meaning } = detail
  const facts: readonly (readonly [string, string | null])[] = [
    ['id', String(detail.id)],
    [
      'arrived',
      `${new Date(detail.receivedAt / 1000).toISOString()} (${localTime(detail.receivedAt)} here)`,
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
    ['answered', detail.status === null ? 'nothing' : String(detail.status)],
    ['taken', `${(detail.durationUs / 1000).toFixed(1)} ms`],
    ['token', detail.token],
    ['duplicate of', detail.duplicateOf === null ? null : String(detail.duplicateOf)],
    ['order', detail.outOfOrder ? 'out of order' : null],
    ['not whole', detail.completeness === 'complete' ? null : detail.completeness],
    ['incident', detail.incident],
    ['forwarded', detail.forward],
    ['note', detail.note === '' ? null : detail.note],
  ]
  return [
    ...facts.flatMap(([name, value]) =>
      value === null ? [] : [`${name.padEnd(13)} ${plain(value)}`],
    ),
    '',
    plain(`${detail.method} ${detail.target} HTTP/${detail.httpVersion}`),
    ...detail.headers.map(([name, value]) => plain(`${name}: ${value}`)),
  ]
}
