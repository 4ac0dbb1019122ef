import { setImmediate } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Asking } from '../../gateway/query.ts'
import type { WebhooksClient } from '../../gateway/webhooks.ts'
import type { MoveChange, Moves } from '../store/moves.ts'
import type { WebhookBook } from '../book.ts'
import type { Mirror } from '../sync/mirror.ts'
import { readOpcodes } from '../webhooks.ts'
import type { Webhook, WebhookMove, WebhookStatus } from '../../../src-preload/contract/webhook.ts'

/** Accounts per step; deliveries are stored between two steps. */
const step = 2000

export async function countUndelivered(
  moves: Pick<Moves, 'undelivered'>,
  keys: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0
  for (let after = ''; ;) {
    const counted = moves.undelivered(keys, after, step)
    if (counted === null) return total
    total += counted.count
    after = counted.last
    await setImmediate()
    signal.throwIfAborted()
  }
}

/**
 * For events without an account the gateway reports only whether its last attempts failed. A webhook that
 * is not online gets no attempts.
 */
export function readDrained(
  { status, failedAttempts, endpoint }: Pick<Webhook, 'status' | 'failedAttempts' | 'endpoint'>,
  undelivered: number,
): { readonly isQuiet: true } | { readonly isQuiet: false; readonly problem: string } {
  if (status === 'offline' || status === 'suspended') {
    return { isQuiet: false, problem: words.notOnline(endpoint, status, undelivered) }
  }
  if (undelivered > 0 || (failedAttempts ?? 0) > 0) {
    return { isQuiet: false, problem: words.undelivered(endpoint, undelivered) }
  }
  return { isQuiet: true }
}

type LevelDeps = {
  readonly client: WebhooksClient
  readonly book: WebhookBook
  readonly mirror: Mirror
  readonly moves: Moves
  readonly onProgress: (change: MoveChange) => void
}

export type Pair = {
  readonly id: number
  readonly network: NetworkId
  readonly from: string
  readonly to: string
}

const chunk = 1000

/**
 * Makes the new webhook's subscriptions equal to the old one's; safe to repeat after a kill.
 * @returns the number of changed subscriptions
 * @throws AppError as the client does; the signal's reason
 */
export async function level(pair: Pair, deps: LevelDeps, signal: AbortSignal): Promise<number> {
  const { book, onProgress } = deps
  const asking = { priority: 'job', owner: `move/${pair.id}`, signal } as const
  await book.readAnew(pair.network, asking)
  const from = book.find(pair.network, pair.from)
  const to = book.find(pair.network, pair.to)
  onProgress({ total: from.accounts, copied: to.accounts ?? 0 })
  await readBoth(pair, deps.mirror, signal)
  const steps = { pair, deps, asking }
  return (
    (await levelAccounts(steps, to.accounts ?? 0)) +
    (await levelOpcodes(steps)) +
    (await levelFlag(steps, 'mempool', from.mempool === true, to.mempool === true)) +
    (await levelFlag(steps, 'new-contracts', from.newContracts === true, to.newContracts === true))
  )
}

/** Reads the new webhook first, so that the old one had time for every event that the new one shows. */
export async function readBoth(pair: Pair, mirror: Mirror, signal: AbortSignal): Promise<void> {
  for (const webhook of [pair.to, pair.from]) {
    // A reading that began earlier may have passed rows that changed since.
    const isReading = mirror.state(pair.network, webhook).reading !== null
    if (isReading) await mirror.read(pair.network, webhook, signal)
    await mirror.read(pair.network, webhook, signal)
  }
}

type Steps = { readonly pair: Pair; readonly deps: LevelDeps; readonly asking: Asking }

async function levelAccounts({ pair, deps, asking }: Steps, before: number): Promise<number> {
  const { client, mirror, moves, onProgress } = deps
  const { id, network, from, to } = pair
  let changed = 0
  for (const page of pages((after) => mirror.accounts(network, from, after, chunk))) {
    const there = mirror.among(network, to, page)
    const missing = page.filter((account) => !there.has(account))
    await setImmediate()
    if (missing.length === 0) continue
    moves.addSubjects(id, 'account', missing)
    await inHalves(missing, (part) => client.subscribeAccounts(to, part, asking))
    mirror.subscribed(network, to, missing)
    changed += missing.length
    onProgress({ copied: before + changed })
  }
  for (const page of pages((after) => moves.subjects(id, 'account', after, chunk))) {
    const wanted = mirror.among(network, from, page)
    const dropped = page.filter((account) => !wanted.has(account))
    await setImmediate()
    if (dropped.length === 0) continue
    await inHalves(dropped, (part) => client.unsubscribeAccounts(to, part, asking))
    mirror.unsubscribed(network, to, dropped)
    moves.removeSubjects(id, 'account', dropped)
    changed += dropped.length
  }
  return changed
}

