/**
 * Changes of subscriptions: many accounts are added or removed at once, a file is applied, or one
 * of these is undone.
 */
import type { Change, ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import { attempt, request, peek } from '../../../app/bridge.ts'
import { type WebhooksRoute, webhookRoute, webhooksHome } from '../../../app/webhooks-route.ts'
import { menuItem } from '../../../ui/button.tsx'
import { createJobs, describeOutcome } from '../../../components/jobs/job-kind.tsx'
import { confirmOn } from '../../../components/network-tag.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { announce } from '../../../ui/toast.tsx'
import type { Tone } from '../../../ui/layout.tsx'

export const kindLabels: Record<Change['kind'], string> = {
  add: 'added manually',
  remove: 'removed manually',
  apply: 'from a file',
  undo: 'undo',
}

export const stepStates: Record<ChangeItem['state'], { word: string; tone: Tone }> = {
  waiting: { word: 'waiting', tone: 'plain' },
  done: { word: 'done', tone: 'ok' },
  unchanged: { word: 'unchanged', tone: 'plain' },
  failed: { word: 'failed', tone: 'bad' },
  cancelled: { word: 'skipped', tone: 'plain' },
}

export function titleOf({ name, id }: Pick<Change, 'name' | 'id'>): string {
  return name === '' ? `Change ${id}` : name
}

/**
 * Returns the route of a change's report: at this webhook, or else at the first webhook of the
 * change, or else on the page of files.
 */
export function changeRoute(
  { id, network, webhooks }: Pick<Change, 'id' | 'network' | 'webhooks'>,
  webhook = webhooks.find((each) => each.id !== null)?.id ?? null,
): WebhooksRoute {
  if (webhook === null) return { ...webhooksHome, network, view: 'file' }
  return webhookRoute({ id: webhook, network }, 'changes', String(id))
}

/** Counts the steps with a known result. */
export function countSettled({ counts }: Change): number {
  return counts.done + counts.unchanged + counts.failed
}

/** Describes the results of a change: `480 done, 15 unchanged, 5 failed`. */
export function describeCounts({ counts: { done, unchanged, failed } }: Change): string {
  const parts = [
    `${formatNumber(done)} done`,
    unchanged > 0 && `${formatNumber(unchanged)} unchanged`,
    failed > 0 && `${formatNumber(failed)} failed`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** Returns the message about a change that has ended or stopped; null while it is running. */
export function outcomeOf(change: Change): string | null {
  return describeOutcome(change, describeCounts(change))
}

export const changeJobs = createJobs<Change>({
  kind: 'change',
  thing: 'change',
  titleOf,
  noteOf: ({ kind, undoneBy }) => kindLabels[kind] + (undoneBy === null ? '' : ', undone'),
  routeOf: (change) => changeRoute(change),
  homeOf: (change) => {
    const route = changeRoute(change)
    return route.view === 'webhook' ? { ...route, item: '' } : route
  },
  startedAt: ({ createdAt }) => fromMs(createdAt),
  counts: 'Steps',
  progressOf: (change) => ({
    done: countSettled(change),
    total: change.counts.total,
    failed: change.counts.failed,
  }),
  resultOf: describeCounts,
  cancelDetail: (change) =>
    `Steps so far: ${describeCounts(change)}. You can undo them later. The remaining ${formatCount(change.counts.total - countSettled(change), 'step')} will not run; to run them later, pause the change instead.`,
  removeDetail: ({ canUndo }) =>
    `Tondesk deletes the report of this change. Subscriptions at the gateway stay as they are.${canUndo ? ' You can no longer undo the change.' : ''}`,
  canRemoveRunning: true,
  outcomeOf,
  oneMessage: true,
  messageAction: (change) =>
    change.canUndo ? { label: 'Undo…', run: () => void undoChange(change) } : null,
  lastAction: (change) =>
    change.canUndo ? { label: 'Undo…', icon: 'undo', run: () => void undoChange(change) } : null,
  more: (change) => [
    menuItem('Undo…', { icon: 'undo', disabled: !change.canUndo }, () => undoChange(change)),
  ],
})

/** Undoes a change after a question that lists every step of the undo. */
async function undoChange(change: Change): Promise<void> {
  const { id } = change
  const network = peek('network.list')?.networks.find((each) => each.id === change.network)
  const steps = await attempt('Could not load the steps to undo', () => doneSteps(id))
  if (steps === undefined || network === undefined) return
  const yes = await confirmOn(network, {
    title: `Undo “${titleOf(change)}”?`,
    points: describeUndo(steps),
    detail: 'Other subscriptions stay as they are.',
    action: `Undo ${formatCount(steps.length, 'step')}`,
    destructive: true,
  })
  if (!yes) return
  const undo = await attempt('Could not undo the change', () => request('change.undo', { id }))
  if (undo === undefined) return
  announce('Undoing the change')
  changeJobs.begun(undo)
}

const pageSize = 500

async function doneSteps(id: number): Promise<ChangeItem[]> {
  const steps: ChangeItem[] = []
  for (;;) {
    const offset = steps.length
    const page = await request('change.items', { id, state: 'done', offset, limit: pageSize })
    steps.push(...page.items)
    if (page.items.length === 0 || steps.length >= page.total) return steps
  }
}

const actLabels = { subscribe: 'Subscribe', unsubscribe: 'Unsubscribe', create: 'Create' } as const

/** Describes one step: `Subscribe account`, `Switch mempool off`. */
export function describeAct({ act, what }: Pick<ChangeItem, 'act' | 'what'>): string {
  switch (what) {
    case 'account':
    case 'opcode':
    case 'webhook':
      return `${actLabels[act]} ${what}`
    case 'mempool':
      return `Switch mempool ${act === 'unsubscribe' ? 'off' : 'on'}`
    case 'new-contracts':
      return `Switch new contracts ${act === 'unsubscribe' ? 'off' : 'on'}`
  }
}

type Step = Pick<ChangeItem, 'act' | 'what' | 'endpoint'>

/**
 * Describes the undo of steps in one sentence for each kind and each endpoint: `Unsubscribes 500
 * accounts from https://…`.
 */
export function describeUndo(steps: readonly Step[]): string[] {
  const groups = Map.groupBy(steps, ({ endpoint, what, act }) =>
    JSON.stringify([endpoint, what, act]),
  )
  return [...groups.values()].flatMap((group) =>
    group[0] === undefined ? [] : [describeUndone(group[0], group.length)],
  )
}

function describeUndone({ act, what, endpoint }: Step, count: number): string {
  const isOn = act !== 'unsubscribe'
  switch (what) {
    case 'webhook':
      return `Keeps the webhook ${endpoint} that the change created: delete it yourself if you do not need it.`
    case 'account':
    case 'opcode': {
      const things = formatCount(count, what)
      return isOn
        ? `Unsubscribes ${things} from ${endpoint}.`
        : `Subscribes ${things} to ${endpoint} again.`
    }
    case 'mempool':
      return `Switches mempool ${isOn ? 'off' : 'on again'} for ${endpoint}.`
    case 'new-contracts':
      return `Switches new contracts ${isOn ? 'off' : 'on again'} for ${endpoint}.`
  }
}
