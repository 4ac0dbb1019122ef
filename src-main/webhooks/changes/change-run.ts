/** Runs one change. Items are marked as sent before each request, so that a killed run can continue. */
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { isSameEndpoint } from '../../app/self-addresses.ts'
import type { AbortableRequest } from '../../gateway/query.ts'
import { createChunkSize } from '../../jobs/chunk-size.ts'
import {
  type JobControl,
  type JobEnd,
  type JobWork,
  done,
  failed,
  paused,
} from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import { unlessAborted } from '../book.ts'
import type { Room } from '../room.ts'
import type { ChangedWebhook, ChangeRecord, ItemResult, OpenItem } from '../store/changes.ts'
import { readOpcodes } from '../webhooks.ts'
import { createItemSelection } from './item-selection.ts'

export type ChangeRunDeps = Room<'access' | 'book' | 'mirror' | 'store'> & {
  readonly limits: {
    get(network: NetworkId): number | null
    set(network: NetworkId, accounts: number): void
  }
}

/** Changes of a network run in sequence, because each one is compared with the current state. */
export type Turn = {
  readonly before: Promise<unknown>
  readonly name: string | null
  readonly end: () => void
}

const maxAtOnce = 1000
const settlingMs = 2000

export function createChangeWork(
  change: ChangeRecord,
  turn: Turn,
  { halt, abort, backoff, rest, count }: JobControl,
  deps: ChangeRunDeps,
  onSuperseded: (ids: readonly number[]) => void,
): JobWork {
  const { id, network } = change
  const { book, limits } = deps
  const { changes, changeItems: items } = deps.store
  const chunk = createChunkSize(limits.get(network), (n) => limits.set(network, n), maxAtOnce)
  const selection = createItemSelection(chunk, change.counts.done)
  const reading = { priority: 'job', owner: `change ${id}`, signal: halt } as const
  let webhooks = changes.webhooks(id)
  let isWaiting = true
  /** The gateway's current state; null if it must be read before the next request. */
  let gateway: GatewayState | null = null
  let hasActed = false

  const settle = (settled: readonly OpenItem[], result: ItemResult, reason?: string) =>
    items.settle(id, settled, result, reason)

  async function waitForTurn(): Promise<JobEnd | null> {
    await unlessAborted(turn.before, halt).catch(() => undefined)
    if (halt.aborted) return null
    isWaiting = false
    return whySuperseded(change, changes.get)
  }

  async function step(): Promise<JobEnd | null> {
    if (gateway === null) {
      const found = await readState(change, webhooks, deps, reading)
      if (typeof found === 'string') return paused(found)
      gateway = found
      return null
    }
    const group = selection.next((limit) => items.open(id, limit))
    const [first] = group
    if (first === undefined) return finish(network, book, reading)
    const webhook = webhooks.find(({ place }) => place === first.webhook)
    if (webhook === undefined)
      throw new Error(`The change with the ID ${id} has no webhook ${first.webhook}.`)
    if (first.what === 'webhook') return create(first, webhook, gateway)
    if (webhook.id !== null) return apply(group, webhook.id, gateway)
    settle(group, 'failed', notCreated)
    return null
  }

  async function apply(
    group: readonly OpenItem[],
    webhook: string,
    state: GatewayState,
  ): Promise<JobEnd | null> {
    const isInEffect = state.isInEffect(group)
    const inEffect = Map.groupBy(group, (item) => isInEffect(item) === true)
    const [unsent, sent] = splitSent(inEffect.get(true))
    // An item that was sent before and is now in effect counts as changed by this run.
    settle(sent, 'done')
    settle(unsent, 'unchanged')
    const left = inEffect.get(false) ?? []
    const [first] = left
    if (first === undefined) return null
    const givenUp = selection.whyGivenUp(first)
    if (givenUp !== null) {
      settle([first], 'failed', givenUp)
      return null
    }
    begin(left)
    try {
      await send(left, first, { id: webhook, network }, deps, { ...reading, signal: abort })
    } catch (error) {
      abort.throwIfAborted()
      const failure = selection.failed(left, error, items.open(id, 2).length === 1)
      settle(failure.refused, 'failed', failure.message)
      settle(splitSent(failure.untouched)[0], 'waiting')
      if (failure.isUnclear) gateway = null
      if (failure.mustWait) throw error
      if (!selection.acceptsNone()) return null
      return failed(`The gateway accepts none of these subscriptions. ${failure.message}`)
    }
    backoff.answered()
    selection.accepted(left)
    // If the earlier state is unknown, an undo must not revert the item.
    settle(left, isInEffect(first) === null ? 'unchanged' : 'done')
    count(left.length)
    return null
  }

  function begin(left: readonly OpenItem[]): void {
    if (!hasActed) onSuperseded(changes.supersedeOthers(id))
    hasActed = true
    settle(left, 'sent')
  }

  async function create(
    item: OpenItem,
    { place, id: made, endpoint, knownBefore }: ChangedWebhook,
    { webhooks: listed }: GatewayState,
  ): Promise<JobEnd | null> {
    if (made !== null) {
      settle([item], item.isSent ? 'done' : 'unchanged')
      return null
    }
    const [found, ...others] = listed.filter((each) => isSameEndpoint(each.endpoint, endpoint))
    if (knownBefore === null && found !== undefined) {
      if (others.length === 0) return adopt(place, found.id)
      return paused(`Several webhooks now deliver to ${endpoint}. Then resume the change.`)
    }
    const before = knownBefore ?? listed.map((each) => each.id)
    if (knownBefore === null) changes.beginCreation(id, place, before)
    // A request sent before a kill may still take effect.
    if (item.isSent) await rest(settlingMs)
    if (halt.aborted) return null
    begin([item])
    try {
      const { id: webhook } = await book.create(network, endpoint, new Set(before))
      backoff.answered()
      return adopt(place, webhook)
    } catch (error) {
      const refusal = readRefusal(error)
      if (refusal.kind !== 'request') throw error
      settle([item], 'failed', refusal.message)
      return null
    }
  }

  function adopt(place: number, webhook: string): null {
    changes.setWebhook(id, place, webhook)
    webhooks = changes.webhooks(id)
    gateway = null
    hasActed = false
    return null
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

export const supersededText =
  'Another change has altered the same webhooks, and continuing could revert that change. Start a new change for the remaining steps.'

const undoSuperseded =
  'Another change altered the same webhooks before this undo started, and the undo could revert that change.'

const notCreated = 'The webhook was not created.'

/** Earlier changes may have altered the same webhooks on purpose. */
function whySuperseded(
  { id, undoes }: ChangeRecord,
  get: (id: number) => ChangeRecord | null,
): JobEnd | null {
  const now = get(id)
  if (now?.isSuperseded === true) return paused(supersededText)
  const undone = undoes === null ? null : get(undoes)
  if (now?.hasActed === true || undone?.isSuperseded !== true) return null
  return failed(undoSuperseded)
}

/** Refreshes the webhooks' counts. The change is complete even if this read fails. */
async function finish(network: NetworkId, book: ChangeRunDeps['book'], reading: AbortableRequest) {
  try {
    await book.read(network, reading)
  } catch (error) {
    if (!(error instanceof AppError) && !reading.signal.aborted) throw error
  }
  return done
}

async function send(
  items: readonly OpenItem[],
  { act, what, subject }: OpenItem,
  { id, network }: { readonly id: string; readonly network: NetworkId },
  { access, mirror }: ChangeRunDeps,
  options: AbortableRequest,
): Promise<void> {
  const client = access.webhooks(network)
  const on = act === 'subscribe'
  switch (what) {
    case 'account': {
      const accounts = items.map((item) => item.subject)
      if (on) await client.subscribeAccounts(id, accounts, options)
      else await client.unsubscribeAccounts(id, accounts, options)
      if (on) mirror.subscribed(network, id, accounts)
      else mirror.unsubscribed(network, id, accounts)
      return
    }
    case 'opcode':
      return client.setOpcode(id, subject, on, options)
    case 'new-contracts':
      return client.setNewContracts(id, on, options)
    case 'mempool':
      return client.setMempool(id, on, options)
    case 'webhook':
      throw new Error('This step changes subscriptions and cannot create a webhook.')
  }
}

/** @returns the items that were not sent, and the others */
const splitSent = (items: readonly OpenItem[] = []): [OpenItem[], OpenItem[]] => [
  items.filter(({ isSent }) => !isSent),
  items.filter(({ isSent }) => isSent),
]

type GatewayState = Exclude<Awaited<ReturnType<typeof readState>>, string>

/** @returns a sentence if a webhook differs from the one for which the change was created */
async function readState(
  { id, network }: { readonly id: number; readonly network: NetworkId },
  named: readonly ChangedWebhook[],
  { access, book, mirror, store }: Room<'access' | 'book' | 'mirror' | 'store'>,
  queryOptions: AbortableRequest,
) {
  const webhooks = await book.readAnew(network, queryOptions)
  const found = new Map<number, Webhook>()
  for (const { place, id: webhook, endpoint } of named) {
    if (webhook === null) continue
    const one = webhooks.find((each) => each.id === webhook)
    if (one === undefined) return removed(webhook, endpoint)
    if (!isSameEndpoint(one.endpoint, endpoint)) return moved(one, endpoint)
    found.set(place, one)
  }
  const opcodes = new Map<number, ReadonlySet<number>>()
  for (const [place, webhook] of found) {
    if (store.changeItems.hasOpen(id, place, 'account')) {
      await mirror.read(network, webhook.id, queryOptions.signal)
    }
    if (store.changeItems.hasOpen(id, place, 'opcode')) {
      const read = await readOpcodes(access.webhooks(network), webhook.id, queryOptions)
      opcodes.set(place, new Set(read.map(({ opcode }) => Number(opcode))))
    }
  }

  function present(group: readonly OpenItem[]): (item: OpenItem) => boolean | null {
    const [first] = group
    const webhook = found.get(first?.webhook ?? -1)
    if (first === undefined || webhook === undefined) return () => false
    switch (first.what) {
      case 'account': {
        const subjects = group.map(({ subject }) => subject)
        const there = mirror.among(network, webhook.id, subjects)
        return ({ subject }) => there.has(subject)
      }
      case 'opcode':
        return ({ subject }) => opcodes.get(first.webhook)?.has(Number(subject)) ?? false
      case 'new-contracts':
        return () => webhook.newContracts
      case 'mempool':
        return () => webhook.mempool
      case 'webhook':
        return () => true
    }
  }

  return {
    webhooks,
    /** Null if the gateway does not report it. All items must have the same webhook, act and kind. */
    isInEffect(group: readonly OpenItem[]) {
      const isThere = present(group)
      return (item: OpenItem) => {
        const there = isThere(item)
        return there === null ? null : there === (item.act !== 'unsubscribe')
      }
    },
  }
}

function removed(webhook: string, endpoint: string): string {
  return `Webhook ${webhook}, which delivered to ${endpoint}, no longer exists at the gateway. Tondesk makes no further changes. Stop this change and start a new one for an existing webhook.`
}

function moved({ id, endpoint }: Webhook, before: string): string {
  return `Webhook ${id} delivers to ${endpoint} now, but this change was made for ${before}. Tondesk makes no further changes. Stop this change, and start a new one if you still need it.`
}
