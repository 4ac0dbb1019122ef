import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Change } from '../../../src-preload/contract/subscription.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, subscriptionCodes } from '../../../src-preload/domain/app-error.ts'
import { slicesOf } from '../../database/pages.ts'
import type { Room } from '../room.ts'
import type { Action, ChangeItems, ChangeRecord, NewChange, NewItem } from '../store/changes.ts'
import { type ChangeRunDeps, type Turn, createChangeWork, supersededText } from './change-run.ts'

export type ChangesPart = ReturnType<typeof createChangesPart>

const itemsAtOnce = 2000
/** The number of milliseconds that a pending request gets when the user cancels. */
const cancelGraceMs = 5000

export function createChangesPart(
  deps: ChangeRunDeps & Room<'jobs' | 'now' | 'onBug' | 'refuseWhileMoving'>,
) {
  const { changes, changeItems: items } = deps.store
  const takeTurn = createTurns()
  const beingUndone = new Set<number>()
  const beingWritten = new Map<Promise<Change>, NetworkId>()
  const jobs = deps.jobs.add('change', {
    noun: 'change',
    unknownCode: subscriptionCodes.changeUnknown,
    table: changes,
    items,
    work: (change: ChangeRecord, control) =>
      createChangeWork(change, takeTurn(change), control, deps, (ids) =>
        ids.forEach((id) => jobs.notify(id)),
      ),
    left: ({ counts }) => counts.waiting,
    show(change, work) {
      const { isSuperseded, hasActed, ...shown } = change
      return { ...shown, canUndo: whyNotUndone(change, work !== null) === null }
    },
    recover(change) {
      if (change.state === 'cancelled') leaveOut(change.id).catch(deps.onBug)
      if (change.state === 'running' && change.isSuperseded) {
        changes.setState(change.id, { state: 'paused', problem: supersededText, finishedAt: null })
      }
    },
    async beforeResume(change) {
      const { id, state, counts } = change
      if (state === 'cancelled' || (state === 'done' && counts.failed === 0)) return false
      if (beingUndone.has(id)) throw notNow(undoing)
      if (change.isSuperseded || change.undoneBy !== null) throw notNow(supersededText)
      refuseWhileMoving(change)
      while (items.retrySome(id)) await yieldToEventLoop()
      return true
    },
    cancelGraceMs,
    afterCancel: leaveOut,
    beforeRemove({ id }) {
      if (jobs.isRunning(id)) throw notNow(running)
      if (beingUndone.has(id)) throw notNow(undoing)
    },
  })

  function whyNotUndone(change: ChangeRecord, isRunning: boolean): string | null {
    if (isRunning) return running
    if (beingUndone.has(change.id)) return undoing
    if (change.undoneBy !== null) return `Change ${change.undoneBy} has already undone this change.`
    if (!change.hasActed) return 'This change altered nothing that could be undone.'
    return change.isSuperseded ? notLast : null
  }

  function refuseWhileMoving({ network, webhooks }: Pick<NewChange, 'network' | 'webhooks'>): void {
    for (const { id } of webhooks) if (id !== null) deps.refuseWhileMoving(network, id)
  }

  function begin(change: NewChange, actions: Iterable<NewItem>): Promise<Change> {
    const id = changes.begin(change)
    function* writing(): Generator<void, void> {
      for (const slice of slicesOf(actions, itemsAtOnce)) {
        items.add(id, slice)
        yield
      }
      refuseWhileMoving(change)
      changes.finish(id)
    }
    const written = jobs.begin(id, writing())
    beingWritten.set(written, change.network)
    return written.finally(() => beingWritten.delete(written))
  }

  async function leaveOut(id: number): Promise<void> {
    while (items.cancelSome(id)) await yieldToEventLoop()
  }

  async function undo({ id, network, name }: ChangeRecord): Promise<Change> {
    await jobs.cancel(id)
    const about = { network, name: `Undo: ${name}`, kind: 'undo', undoes: id } as const
    const made = { ...about, createdAt: deps.now(), webhooks: changes.webhooks(id) }
    return begin(made, inverseOf(items, id))
  }

  return {
    make: async (
      change: Omit<NewChange, 'createdAt' | 'undoes'>,
      actions: Iterable<Action>,
    ): Promise<Change> => begin({ ...change, createdAt: deps.now(), undoes: null }, actions),
    /** @throws AppError CHANGE_NOT_NOW while a change of the webhook runs */
    refuseWhileChanging(network: NetworkId, webhook: string): void {
      const change = changes
        .list({ network })
        .find(
          ({ id, webhooks }) => jobs.isRunning(id) && webhooks.some((each) => each.id === webhook),
        )
      if (change === undefined) return
      throw notNow(
        `The subscriptions of webhook ${webhook} are being changed (${change.name}). Wait for the change to end, or stop it.`,
      )
    },
    async forget(network: NetworkId): Promise<void> {
      const unwritten = [...beingWritten].filter(([, of]) => of === network)
      await Promise.allSettled(unwritten.map(([written]) => written))
      await jobs.removeAll({ network })
    },
    handlers: {
      'change.items'({ id, state, offset, limit }) {
        jobs.find(id)
        return items.page(id, state, offset, limit)
      },
      async 'change.undo'({ id }) {
        const change = jobs.find(id)
        const problem = whyNotUndone(change, jobs.isRunning(id))
        if (problem !== null) throw notNow(problem)
        refuseWhileMoving(change)
        beingUndone.add(id)
        try {
          return await undo(change)
        } finally {
          beingUndone.delete(id)
          jobs.notify(id)
        }
      },
    } satisfies Partial<Handlers>,
  }
}

function createTurns() {
  const turns = new Map<NetworkId, Pick<Turn, 'before' | 'name'>>()
  return ({ network, name }: ChangeRecord): Turn => {
    const last = turns.get(network)
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const before = Promise.resolve(last?.before)
    const next = { before: Promise.all([before, promise]), name }
    turns.set(network, next)
    void next.before.then(() => {
      if (turns.get(network) === next) turns.delete(network)
    })
    return { before, name: last?.name ?? null, end: () => resolve(undefined) }
  }
}

/** Yields the reverse of the change's actions, the last item first. */
function* inverseOf(items: ChangeItems, id: number): Generator<NewItem, void> {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = items.acted(id, before, itemsAtOnce)
    for (const { act, index, ...action } of page) {
      before = index
      if (act === 'create') yield { ...action, act, unchanged: keptWebhook }
      else yield { ...action, act: opposite[act] }
    }
    if (page.length === 0) return
  }
}

const notNow = (why: string) => new AppError(subscriptionCodes.changeNotNow, why)

const running = 'The change is running. Pause or stop it first.'
const undoing = 'The change is already being undone.'
const notLast =
  'Only the last change of a webhook can be undone. A later change has altered this webhook.'

const opposite = { subscribe: 'unsubscribe', unsubscribe: 'subscribe' } as const

const keptWebhook =
  'The change created this webhook. An undo keeps the webhook, because it may already be in use: delete it if you do not need it.'