/** Opcodes that the gateway disabled are not copied, because subscribing would enable them. */
async function levelOpcodes({ pair, deps, asking }: Steps): Promise<number> {
  const { client, moves } = deps
  const { id, from, to } = pair
  const active = (await readOpcodes(client, from, asking)).filter(
    ({ status }) => status === 'active',
  )
  const wanted = new Set(active.map(({ opcode }) => opcode))
  const there = new Set((await readOpcodes(client, to, asking)).map(({ opcode }) => opcode))
  const missing = [...wanted].filter((opcode) => !there.has(opcode))
  moves.addSubjects(id, 'opcode', missing)
  for (const opcode of missing) await client.setOpcode(to, opcode, true, asking)
  let changed = missing.length
  for (const page of pages((after) => moves.subjects(id, 'opcode', after, chunk))) {
    for (const opcode of page.filter((each) => !wanted.has(each))) {
      await client.setOpcode(to, opcode, false, asking)
      moves.removeSubjects(id, 'opcode', [opcode])
      changed += 1
    }
  }
  return changed
}

async function levelFlag(
  { pair, deps, asking }: Steps,
  flag: 'mempool' | 'new-contracts',
  wanted: boolean,
  there: boolean,
): Promise<number> {
  const { client, moves } = deps
  const { id, to } = pair
  // A flag that somebody else switched on stays on.
  if (wanted === there || (there && !moves.hasFlag(id, flag))) return 0
  if (wanted) moves.addSubjects(id, flag, [''])
  if (flag === 'mempool') await client.setMempool(to, wanted, asking)
  else await client.setNewContracts(to, wanted, asking)
  if (!wanted) moves.removeSubjects(id, flag, [''])
  return 1
}

function* pages(next: (after: string) => string[]): Generator<readonly string[]> {
  for (let page = next(''); page.length > 0; page = next(page.at(-1) ?? '')) yield page
}

async function inHalves(
  accounts: readonly string[],
  ask: (part: readonly string[]) => Promise<void>,
): Promise<void> {
  try {
    await ask(accounts)
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === gatewayCodes.refused
    if (!isRefused || accounts.length === 1) throw error
    const half = Math.ceil(accounts.length / 2)
    await inHalves(accounts.slice(0, half), ask)
    await inHalves(accounts.slice(half), ask)
  }
}

type Move = Pick<WebhookMove, 'from' | 'to' | 'copied' | 'step'>

const wayOut =
  'Mend the endpoint and bring the webhook back online, or finish without them: a check for missed events can name what was lost, and rebuild it.'

export const words = {
  undelivered: (endpoint: string, accounts: number) =>
    `${accounts === 0 ? 'Events that are' : `${countOf(accounts)} an event that is`} not delivered to ${endpoint} yet. ${wayOut}`,
  notOnline: (endpoint: string, status: WebhookStatus, accounts: number) =>
    `The gateway does not deliver to ${endpoint}: the webhook is ${status}${
      accounts === 0 ? '' : `, and ${lower(countOf(accounts))} an event that was not delivered`
    }. Events may wait there that were never tried. ${wayOut}`,
  oldGone: ({ from, to, copied }: Move) =>
    to.id === null
      ? `Webhook ${from.id} was deleted elsewhere, so there is nothing left to move. Roll back.`
      : `Webhook ${from.id} was deleted elsewhere. The new one holds ${copied.toLocaleString('en')} of its accounts: finish to keep it as it is, or roll back to remove it.`,
  oldChanged: ({ from }: Move, endpoint: string) =>
    `Webhook ${from.id} delivers to ${endpoint} now, no longer to ${from.endpoint}: somebody changed it. Resume if it is still to be moved, or roll back.`,
  newGone: ({ to }: Move) =>
    `The new webhook ${to.id ?? ''} was deleted elsewhere. Resume to create another, or roll back.`,
  newChanged: ({ to }: Move, endpoint: string) =>
    `The new webhook ${to.id ?? ''} delivers to ${endpoint}, not to ${to.endpoint}: somebody changed it. Roll back, and begin another move.`,
  bothGone: ({ from, to }: Move) =>
    `Webhook ${from.id} is deleted, and the new one ${to.id ?? ''} was deleted elsewhere. Create one anew and subscribe it from a file.`,
  refused: (message: string) => `${message} Then resume, or roll back.`,
  broken: (error: unknown) =>
    `It came to a stop by a fault of Tondesk (${error instanceof Error ? error.message : String(error)}). Resume, or roll back.`,
}

function countOf(accounts: number): string {
  return accounts === 1 ? 'One account has' : `${accounts.toLocaleString('en')} accounts have`
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
