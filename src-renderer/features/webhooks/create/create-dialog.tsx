import { useRef } from 'react'
import { create } from 'zustand'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { NetworkTag } from '../../../components/network-tag.tsx'
import { EndpointForm } from '../endpoint-form/endpoint-form.tsx'
import { takeWebhook } from '../webhooks.ts'

const useCreating = create<{ isOpen: boolean }>(() => ({ isOpen: false }))

export const openCreate = () => useCreating.setState({ isOpen: true })
const close = () => useCreating.setState({ isOpen: false })

export function CreateDialog({ network }: { network: Network }) {
  const isOpen = useCreating((state) => state.isOpen)
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      wide
      title="New webhook"
      detail={
        <>
          On <NetworkTag id={network.id} />. The gateway posts to this URL whatever the webhook is
          subscribed to. Its endpoint cannot be changed later, but it can be moved.
        </>
      }
      initialFocus={field}
    >
      <EndpointForm
        name="New webhook"
        label="Endpoint"
        network={network.id}
        field={field}
        action="Create the webhook"
        busyAction="Creating…"
        refuse={(endpoint) =>
          endpoint === '' ? 'Give the URL that the gateway is to post to.' : null
        }
        onCancel={close}
        onSubmit={(endpoint) => createWebhook(network.id, endpoint)}
      />
    </Dialog>
  )
}

async function createWebhook(network: NetworkId, endpoint: string): Promise<void> {
  const made = await request('webhook.create', { network, endpoint })
  takeWebhook(made)
  announce('The webhook is created')
  close()
  navigate({ ...webhookRoute(made.id), network: made.network })
}
