/** Runs one change. Items are marked as sent before each request, so that a killed run can continue. */
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { createChunkSize, readLimit } from '../../jobs/chunk-size.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../../jobs/job-run.ts'
import { type Refusal, readRefusal } from '../../jobs/refusal.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { OpenItem, Settled, ChangedWebhook, ChangeRecord } from '../store/changes.ts'
import { unlessAborted } from '../book.ts'
import type { Room } from '../room.ts'
import { isSameEndpoint } from '../../app/self-addresses.ts'
import { type GatewayState, createNarrowing, readState } from './gateway-state.ts'

export type ChangeRunDeps = Room<'access' | 'book' | 'mirror' | 'store'> & {
  readonly limits: {
    get(network: NetworkId): number | null
    set(network: NetworkId, accounts: number): void
  }
}

/** Changes of a network run one after another, because each compares with the current state. */
export type Turn = {
  readonly before: Promise<unknown>
  readonly name: string | null
  readonly end: () => void
}

const maxAtOnce = 1000
const settlingMs = 2000
/** Consecutive failures of one request before smaller ones are tried, or of one item before it is skipped. */
const maxTroubles = 3
/** If this many items are refused and none is accepted, the change fails: the items are not the reason. */
const maxRefusedAtFirst = 5

/** A first item that failed repeatedly. It is settled as failed once other items are taken. */
type Doubtful = {
  readonly index: number
  readonly reason: string
  readonly takenBefore: number
  isPassedOver: boolean
}

