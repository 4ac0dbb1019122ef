import { useEffect } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { SamplerState } from '../../../../src-preload/contract/failure.ts'
import { on } from '../../../app/bridge.ts'
import { type Answer, useAnswer } from '../../../app/use-answer.ts'

/** Who reads the gateway's counters, as it is now. */
export function useSampler(network: NetworkId): Answer<SamplerState> {
  const answer = useAnswer('sampler.state', { network })
  const { resource } = answer
  useEffect(
    () =>
      on('sampler.changed', (next) => {
        if (next.network === network) resource.set(next)
      }),
    [network, resource],
  )
  return answer
}
