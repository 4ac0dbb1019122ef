import { setImmediate } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, messageOf, gatewayCodes } from '../../../src-preload/domain/app-error.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { WebhooksClient } from '../../gateway/webhooks.ts'
import type { MoveChange, Moves } from '../store/moves.ts'
import { pagesOf } from '../../database/pages.ts'
import type { Room } from '../room.ts'
import type { Mirror } from '../sync/mirror.ts'
import { readOpcodes } from '../webhooks.ts'
import type { Webhook, WebhookMove, WebhookStatus } from '../../../src-preload/contract/webhook.ts'

const accountsAtOnce = 2000

export async function countUndelivered(
  moves: Pick<Moves, 'undelivered'>,
  keys: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0
  for (let after = ''; ;) {
    const counted = moves.undelivered(keys, after, accountsAtOnce)
    if (counted === null) return total
    total += counted.count
    after = counted.last
    // Yielding lets deliveries be stored between two steps.
    await setImmediate()
    signal.throwIfAborted()
  }
}

/**
 * Returns why events are not drained yet. For events without an account the gateway reports only
 * whether its last attempts failed. A webhook that is not online gets no attempts.
 */
export function whyNotDrained(
  { status, failedAttempts, endpoint }: Pick<Webhook, 'status' | 'failedAttempts' | 'endpoint'>,
  undelivered: number,
): string | null {
  if (status === 'offline' || status === 'suspended') {
    return describeDifference.notOnline(endpoint, status, undelivered)
  }
  if (undelivered > 0 || (failedAttempts ?? 0) > 0)
    return describeDifference.undelivered(endpoint, undelivered)
  return failedAttempts === null ? describeDifference.unknown(endpoint) : null
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
 */
export async function levelSubscriptions(
  pair: Pair,
  room: Room<'access' | 'book' | 'mirror' | 'store'>,
  onProgress: (change: MoveChange) => void,
  signal: AbortSignal,
): Promise<number> {
  const { book } = room
  const { id, network } = pair
  const queryOptions = { priority: 'job', owner: `move/${id}`, signal } as const
  await book.readAnew(network, queryOptions)
  const from = book.find(network, pair.from)
  const to = book.find(network, pair.to)
  const copied = to.accounts ?? 0
  onProgress({ total: from.accounts, copied })
  await readPair(pair, room.mirror, signal)
  const steps = {
    ...room,
    ...pair,
    ...room.store,
    client: room.access.webhooks(network),
    queryOptions,
  }
  return (
    (await levelAccounts(steps, (changed) => onProgress({ copied: copied + changed }))) +
    (await levelOpcodes(steps)) +
    (await levelFlag(steps, 'mempool', from.mempool === true, to.mempool === true)) +
    (await levelFlag(steps, 'new-contracts', from.newContracts === true, to.newContracts === true))
  )
}

/** Reads the new webhook first, so that the old webhook had time for every event that the new one shows. */
export async function readPair(pair: Pair, mirror: Mirror, signal: AbortSignal): Promise<void> {
  for (const webhook of [pair.to, pair.from]) {
    // A reading that began earlier may miss rows that changed since.
    const isReading = mirror.state(pair.network, webhook).reading !== null
    if (isReading) await mirror.read(pair.network, webhook, signal)
    await mirror.read(pair.network, webhook, signal)
  }
}

type Steps = Pair & {
  readonly queryOptions: QueryOptions
  readonly client: WebhooksClient
  readonly mirror: Mirror
  readonly moves: Moves
}

async function levelAccounts(
  { id, network, from, to, queryOptions, client, mirror, moves }: Steps,
  onSubscribed: (count: number) => void,
): Promise<number> {
  let changed = 0
  const wanted = pagesOf<string>((last = '') => mirror.accounts(network, from, last, chunk))
  for await (const page of wanted) {
    const there = mirror.among(network, to, page)
    const missing = page.filter((account) => !there.has(account))
    if (missing.length === 0) continue
    moves.addSubjects(id, 'account', missing)
    await inHalves(missing, (part) => client.subscribeAccounts(to, part, queryOptions))
    mirror.subscribed(network, to, missing)
    changed += missing.length
    onSubscribed(changed)
  }
  const copied = pagesOf<string>((last = '') => moves.subjects(id, 'account', last, chunk))
  for await (const page of copied) {
    const there = mirror.among(network, from, page)
    const dropped = page.filter((account) => !there.has(account))
    if (dropped.length === 0) continue
    await inHalves(dropped, (part) => client.unsubscribeAccounts(to, part, queryOptions))
    mirror.unsubscribed(network, to, dropped)
    moves.removeSubjects(id, 'account', dropped)
    changed += dropped.length
  }
  return changed
}

/** Opcodes that the gateway disabled are not copied, because subscribing would enable them. */
async function levelOpcodes({ id, from, to, queryOptions, client, moves }: Steps): Promise<number> {
  const active = (await readOpcodes(client, from, queryOptions)).filter(
    ({ status }) => status === 'active',
  )
  const wanted = new Set(active.map(({ opcode }) => opcode))
  const there = new Set((await readOpcodes(client, to, queryOptions)).map(({ opcode }) => opcode))
  const missing = [...wanted].filter((opcode) => !there.has(opcode))
  moves.addSubjects(id, 'opcode', missing)
  for (const opcode of missing) await client.setOpcode(to, opcode, true, queryOptions)
  let changed = missing.length
  const copied = pagesOf<string>((last = '') => moves.subjects(id, 'opcode', last, chunk))
  for await (const page of copied) {
    for (const opcode of page.filter((each) => !wanted.has(each))) {
      await client.setOpcode(to, opcode, false, queryOptions)
      moves.removeSubjects(id, 'opcode', [opcode])
      changed += 1
    }
  }
  return changed
}

async function levelFlag(
  { id, to, queryOptions, client, moves }: Steps,
  flag: 'mempool' | 'new-contracts',
  wanted: boolean,
  there: boolean,
): Promise<number> {
  // A flag that another client switched on stays on.
  if (wanted === there || (there && !moves.hasFlag(id, flag))) return 0
  if (wanted) moves.addSubjects(id, flag, [''])
  if (flag === 'mempool') await client.setMempool(to, wanted, queryOptions)
  else await client.setNewContracts(to, wanted, queryOptions)
  if (!wanted) moves.removeSubjects(id, flag, [''])
  return 1
}

async function inHalves(
  accounts: readonly string[],
  request: (part: readonly string[]) => Promise<void>,
): Promise<void> {
  try {
    await request(accounts)
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === gatewayCodes.refused
    if (!isRefused || accounts.length === 1) throw error
    const half = Math.ceil(accounts.length / 2)
    await inHalves(accounts.slice(0, half), request)
    await inHalves(accounts.slice(half), request)
  }
}

type Move = Pick<WebhookMove, 'from' | 'to' | 'copied' | 'step'>

const wayOut =
  'Fix the endpoint and bring the webhook back online, or finish the move without these events. A missed-event check can list and rebuild them later.'

export const describeDifference = {
  undelivered: (endpoint: string, accounts: number) =>
    `${accounts === 0 ? 'Some events are' : `${countOf(accounts)} an event that is`} not delivered to ${endpoint} yet. ${wayOut}`,
  unknown: (endpoint: string) =>
    `The gateway does not state whether all events were delivered to ${endpoint}. ${wayOut}`,
  notOnline: (endpoint: string, status: WebhookStatus, accounts: number) =>
    `The gateway does not deliver to ${endpoint}: the webhook is ${status}${
      accounts === 0 ? '' : `, and ${lower(countOf(accounts))} an event that was not delivered`
    }. Other events may be waiting for their first attempt. ${wayOut}`,
  oldGone: ({ from, to, copied }: Move) =>
    to.id === null
      ? `Webhook ${from.id} was deleted outside this app, so there is nothing left to move. Roll back the move.`
      : `Webhook ${from.id} was deleted outside this app. The new webhook has ${copied.toLocaleString('en')} of its accounts. Finish the move to keep the new webhook, or roll back to delete it.`,
  oldChanged: ({ from }: Move, endpoint: string) =>
    `Webhook ${from.id} was changed outside this app and now delivers to ${endpoint} instead of ${from.endpoint}. Resume to move the webhook anyway, or roll back.`,
  newGone: ({ to }: Move) =>
    `The new webhook ${to.id ?? ''} was deleted outside this app. Resume to create another webhook, or roll back.`,
  newChanged: ({ to }: Move, endpoint: string) =>
    `The new webhook ${to.id ?? ''} was changed outside this app and delivers to ${endpoint} instead of ${to.endpoint}. Roll back, and start another move.`,
  bothGone: ({ from, to }: Move) =>
    `The move deleted webhook ${from.id}, and the new webhook ${to.id ?? ''} was deleted outside this app. Create a webhook and apply its subscriptions from a file.`,
  refused: (message: string) => `${message} Then resume, or roll back.`,
  broken: (error: unknown) =>
    `The move stopped because of an internal error (${messageOf(error)}). Resume, or roll back.`,
}

const countOf = (accounts: number): string =>
  accounts === 1 ? 'One account has' : `${accounts.toLocaleString('en')} accounts have`

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
