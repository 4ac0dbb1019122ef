import type { TunnelState } from '../../../src-preload/contract/tunnel.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { openDialog } from '../../app/features.tsx'
import { TunnelSetup } from '../../components/delivery/tunnel-setup.tsx'
import { checkTunnel } from '../../components/delivery/tunnel.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Note, Row, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TestDeliveries } from './test-deliveries.tsx'

/** The public URL of the receiver: which one, whether it works, and how to get one. */
export function TunnelsView() {
  useShortcuts([
    { keys: ['c'], label: 'Check the tunnel', group: 'Tunnels', run: () => void checkTunnel() },
  ])
  return (
    <Loaded query={useData('tunnel.state')} of="the tunnels" rows={8}>
      {(state) => (
        <Stack gap="none" fill scroll tabIndex={0} role="region" aria-label="Tunnels">
          {state.former !== null && <FormerUrl former={state.former} />}
          <TunnelSetup state={state} shortcut="c">
            <TestDeliveries hasPublicUrl={state.publicUrl !== null} />
          </TunnelSetup>
        </Stack>
      )}
    </Loaded>
  )
}

/** Webhooks that still use the previous public URL, whose deliveries no longer arrive. */
function FormerUrl({ former }: { former: NonNullable<TunnelState['former']> }) {
  const { publicUrl, webhooks } = former
  const forget = async () => {
    const state = await attempt('Could not hide the webhooks', () =>
      request('tunnel.forgetPrevious'),
    )
    if (state !== undefined) put('tunnel.state', undefined, state)
  }
  return (
    <Note tone="warn">
      <Stack role="status" aria-label="Webhooks with the previous URL">
        <Row>
          <span>
            {formatCount(webhooks.length, 'webhook')} still {webhooks.length === 1 ? 'uses' : 'use'}{' '}
            the previous URL, <Text mono>{publicUrl}</Text>.
          </span>
          <Row last>
            <IconButton
              icon="close"
              label="Hide this list and leave the webhooks unchanged"
              onClick={() => void forget()}
            />
          </Row>
        </Row>
        {webhooks.map(({ network, webhook }) => (
          <FormerWebhook key={`${network} ${webhook}`} network={network} id={webhook} />
        ))}
      </Stack>
    </Note>
  )
}

function FormerWebhook({ network, id }: { network: string; id: string }) {
  const list = useData('webhook.list', { network }).data
  const webhook = list?.webhooks.find((each) => each.id === id)
  return (
    <Row>
      <NetworkTag id={network} /> Webhook {id}
      <Button
        disabled={webhook === undefined}
        onClick={() => webhook !== undefined && openDialog('moveWebhook', webhook)}
      >
        Move webhook…
      </Button>
    </Row>
  )
}
