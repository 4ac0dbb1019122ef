import { useData } from '../../app/bridge.ts'
import { TunnelSetup } from '../../components/delivery/tunnel-setup.tsx'
import { Note } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import type { StepProps } from './use-setup.ts'
import { isLocalGateway } from './setup-state.ts'

export function TunnelStep({ network }: StepProps) {
  return (
    <>
      {isLocalGateway(network) && (
        <Note>
          The gateway of {network.name} runs on this computer, so it reaches the receiver without a
          tunnel. You can still use one.
        </Note>
      )}
      <Loaded query={useData('tunnel.state')} of="the tunnels" rows={8}>
        {(state) => <TunnelSetup state={state} />}
      </Loaded>
    </>
  )
}
