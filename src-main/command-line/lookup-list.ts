import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import process from 'node:process'
import type { LookupDraft } from '../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Invocation, usageError } from './command.ts'
import type { AskedLookup } from './lookup-options.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

export type ReadList = {
  readonly draft: string
  /** Equal for the same list, network, output and currency. */
  readonly fingerprint: string
}

const bytesAtOnce = 512 * 1024
const problemsShown = 10

/** Reads the list up to its end, or until it is full, and says what was understood. */
export async function readList(
  session: Session,
  network: NetworkId,
  { file, output, currency }: AskedLookup,
  { terminal }: Invocation,
): Promise<ReadList> {
  const hash = createHash('sha256').update(JSON.stringify([network, output, currency]))
  let draft = await session.call('lookup.begin', { network })
  try {
    for await (const bytes of openList(file)) {
      hash.update(bytes)
      const piece = { base64: bytes.toString('base64') }
      draft = await session.call('lookup.append', { draft: draft.id, piece, isLast: false })
      if (draft.isFull) break
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('FILE_UNREADABLE', `The list cannot be read: ${why}`, { cause: error })
  }
  const piece = { text: '' }
  draft = await session.call('lookup.append', { draft: draft.id, piece, isLast: true })
  for (const line of describe(draft)) terminal.note(line)
  return { draft: draft.id, fingerprint: hash.digest('hex').slice(0, 12) }
}

function openList(file: string | null): AsyncIterable<Buffer> {
  if (file !== null) return createReadStream(file, { highWaterMark: bytesAtOnce })
  if (process.stdin.isTTY) throw usageError('Name a FILE, or give the list on standard input.')
  return process.stdin
}

function describe({ counts, problems, remarks }: LookupDraft): string[] {
  const { valid, duplicate, wrongNetwork, invalid, beyond } = counts
  const parts = [
    `${valid} valid`,
    duplicate > 0 && `${duplicate} duplicate`,
    wrongNetwork > 0 && `${wrongNetwork} of another network`,
    invalid > 0 && `${invalid} invalid`,
    beyond > 0 && 'more left out',
  ]
  const shown = problems.filter(({ status }) => status !== 'duplicate').slice(0, problemsShown)
  const hidden = invalid + wrongNetwork - shown.length
  return [
    ...remarks.map(plain),
    `Understood: ${parts.filter((part) => part !== false).join(', ')}.`,
    ...shown.map(({ line, text, reason }) => `  line ${line}: ${plain(text)}: ${reason ?? ''}`),
    ...(hidden > 0 ? [`  and ${hidden} more, which the result names.`] : []),
  ]
}
