import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import type { DialogProps } from '../../app/features.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { navigate } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { announce } from '../../ui/toast.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'

export function CreateDialog({ onClose }: DialogProps<'createWebhook'>) {
  const network = useCurrentNetwork()
  if (network === null) return null
  return (
    <EndpointDialog
      title="New webhook"
      detail={
        <>
          On <NetworkTag id={network.id} />. The gateway sends the events of your subscriptions to
          this URL. It cannot change the URL later; Tondesk can move the webhook to another one.
        </>
      }
      label="Endpoint"
      network={network.id}
      action="Create webhook"
      refuse={(endpoint) => (endpoint === '' ? 'Enter the URL for the deliveries.' : null)}
      onClose={onClose}
      onSubmit={async (endpoint) => {
        await createWebhook(network.id, endpoint)
        onClose()
      }}
    />
  )
}

async function createWebhook(network: NetworkId, endpoint: string): Promise<void> {
  const webhook = await request('webhook.create', { network, endpoint })
  takeWebhook(webhook)
  announce('Webhook created')
  navigate({ ...webhookRoute(webhook.id), network })
}
