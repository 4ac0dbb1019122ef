/** The public URL of the receiver, and whether requests reach it. */
import { create } from 'zustand'
import type { TunnelState } from '../../../src-preload/contract/tunnel.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { announce } from '../../ui/toast.tsx'

export const tunnelsHome: DeliveryRoute = { page: 'delivery', view: 'tunnels' }

type TunnelWork = 'check' | 'look' | `use ${string}`

/** The running actions on tunnels, on whichever page the user waits for them. */
export const useTunnelWork = create<{ readonly underWay: ReadonlySet<TunnelWork> }>(() => ({
  underWay: new Set(),
}))

/** Runs an action unless it is already running. @returns undefined if it failed or was already running */
export async function changeTunnel(
  work: TunnelWork,
  failure: string,
  send: () => Promise<TunnelState>,
): Promise<TunnelState | undefined> {
  const { underWay } = useTunnelWork.getState()
  if (underWay.has(work)) return undefined
  useTunnelWork.setState({ underWay: new Set([...underWay, work]) })
  const state = await attempt(failure, send)
  useTunnelWork.setState((now) => ({
    underWay: new Set([...now.underWay].filter((each) => each !== work)),
  }))
  if (state !== undefined) put('tunnel.state', undefined, state)
  return state
}

export async function checkTunnel(): Promise<void> {
  const state = await changeTunnel('check', 'Could not check the tunnel', () =>
    request('tunnel.check'),
  )
  announceCheck(state)
}

export function announceCheck(state: TunnelState | undefined): void {
  const check = state?.check ?? null
  if (check === null) return
  announce(check.ok ? 'The public URL works' : (check.problem ?? 'The public URL does not work'))
}

/** Shows the tunnel in one line. */
export function TunnelLine() {
  const state = useData('tunnel.state').data
  const isChecking = useTunnelWork(({ underWay }) => underWay.has('check'))
  if (state === undefined) return null
  const { publicUrl, check, former } = state
  const href = routeHref(tunnelsHome)
  if (publicUrl === null) {
    return (
      <Row as="span">
        No tunnel is set up. <a href={href}>Set up a tunnel</a>
      </Row>
    )
  }
  return (
    <Row as="span" wrap>
      <a href={href}>
        <Tag tone={check === null ? 'plain' : check.ok ? 'ok' : 'bad'}>
          {check === null ? 'not checked yet' : check.ok ? 'works' : 'does not work'}
        </Tag>
      </a>
      {check !== null && (
        <Text tone="faint">
          <Moment at={check.at} />
        </Text>
      )}
      <Button kind="quiet" busy={isChecking} onClick={() => void checkTunnel()}>
        {isChecking ? 'Checking…' : 'Check'}
      </Button>
      {former !== null && <a href={href}>Some webhooks still use the previous URL</a>}
    </Row>
  )
}
