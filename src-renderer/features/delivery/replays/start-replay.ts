import type { Input } from '../../../../src-preload/contract/routes.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import type { Refused } from '../../../app/use-draft.ts'
import { confirmTarget } from '../targets/confirm-target.ts'
import { rememberTarget } from '../targets/recent-targets.ts'
import { checkTarget } from '../targets/use-target-check.ts'
import { sayTotal } from './job-words.ts'
import { fewRequests } from './replay-draft.ts'
import { followReplay } from './replays.ts'

/** `kept`: the person said no, and stays where the order is written. */
type Started = 'started' | 'kept' | Refused

type Order = Input<'replay.start'>

/** Asks where that is due, then begins. @throws AppError as the routes do */
export async function startReplay(order: Order): Promise<Started> {
  const against = await agree(order)
  if (against !== null) return against
  const job = await request('replay.start', order)
  rememberTarget(order.target)
  announce(`Replay of ${sayTotal(job)} begun`)
  void followReplay(job)
  return 'started'
}

/** @returns null once nothing stands in the way */
async function agree(order: Order): Promise<'kept' | Refused | null> {
  const check = await checkTarget(order.target)
  const refuse = (why: string): Refused => ({ errors: { target: why }, problem: null })
  if (check.status === 'unknown') return refuse(check.why)
  if (check.status !== 'known') return refuse('Give the URL to send to.')
  const { verdict } = check
  if (verdict.kind === 'refused') return refuse(verdict.problem ?? 'Nothing is ever sent there.')
  const { total } = await request('replay.preview', order)
  const isPublic = verdict.kind === 'public'
  if (isPublic && !verdict.isConfirmed) {
    const yes = await confirmTarget(verdict, formatCount(total, 'request'))
    // Asked just now, with their number: that is enough.
    return yes ? null : 'kept'
  }
  if (!isPublic && total <= fewRequests) return null
  const yes = await confirm({
    title: `Send ${sayTotal({ total })} to ${verdict.host}?`,
    detail: isPublic
      ? `They leave this computer for ${verdict.url}. What is sent cannot be called back; it can be stopped on the way.`
      : `They go to ${verdict.url}, and can be stopped on the way.`,
    action: `Send ${sayTotal({ total })}`,
    destructive: isPublic,
  })
  return yes ? null : 'kept'
}
