import { useRef } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { request, patch } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { Stakes } from '../../components/network-tag.tsx'
import { withoutScheme } from '../../components/webhook.tsx'
import { CopyButton, showToast } from '../../ui/toast.tsx'
import { FormDialog, TextField } from '../../ui/form.tsx'
import { formatCount } from '../../ui/format.ts'
import { Row, Text } from '../../ui/layout.tsx'

const useDeleting = create<{ webhook: Webhook | null }>(() => ({ webhook: null }))

export const openDelete = (webhook: Webhook) => useDeleting.setState({ webhook })
const close = () => useDeleting.setState({ webhook: null })

export function DeleteDialog({ network }: { network: Network }) {
  const webhook = useDeleting((state) => state.webhook)
  // The user may have chosen another network in another window.
  if (webhook?.network !== network.id) return null
  return <DeleteForm webhook={webhook} network={network} />
}

/** Deletes a webhook after the user has typed its endpoint. */
function DeleteForm({ webhook, network }: { webhook: Webhook; network: Network }) {
  const { network: id, endpoint } = webhook
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({ endpoint: '' }, async (typed) => {
    await request('webhook.delete', {
      network: id,
      id: webhook.id,
      endpoint: typed.endpoint.trim(),
    })
    patch('webhook.list', { network: id }, (list) => ({
      ...list,
      webhooks: list.webhooks.filter((each) => each.id !== webhook.id),
    }))
    showToast({ title: 'Webhook deleted', detail: withoutScheme(endpoint) })
    close()
    navigate(webhooksHome)
  })
  return (
    <FormDialog
      title={`Delete webhook ${webhook.id}?`}
      label="Delete webhook"
      detail={`The gateway deletes the webhook with ${subscriptionsOf(webhook)}. Nothing more is delivered, pending events included. You cannot undo this; export the subscriptions to a file first if you may need them.`}
      wide
      // The endpoint is typed to confirm: there is nothing to lose when the dialog closes.
      form={{ ...form, isChanged: false }}
      action="Delete webhook"
      destructive
      disabled={form.values.endpoint.trim() !== endpoint}
      initialFocus={field}
      onClose={close}
    >
      <Stakes network={network} />
      <Row>
        <Text mono over="break">
          {endpoint}
        </Text>
        <CopyButton text={endpoint} what="Endpoint" iconOnly kind="quiet" />
      </Row>
      <TextField
        label="Type the endpoint to confirm"
        mono
        ref={field}
        {...form.field('endpoint')}
      />
    </FormDialog>
  )
}

function subscriptionsOf({ accounts, opcodes }: Webhook): string {
  const parts = [
    accounts !== null && accounts > 0 && formatCount(accounts, 'account subscription'),
    opcodes !== null && opcodes > 0 && formatCount(opcodes, 'opcode'),
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'all its subscriptions' : `its ${parts.join(' and ')}`
}
