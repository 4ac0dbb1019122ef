/** Changes: begun, run one after another, paused, gone on with, undone, removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Change } from '../../../src-preload/contract/subscription.ts'
import { subscriptionCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { createJobRuns } from '../../jobs/job-runs.ts'
import type { Action, NewItem } from '../store/change-items.ts'
import type { ChangeRecord, NewChange } from '../store/changes.ts'
import { type ChangeRunDeps, type Turn, createChangeRun, superseded } from './change-run.ts'

type ChangesDeps = Omit<ChangeRunDeps, 'onChanged' | 'onSuperseded'> & {
  readonly onChanged: (changes: readonly Change[]) => void
  readonly onRemoved: (id: number) => void
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY */
  readonly refuseWhileMoving: (network: NetworkId, id: string) => void
}

type ChangeRoute = Extract<keyof Handlers, `change.${string}`>

export type ChangesPart = {
  readonly handlers: Pick<Handlers, ChangeRoute>
  /**
   * Writes a change down and runs it.
   * @param actions in the order in which they are to be done; taken piece by piece
   * @throws AppError CHANGE_EMPTY
   */
  readonly make: (
    change: Omit<NewChange, 'createdAt' | 'undoes'>,
    actions: Iterable<Action>,
  ) => Promise<Change>
  /** @throws AppError CHANGE_NOT_NOW while a change of the webhook runs */
  readonly refuseWhileChanging: (network: NetworkId, webhook: string) => void
  /** Takes up what ran when the app ended, and clears away what a kill has left half made. */
  resumeAll(): void
  /** The network is gone, or another gateway's. */
  forget(network: NetworkId): Promise<void>
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

const itemsAtOnce = 2000
/** What is under way when a person cancels has this long to be answered. */
const cancelGraceMs = 5000

export function createChangesPart(deps: ChangesDeps): ChangesPart {
  const { changes, items } = deps
  /** Of each network, when all that began so far have ended. */
  const turns = new Map<NetworkId, NonNullable<Turn>>()
  /** Whose undo is still being written down. */
  const beingUndone = new Set<number>()
  const beingWritten = new Map<Promise<Change>, NetworkId>()
  const runs = createJobRuns({
    ...deps,
    make(id) {
      const change = find(id)
      const turn = turns.get(change.network) ?? null
      const run = createChangeRun(change, turn, {
        ...deps,
        onChanged: () => runs.tell(id),
        onSuperseded: (ids) => {
          for (const each of ids) runs.tell(each)
        },
      })
      const next = { before: Promise.all([turn?.before, run.outcome]), name: change.name }
      turns.set(change.network, next)
      void next.before.then(() => {
        if (turns.get(change.network) === next) turns.delete(change.network)
      })
      return run
    },
    stateOf: (id) => changes.get(id)?.state ?? null,
    setState: (id, change) => changes.setState(id, change),
    emit: (ids) => deps.onChanged(ids.flatMap((id) => changes.get(id) ?? []).map(show)),
  })

  function find(id: number): ChangeRecord {
    const change = changes.get(id)
    if (change !== null) return change
    throw new AppError(
      subscriptionCodes.changeUnknown,
      'There is no such change. It may have been removed.',
    )
  }

  const isRunning = ({ id, state }: ChangeRecord) =>
    state === 'running' && runs.get(id) !== undefined

  const canUndo = (change: ChangeRecord) =>
    !beingUndone.has(change.id) &&
    change.hasActed &&
    change.undoneBy === null &&
    !change.isSuperseded &&
    !isRunning(change)

  function show(change: ChangeRecord): Change {
    const run = isRunning(change) ? runs.get(change.id) : undefined
    const rate = run?.rate() ?? null
    return {
      ...withoutInner(change),
      problem: run?.problem() ?? change.problem,
      rate,
      secondsLeft: rate === null || rate === 0 ? null : Math.ceil(change.counts.waiting / rate),
      canUndo: canUndo(change),
    }
  }

  const read = (id: number) => show(find(id))

  function refuseWhileMoving({ network, webhooks }: Pick<NewChange, 'network' | 'webhooks'>): void {
    for (const { id } of webhooks) if (id !== null) deps.refuseWhileMoving(network, id)
  }

  async function write(change: NewChange, actions: Iterable<NewItem>): Promise<Change> {
    const id = changes.begin(change)
    let slice: NewItem[] = []
    for (const action of actions) {
      slice.push(action)
      if (slice.length < itemsAtOnce) continue
      items.add(id, slice)
      slice = []
      await breathe()
    }
    items.add(id, slice)
    try {
      // It may have begun to move meanwhile.
      refuseWhileMoving(change)
    } catch (error) {
      clear(id).catch(deps.onBug)
      throw error
    }
    changes.finish(id)
    runs.start(id)
    runs.tell(id)
    return read(id)
  }

  async function begin(change: NewChange, actions: Iterable<NewItem>): Promise<Change> {
    const written = write(change, actions)
    beingWritten.set(written, change.network)
    return written.finally(() => beingWritten.delete(written))
  }

  async function cancel(id: number): Promise<void> {
    await runs.cancel(id, cancelGraceMs)
    await leaveOut(id)
  }

  async function leaveOut(id: number): Promise<void> {
    while (items.cancelSome(id)) await breathe()
  }

  async function clear(id: number): Promise<void> {
    while (items.removeSome(id)) await breathe()
  }

  async function remove(id: number): Promise<void> {
    await runs.halt(id, 0)
    changes.remove(id)
    deps.onRemoved(id)
    await clear(id)
  }

  /** What it did, the other way round, last first. What is so already is found out as it runs. */
  function* inverse(id: number): Generator<NewItem, void> {
    let before = Infinity
    for (;;) {
      const page = items.acted(id, Math.min(before, Number.MAX_SAFE_INTEGER), itemsAtOnce)
      for (const { act, ...action } of page) {
        if (act === 'create') yield { ...action, act, unchanged: keptWebhook }
        else yield { ...action, act: opposite[act], unchanged: null }
      }
      const last = page.at(-1)
      if (last === undefined) return
      before = last.index
    }
  }

  async function undo({ id, state, network, name }: ChangeRecord): Promise<Change> {
    if (state !== 'done' && state !== 'cancelled') {
      await cancel(id)
    }
    const about = { network, name: `Undo: ${name}`, kind: 'undo', undoes: id } as const
    const made = { ...about, createdAt: deps.now(), webhooks: changes.webhooks(id) }
    return begin(made, inverse(id))
  }

  return {
    async make(change, actions) {
      const all = Iterator.from(actions).map((action): NewItem => ({ ...action, unchanged: null }))
      return begin({ ...change, createdAt: deps.now(), undoes: null }, all)
    },
    refuseWhileChanging(network, webhook) {
      const running = changes
        .list(network)
        .find((change) => isRunning(change) && change.webhooks.some(({ id }) => id === webhook))
      if (running === undefined) return
      const message = `The subscriptions of webhook ${webhook} are being changed (${running.name}). Let that end first, or cancel it.`
      throw new AppError(subscriptionCodes.changeNotNow, message)
    },
    resumeAll() {
      for (const id of items.orphans()) void clear(id).catch(deps.onBug)
      for (const change of changes.list(null).reverse()) {
        // A kill may have come before all of it was left out.
        if (change.state === 'cancelled') void leaveOut(change.id).catch(deps.onBug)
        if (change.state !== 'running') continue
        if (change.isSuperseded) {
          changes.setState(change.id, { state: 'paused', problem: superseded, finishedAt: null })
        } else runs.start(change.id)
      }
    },
    async forget(network) {
      const unwritten = [...beingWritten].flatMap(([written, of]) =>
        of === network ? [written] : [],
      )
      await Promise.allSettled(unwritten)
      for (const { id } of changes.list(network)) await remove(id)
    },
    stop: () => runs.stop(),
    handlers: {
      'change.list': ({ network }) => changes.list(network).map(show),
      'change.get': ({ id }) => read(id),
      'change.items'({ id, state, offset, limit }) {
        find(id)
        return items.page(id, state, offset, limit)
      },
      async 'change.pause'({ id }) {
        if (find(id).state === 'running') await runs.pause(id)
        return read(id)
      },
      async 'change.resume'({ id }) {
        const change = find(id)
        const { state, counts } = change
        if (isRunning(change) || state === 'cancelled') return read(id)
        if (state === 'done' && counts.failed === 0) return read(id)
        if (beingUndone.has(id)) throw new AppError(subscriptionCodes.changeNotNow, undoing)
        if (change.isSuperseded || change.undoneBy !== null) {
          throw new AppError(subscriptionCodes.changeNotNow, superseded)
        }
        refuseWhileMoving(change)
        while (items.retrySome(id)) await breathe()
        await runs.resume(id)
        return read(id)
      },
      async 'change.cancel'({ id }) {
        const { state } = find(id)
        if (state === 'done' || state === 'cancelled') return read(id)
        await cancel(id)
        runs.tell(id)
        return read(id)
      },
      async 'change.undo'({ id }) {
        const change = find(id)
        if (!canUndo(change)) throw new AppError(subscriptionCodes.changeNotNow, whyNot(change))
        refuseWhileMoving(change)
        beingUndone.add(id)
        try {
          return await undo(change)
        } finally {
          beingUndone.delete(id)
          runs.tell(id)
        }
      },
      async 'change.remove'({ id }) {
        if (isRunning(find(id))) {
          throw new AppError(subscriptionCodes.changeNotNow, 'It runs: pause or cancel it first.')
        }
        // What it did is still being read.
        if (beingUndone.has(id)) throw new AppError(subscriptionCodes.changeNotNow, undoing)
        await remove(id)
        return {}
      },
    },
  }

  function whyNot(change: ChangeRecord): string {
    if (isRunning(change)) return 'It runs: pause or cancel it first.'
    if (beingUndone.has(change.id)) return undoing
    if (change.undoneBy !== null) return `Change ${change.undoneBy} has undone it already.`
    if (!change.hasActed) return 'It has subscribed and unsubscribed nothing that could be undone.'
    return 'Only the last change of a webhook can be undone, and another has altered the same since.'
  }
}

function withoutInner(change: ChangeRecord): Omit<ChangeRecord, 'isSuperseded' | 'hasActed'> {
  const { id, network, kind, name, createdAt, finishedAt, state, problem } = change
  const { webhooks, counts, undoes, undoneBy } = change
  return {
    ...{ id, network, kind, name, createdAt, finishedAt, state, problem },
    ...{ webhooks, counts, undoes, undoneBy },
  }
}

const undoing = 'It is being undone already.'

const opposite = { subscribe: 'unsubscribe', unsubscribe: 'subscribe' } as const

const keptWebhook =
  'The change has created this webhook. An undo leaves it, for others may rely on it by now: ' +
  'delete it by hand if it is not wanted.'
