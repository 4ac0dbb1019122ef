import { create } from 'zustand'
import type { TunnelState } from '../../../../src-preload/contract/tunnel.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import type { WorkbenchRoute } from '../../../app/workbench-route.ts'

/** Where the receiver is reached from outside, and how well; kept current by events. */
export const tunnel = createResource(() => request('tunnel.state'))

export const tunnelsHome: WorkbenchRoute = { page: 'workbench', view: 'tunnels' }

export function startTunnel(): () => void {
  const read = () => {
    if (tunnel.store.getState().status !== 'idle') void tunnel.reload()
  }
  const stops = [
    on('tunnel.changed', (state) => tunnel.set(state)),
    // Webhooks that moved no longer point to the URL before.
    on('webhook.changed', read),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** What is under way because a person asked for it. */
export const useTunnelWork = create<{
  readonly isLooking: boolean
  readonly isChecking: boolean
  /** The found URL that is being taken. */
  readonly taking: string | null
}>(() => ({ isLooking: false, isChecking: false, taking: null }))

/** Asks the agents. @param quietly nobody waits for it */
export async function look(quietly = false): Promise<void> {
  if (useTunnelWork.getState().isLooking) return
  if (quietly) {
    // Told in the list of what was asked, where it is told at all.
    await request('tunnel.look').then(
      (state) => tunnel.set(state),
      () => undefined,
    )
    return
  }
  useTunnelWork.setState({ isLooking: true })
  const state = await attempt('Could not look for tunnels', () => request('tunnel.look'))
  useTunnelWork.setState({ isLooking: false })
  if (state === undefined) return
  tunnel.set(state)
  announce(state.found.length === 0 ? 'No tunnel was found' : 'Tunnels were found')
}

export async function checkTunnel(): Promise<void> {
  if (useTunnelWork.getState().isChecking) return
  useTunnelWork.setState({ isChecking: true })
  const state = await attempt('Could not check the tunnel', () => request('tunnel.check'))
  useTunnelWork.setState({ isChecking: false })
  if (state === undefined) return
  tunnel.set(state)
  tell(state)
}

export async function takeFound(publicUrl: string): Promise<void> {
  if (useTunnelWork.getState().taking !== null) return
  useTunnelWork.setState({ taking: publicUrl })
  const state = await attempt('Could not take this tunnel', () =>
    request('tunnel.use', { publicUrl }),
  )
  useTunnelWork.setState({ taking: null })
  if (state === undefined) return
  tunnel.set(state)
  tell(state)
}

function tell({ check }: TunnelState): void {
  if (check === null) return
  announce(check.ok ? 'The tunnel leads to this receiver' : (check.problem ?? 'It does not arrive'))
}

export async function forgetFormer(): Promise<void> {
  const state = await attempt('Could not put it away', () => request('tunnel.forgetFormer'))
  if (state !== undefined) tunnel.set(state)
}