export function createChangeWork(
  change: ChangeRecord,
  turn: Turn,
  { halt, abort, backoff, rest, count }: JobControl,
  deps: ChangeRunDeps,
  onSuperseded: (ids: readonly number[]) => void,
): JobWork {
  const { id, network } = change
  const { book, mirror, limits } = deps
  const { changes, changeItems: items } = deps.store
  const chunk = createChunkSize(limits.get(network), (n) => limits.set(network, n), maxAtOnce)
  const narrowing = createNarrowing(chunk)
  const reading = { priority: 'job', owner: `change ${id}`, signal: halt } as const
  const writing = { ...reading, signal: abort }
  const settle = (settled: Settled) => items.settle(id, settled)
  let webhooks = changes.webhooks(id)
  let isWaiting = true
  /** The gateway's current state; null when it must be read before the next request. */
  let seen: GatewayState | null = null
  let hasActed = false
  let troubles = 0
  let taken = change.counts.done
  let refusedAlone = 0
  /** Index of an item refused with 404 or 409, which may mean that it is in effect already. */
  let suspect = -1
  let doubtful: Doubtful | null = null

  async function waitForTurn(): Promise<JobEnd | null> {
    await unlessAborted(turn.before, halt).catch(() => undefined)
    if (halt.aborted) return null
    isWaiting = false
    return tooLate()
  }

  /** Changes that ran before this one may have altered the same webhooks on purpose. */
  function tooLate(): JobEnd | null {
    const now = changes.get(id)
    if (now?.isSuperseded === true) return { state: 'paused', problem: superseded }
    const undone = change.undoes === null ? null : changes.get(change.undoes)
    if (now?.hasActed === true || undone?.isSuperseded !== true) return null
    return { state: 'failed', problem: undoSuperseded }
  }

  async function step(): Promise<JobEnd | null> {
    if (seen === null) return look()
    const size = narrowing.size()
    const open = items.open(id, size + 1)
    if (doubtful?.index !== open[0]?.index) doubtful = null
    if (doubtful?.isPassedOver === true && open.length > 1) open.shift()
    const [first, ...more] = open.slice(0, size)
    if (first === undefined) return finish()
    const webhook = webhooks.find(({ place }) => place === first.webhook)
    if (webhook === undefined)
      throw new Error(`The change with the ID ${id} has no webhook ${first.webhook}.`)
    if (first.what === 'webhook') return create(first, webhook, seen)
    const rest = first.what === 'account' ? more : []
    const end = rest.findIndex((item) => !isAlike(item, first))
    const group = [first, ...(end === -1 ? rest : rest.slice(0, end))]
    if (webhook.id === null) {
      settle({ failed: group.map(({ index }) => ({ index, reason: notCreated })) })
      return null
    }
    return apply(group, webhook.id, seen)
  }

  async function look(): Promise<JobEnd | null> {
    try {
      const state = await readState({ id, network }, webhooks, deps, reading)
      if (typeof state === 'string') return { state: 'paused', problem: state }
      seen = state
      return null
    } catch (error) {
      halt.throwIfAborted()
      const refusal = readRefusal(error)
      return refusal.kind === 'passing' ? passBy(refusal) : standStill(refusal.message)
    }
  }

  async function apply(
    group: OpenItem[],
    webhook: string,
    state: GatewayState,
  ): Promise<JobEnd | null> {
    const isInEffect = state.isInEffect(group)
    const so = group.filter((item) => isInEffect(item) === true)
    settle({
      // An item that was sent before and is now in effect counts as this change's doing.
      done: indexesOf(so.filter(({ isSent }) => isSent)),
      unchanged: indexesOf(so.filter(({ isSent }) => !isSent)),
    })
    const left = group.filter((item) => isInEffect(item) !== true)
    const [first] = left
    if (first === undefined) return null
    if (doubtful?.index === first.index && taken > doubtful.takenBefore) {
      settle({ failed: [{ index: first.index, reason: doubtful.reason }] })
      doubtful = null
      return null
    }
    begin(left)
    try {
      await send(left, first, webhook)
    } catch (error) {
      abort.throwIfAborted()
      return meet(left, error)
    }
    backoff.answered()
    troubles = 0
    taken += left.length
    if (doubtful?.index === first.index) doubtful = null
    else if (doubtful !== null) doubtful.isPassedOver = false
    narrowing.taken(left.length, left.at(-1)?.index ?? 0)
    // Where the earlier state is unknown, an undo must not revert the item.
    settle(isInEffect(first) === null ? { unchanged: indexesOf(left) } : { done: indexesOf(left) })
    count(left.length)
    return null
  }

  function begin(left: readonly OpenItem[]): void {
    if (!hasActed) onSuperseded(changes.supersedeOthers(id))
    hasActed = true
    items.send(id, indexesOf(left))
  }

  async function send(left: readonly OpenItem[], first: OpenItem, webhook: string): Promise<void> {
    const client = deps.access.webhooks(network)
    const on = first.act === 'subscribe'
    switch (first.what) {
      case 'account': {
        const accounts = left.map(({ subject }) => subject)
        if (on) await client.subscribeAccounts(webhook, accounts, writing)
        else await client.unsubscribeAccounts(webhook, accounts, writing)
        if (on) mirror.subscribed(network, webhook, accounts)
        else mirror.unsubscribed(network, webhook, accounts)
        return
      }
      case 'opcode':
        return client.setOpcode(webhook, first.subject, on, writing)
      case 'new-contracts':
        return client.setNewContracts(webhook, on, writing)
      case 'mempool':
        return client.setMempool(webhook, on, writing)
      case 'webhook':
        throw new Error('This step changes subscriptions and cannot create a webhook.')
    }
  }

  function meet(left: readonly OpenItem[], error: unknown): JobEnd | null {
    const refusal = readRefusal(error)
    const { status } = ((error as AppError).data ?? {}) as TroubleData
    if (refusal.kind === 'passing') {
      // A response of 429 means that nothing was done.
      if (status === 429) takeBack(left)
      else seen = null
      if (refusal.isOwn) doubt(left, refusal.message)
      if (refusal.isTimeout || troubles >= maxTroubles) narrow(left)
      return passBy(refusal)
    }
    const mayBeSo = status === 404 || status === 409
    if (mayBeSo && left[0]?.index !== suspect) {
      suspect = left[0]?.index ?? -1
      seen = null
      return null
    }
    if (refusal.kind === 'request' || mayBeSo) return refuse(left, refusal.message)
    takeBack(left)
    return standStill(refusal.message)
  }

  function takeBack(left: readonly OpenItem[]): void {
    settle({ waiting: indexesOf(left.filter(({ isSent }) => !isSent)) })
  }

  /** The gateway failed on this request. The items behind the first show whether it fails on every request. */
  function doubt(left: readonly OpenItem[], reason: string): void {
    troubles += 1
    const [first] = left
    if (doubtful !== null) doubtful.isPassedOver = !doubtful.isPassedOver
    else if (first !== undefined && left.length === 1 && troubles >= maxTroubles) {
      const isLast = items.open(id, 2).length === 1
      const takenBefore = isLast ? 0 : taken
      doubtful = { index: first.index, reason, takenBefore, isPassedOver: !isLast }
    }
  }

  function refuse(left: readonly OpenItem[], message: string): JobEnd | null {
    const limit = readLimit(message)
    if (limit !== null && limit < left.length) {
      chunk.told(limit)
      takeBack(left)
      return null
    }
    const named = left.filter(({ subject }) => subject !== '' && message.includes(subject))
    const bad = left.length === 1 ? left : named
    settle({ failed: bad.map(({ index }) => ({ index, reason: message })) })
    takeBack(left.filter((item) => !bad.includes(item)))
    if (bad.length === 0) {
      narrow(left)
      return null
    }
    narrowing.spoilt()
    refusedAlone += bad.length
    if (taken > 0 || refusedAlone < maxRefusedAtFirst) return null
    return {
      state: 'failed',
      problem: `The gateway accepts none of these subscriptions. ${message}`,
    }
  }

  function narrow(left: readonly OpenItem[]): void {
    if (left.length > 1) narrowing.refused(left.length, left.at(-1)?.index ?? 0)
  }

  async function create(
    item: OpenItem,
    { place, id: made, endpoint, knownBefore }: ChangedWebhook,
    at: GatewayState,
  ): Promise<JobEnd | null> {
    if (made !== null) {
      settle(item.isSent ? { done: [item.index] } : { unchanged: [item.index] })
      return null
    }
    const [found, ...others] = at.webhooks.filter((each) => isSameEndpoint(each.endpoint, endpoint))
    if (knownBefore === null && found !== undefined) {
      if (others.length > 0) return standStill(`Several webhooks now deliver to ${endpoint}.`)
      adopt(place, found.id)
      return null
    }
    const before = knownBefore ?? at.webhooks.map((each) => each.id)
    if (knownBefore === null) changes.beginCreation(id, place, before)
    // A request sent before a kill may still take effect.
    if (item.isSent) await rest(settlingMs)
    if (halt.aborted) return null
    begin([item])
    try {
      const { id: webhook } = await book.create(network, endpoint, new Set(before))
      backoff.answered()
      adopt(place, webhook)
      return null
    } catch (error) {
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') return passBy(refusal)
      if (refusal.kind === 'standstill') return standStill(refusal.message)
      settle({ failed: [{ index: item.index, reason: refusal.message }] })
      return null
    }
  }

  function adopt(place: number, webhook: string): void {
    changes.setWebhook(id, place, webhook)
    webhooks = changes.webhooks(id)
    seen = null
    hasActed = false
  }

  async function finish(): Promise<JobEnd> {
    try {
      // Refreshes the webhook's counts. The change is complete even if this read fails.
      await book.read(network, reading)
    } catch (error) {
      if (!(error instanceof AppError) && !halt.aborted) throw error
    }
    return done
  }

  function passBy({ message, retryAfterMs }: Refusal & { kind: 'passing' }): null {
    backoff.pause(message, retryAfterMs)
    return null
  }

  function standStill(message: string): JobEnd {
    return { state: 'paused', problem: `${message} Then resume the change.` }
  }

  return {
    next: () => (isWaiting ? waitForTurn() : step()),
    problem: () =>
      isWaiting && turn.name !== null
        ? `Waiting for "${turn.name}", which changes the same network.`
        : null,
    ended: turn.end,
  }
}

export const superseded =
  'Another change has altered the same webhooks, and continuing could revert that change. Start a new change for the remaining steps.'

const undoSuperseded =
  'Another change altered the same webhooks before this undo started, and the undo could revert that change.'

const notCreated = 'The webhook was not created.'

function isAlike(one: OpenItem, other: OpenItem): boolean {
  return one.webhook === other.webhook && one.act === other.act && one.what === other.what
}

function indexesOf(group: readonly OpenItem[]): number[] {
  return group.map(({ index }) => index)
}
