import { create } from 'zustand'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { announce } from '../../ui/live-region.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'

const useCreating = create<{ isOpen: boolean }>(() => ({ isOpen: false }))

export const openCreate = () => useCreating.setState({ isOpen: true })
const close = () => useCreating.setState({ isOpen: false })

export function CreateDialog({ network }: { network: Network }) {
  const isOpen = useCreating((state) => state.isOpen)
  if (!isOpen) return null
  return (
    <EndpointDialog
      title="New webhook"
      detail={
        <>
          On <NetworkTag id={network.id} />. The gateway sends the events you subscribe to to this
          URL. The gateway cannot change it later; Tondesk can move the webhook to another URL.
        </>
      }
      label="Endpoint"
      network={network.id}
      action="Create webhook"
      refuse={(endpoint) => (endpoint === '' ? 'Enter the URL for the deliveries.' : null)}
      onClose={close}
      onSubmit={(endpoint) => createWebhook(network.id, endpoint)}
    />
  )
}

async function createWebhook(network: NetworkId, endpoint: string): Promise<void> {
  const webhook = await request('webhook.create', { network, endpoint })
  takeWebhook(webhook)
  announce('Webhook created')
  close()
  navigate({ ...webhookRoute(webhook.id), network })
}
