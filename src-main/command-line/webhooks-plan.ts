import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import process from 'node:process'
import type { Difference, Plan } from '../../src-preload/contract/subscription.ts'
import type { Network } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Invocation, exitCodes, usageError } from './command.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'
import type { AskedWebhooks } from './webhooks-options.ts'

/** There are differences that apply would mend. */
const differs = 3
const bytesAtOnce = 512 * 1024
const pageLength = 500

/** Reads the file, and says of it what a glance tells. @throws AppError */
export async function readPlan(
  session: Session,
  network: Network,
  { file, format }: AskedWebhooks,
): Promise<Plan> {
  const pieces: Buffer[] = []
  const hash = createHash('sha256').update(network.id)
  try {
    for await (const bytes of openFile(file)) {
      pieces.push(bytes)
      hash.update(bytes)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('FILE_UNREADABLE', `The file cannot be read: ${why}`, { cause: error })
  }
  const source = file === null ? 'standard input' : basename(file).slice(0, 200)
  // By this name the same file is known again: what was broken off is gone on with.
  const name = `${source} ${hash.digest('hex').slice(0, 12)}`
  const { id } = await session.call('plan.begin', { network: network.id, file: name, format })
  for (const piece of pieces) {
    await session.call('plan.append', { id, base64: piece.toString('base64') })
  }
  return session.call('plan.compare', { id })
}

function openFile(file: string | null): AsyncIterable<Buffer> {
  if (file !== null) return createReadStream(file, { highWaterMark: bytesAtOnce })
  if (process.stdin.isTTY) throw usageError('Name a FILE, or give it on standard input.')
  return process.stdin
}

/** Prints what differs. */
export async function planFile(
  session: Session,
  network: Network,
  asked: AskedWebhooks,
  { terminal }: Invocation,
): Promise<number> {
  const plan = await readPlan(session, network, asked)
  if (asked.json) await terminal.print(JSON.stringify({ event: 'plan', ...plan }))
  for await (const difference of differencesOf(session, plan)) {
    const line = asked.json
      ? JSON.stringify({ event: 'difference', ...difference })
      : describe(difference)
    await terminal.print(line)
  }
  terminal.note(summaryOf(plan))
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  return isMet(plan) ? exitCodes.ok : differs
}

export function isMet({ counts }: Plan): boolean {
  return counts.missing + counts.extra === 0
}

export function refusedPlan(refusal: string): AppError {
  return new AppError('PLAN_REFUSED', refusal)
}

async function* differencesOf(session: Session, { id }: Plan): AsyncGenerator<Difference> {
  for (let offset = 0; ; offset += pageLength) {
    const asked = { id, offset, limit: pageLength }
    const { differences } = await session.call('plan.differences', asked)
    yield* differences
    if (differences.length < pageLength) return
  }
}

const signs: Readonly<Record<Difference['kind'], string>> = {
  missing: '+',
  extra: '-',
  'wrong-network': '!',
  duplicate: '!',
  invalid: '!',
}

function describe({ kind, endpoint, what, subject, label, line, reason }: Difference): string {
  const parts = [
    signs[kind],
    plain(endpoint),
    what,
    plain(subject),
    label === null ? '' : `(${plain(label)})`,
    reason === null ? '' : `line ${line ?? '?'}: ${reason}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

export function summaryOf({ counts, same, webhooks, untouched }: Plan): string {
  const created = webhooks.filter(({ id }) => id === null).length
  const parts = [
    `${counts.missing} to subscribe or create (+)`,
    `${counts.extra} to unsubscribe (-)`,
    `${same} as wanted`,
    created > 0 && `${created} webhooks to create`,
    counts['wrong-network'] > 0 && `${counts['wrong-network']} of another network`,
    counts.duplicate > 0 && `${counts.duplicate} duplicate`,
    counts.invalid > 0 && `${counts.invalid} invalid`,
    untouched.length > 0 && `${untouched.length} other webhooks are left alone`,
  ]
  return `${parts.filter((part) => part !== false).join(', ')}.`
}
