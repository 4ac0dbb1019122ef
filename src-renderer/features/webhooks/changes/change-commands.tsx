import type { Change, ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { valueOf } from '../../../app/resource.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { confirmOn } from '../../../components/network-confirm.tsx'
import { networks } from '../../../app/networks.ts'
import { countSettled, sayCounts, sayUndo, titleOf } from './change-words.ts'
import { changesOf, followChange } from './changes.ts'
import styles from './changes.module.css'

export async function pauseChange(change: Change): Promise<void> {
  await ask(change, 'Could not pause it', 'change.pause', 'paused')
}

export async function resumeChange(change: Change): Promise<void> {
  const next = await ask(change, 'Could not resume it', 'change.resume', 'goes on')
  if (next !== undefined) await followChange(next)
}

export async function cancelChange(change: Change): Promise<void> {
  const { counts } = change
  const yes = await confirm({
    title: `Stop “${titleOf(change)}” for good?`,
    detail: `${sayCounts(change)}: that stays, and can be undone. ${formatCount(counts.total - countSettled(change), 'step')} will not be taken; to go on later, pause it instead.`,
    action: 'Stop the change',
    destructive: true,
  })
  if (yes) await ask(change, 'Could not stop it', 'change.cancel', 'stopped')
}

export async function removeChange(change: Change): Promise<void> {
  const undo = change.canUndo ? ' It can then no longer be undone.' : ''
  const yes = await confirm({
    title: `Remove the report of “${titleOf(change)}”?`,
    detail: `What it has done at the gateway stays as it is.${undo}`,
    action: 'Remove the report',
    destructive: true,
  })
  if (!yes) return
  const { id } = change
  const done = await attempt('Could not remove it', () => request('change.remove', { id }))
  if (done === undefined) return
  void changesOf(change.network).reload()
  showToast({ title: `“${titleOf(change)}” removed` })
}

/** Says exactly what it will do before it does it. */
export async function undoChange(change: Change): Promise<void> {
  const { id } = change
  const network = networkOf(change)
  const steps = await attempt('Could not read what is to be undone', () => doneSteps(id))
  if (steps === undefined || network === null) return
  const yes = await confirmOn(network, {
    title: `Undo “${titleOf(change)}”?`,
    detail: (
      <>
        <ul className={styles['steps']}>
          {sayUndo(steps).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p>Nothing else is changed.</p>
      </>
    ),
    action: `Undo ${formatCount(steps.length, 'step')}`,
    destructive: true,
  })
  if (!yes) return
  const undo = await attempt('Could not undo it', () => request('change.undo', { id }))
  if (undo === undefined) return
  announce('Undoing')
  await followChange(undo)
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

function networkOf({ network }: Change): Network | null {
  return valueOf(networks.store.getState())?.networks.find(({ id }) => id === network) ?? null
}

async function ask(
  change: Change,
  failure: string,
  route: 'change.pause' | 'change.resume' | 'change.cancel',
  said: string,
): Promise<Change | undefined> {
  const next = await attempt(failure, () => request(route, { id: change.id }))
  if (next === undefined) return undefined
  await changesOf(change.network).reload()
  announce(`${titleOf(change)} ${said}`)
  return next
}
