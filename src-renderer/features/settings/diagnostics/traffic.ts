import { useEffect } from 'react'
import type { GatewayTraffic } from '../../../../src-preload/contract/traffic.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Loadable, createResource, useResource } from '../../../app/resource.ts'

export const traffic = createResource(() => request('traffic.read'))

/** Kept current while it is shown. */
export function useTraffic(): Loadable<GatewayTraffic> {
  useEffect(() => {
    void traffic.reload()
    return on('traffic.changed', () => void traffic.reload())
  }, [])
  return useResource(traffic)
}
