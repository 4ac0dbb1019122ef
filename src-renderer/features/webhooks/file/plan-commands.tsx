import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Plan } from '../../../../src-preload/contract/subscription.ts'
import { attempt } from '../../../app/attempt.ts'
import { formatCount } from '../../../ui/format.ts'
import { announce } from '../../../ui/live-region.tsx'
import { confirmOn } from '../../../components/network-confirm.tsx'
import { followChange } from '../changes/changes.ts'
import { countSteps, sayApply } from './plan-words.ts'
import { plans } from './plans.ts'
import styles from './file.module.css'

/** Names how many are subscribed and unsubscribed where, then does it. */
export async function applyPlan(network: Network, plan: Plan): Promise<void> {
  const steps = formatCount(countSteps(plan), 'change')
  const yes = await confirmOn(network, {
    title: `Apply “${plan.file}”?`,
    detail: (
      <>
        <ul className={styles['steps']}>
          {sayApply(plan).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p>Webhooks that the file does not name are left alone. It can be undone.</p>
      </>
    ),
    action: `Make ${steps}`,
    destructive: true,
  })
  if (!yes) return
  const change = await attempt('Could not apply the file', () => plans.apply(plan))
  if (change === undefined) return
  announce('Applying')
  await followChange(change)
}
