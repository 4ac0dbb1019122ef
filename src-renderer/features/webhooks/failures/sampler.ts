import { useEffect } from 'react'
import type { NetworkId, SamplerState } from '../../../../src-preload/contract/index.ts'
import { on } from '../../../bridge.ts'
import type { Answer } from '../../../use-answer.ts'
import { useAnswer } from '../../../use-answer.ts'

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
