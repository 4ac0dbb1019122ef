import { type ComponentProps, type ReactNode, useRef } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import type { DialogProps } from '../../app/features.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { navigate } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { useForm } from '../../app/use-form.ts'
import { EndpointFields, useSuggestions } from '../../components/endpoint-fields.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { announce } from '../../ui/toast.tsx'
import { FormDialog } from '../../ui/form.tsx'

export function CreateDialog({ onClose }: DialogProps<'createWebhook'>) {
  const network = useCurrentNetwork()
  if (network === null) return null
  return (
    <EndpointDialog
      title="New webhook"
      detail={
        <>
          On <NetworkTag id={network.id} />. The gateway sends the events of your subscriptions to
          this URL. The gateway cannot change the URL later, but Tondesk can move the webhook to
          another URL.
        </>
      }
      label="Endpoint"
      network={network.id}
      action="Create webhook"
      refuse={(endpoint) =>
        endpoint === '' ? 'Enter the URL that the gateway delivers to.' : null
      }
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
  navigate(webhookRoute(webhook))
}

type EndpointDialogProps = Pick<
  ComponentProps<typeof FormDialog>,
  'title' | 'detail' | 'action' | 'onClose'
> & {
  label: string
  network: NetworkId
  /** The current endpoint of the webhook, which is not suggested. */
  current?: string
  /** Returns why an endpoint cannot be used, before any request is sent; null if it can be used. */
  refuse: (endpoint: string) => string | null
  /** @throws AppError */
  onSubmit: (endpoint: string) => Promise<void>
  /** Content above the field. */
  children?: ReactNode
}

/** The dialog that sets a webhook's endpoint. The best suggestion is filled in. */
export function EndpointDialog({
  label,
  network,
  current,
  refuse,
  onSubmit,
  children,
  ...dialog
}: EndpointDialogProps) {
  const suggestions = useSuggestions(network).filter(({ url }) => url !== current)
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({ endpoint: suggestions[0]?.url ?? '' }, async (typed) => {
    const refusal = refuse(typed.endpoint.trim())
    if (refusal !== null) return { endpoint: refusal }
    await onSubmit(typed.endpoint.trim())
  })
  return (
    <FormDialog {...dialog} label={dialog.title} wide form={form} initialFocus={field}>
      {children}
      <EndpointFields
        label={label}
        network={network}
        suggestions={suggestions}
        field={field}
        form={form}
      />
    </FormDialog>
  )
}
