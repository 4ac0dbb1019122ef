import type { Change, ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/tag.tsx'
import { sayOutcome } from '../../../components/jobs/job-state.ts'

export const kindWords: Record<Change['kind'], string> = {
  add: 'added by hand',
  remove: 'removed by hand',
  apply: 'from a file',
  undo: 'undo',
}

export const itemWords: Record<ChangeItem['state'], string> = {
  waiting: 'waiting',
  done: 'done',
  unchanged: 'was so already',
  failed: 'failed',
  cancelled: 'left out',
}

export const itemTones: Record<ChangeItem['state'], Tone> = {
  waiting: 'plain',
  done: 'ok',
  unchanged: 'plain',
  failed: 'bad',
  cancelled: 'plain',
}

export function titleOf({ name, id }: Pick<Change, 'name' | 'id'>): string {
  return name === '' ? `Change ${id}` : name
}

/** Those of which one knows by now how they went. */
export function countSettled({ counts }: Change): number {
  return counts.done + counts.unchanged + counts.failed
}

/** How they went, as far as it is known: `480 done, 15 were so already, 5 failed`. */
export function sayCounts({ counts: { done, unchanged, failed } }: Change): string {
  const parts = [
    `${formatNumber(done)} done`,
    unchanged > 0 && `${formatNumber(unchanged)} ${unchanged === 1 ? 'was' : 'were'} so already`,
    failed > 0 && `${formatNumber(failed)} failed`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** What is to be told of a change that has come to an end or a stop; null while it runs. */
export function outcomeOf(change: Change): string | null {
  return sayOutcome(change, sayCounts(change))
}

const actWords = { subscribe: 'Subscribe', unsubscribe: 'Unsubscribe', create: 'Create' } as const

/** What one step does: `Subscribe account`, `Switch mempool off`. */
export function sayAct({ act, what }: Pick<ChangeItem, 'act' | 'what'>): string {
  switch (what) {
    case 'account':
    case 'opcode':
    case 'webhook':
      return `${actWords[act]} ${what}`
    case 'mempool':
      return `Switch mempool ${act === 'unsubscribe' ? 'off' : 'on'}`
    case 'new-contracts':
      return `Switch new contracts ${act === 'unsubscribe' ? 'off' : 'on'}`
  }
}

type Step = Pick<ChangeItem, 'act' | 'what' | 'endpoint'>

/**
 * What taking these steps back does, a sentence for each kind at each endpoint, in their order:
 * `Unsubscribes 500 accounts from https://…`.
 */
export function sayUndo(steps: readonly Step[]): string[] {
  const counts = new Map<string, { readonly step: Step; count: number }>()
  for (const step of steps) {
    const key = JSON.stringify([step.endpoint, step.what, step.act])
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { step, count: 1 })
    else known.count += 1
  }
  return [...counts.values()].map(({ step, count }) => sayTakenBack(step, count))
}

function sayTakenBack({ act, what, endpoint }: Step, count: number): string {
  const isOn = act !== 'unsubscribe'
  switch (what) {
    case 'webhook':
      return `Leaves the webhook ${endpoint}, which it had created: delete it by hand if it is not wanted.`
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
