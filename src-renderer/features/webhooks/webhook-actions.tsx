/** The actions that the user can take on a webhook. */
import { useRef } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { attempt, request, patchData } from '../../app/bridge.ts'
import { routeHref, navigate } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { useForm } from '../../app/use-form.ts'
import { confirmOn, hasRealValue, NetworkStakes } from '../../components/network-tag.tsx'
import { withoutScheme } from '../../components/webhook.tsx'
import { copyText, announce, showToast, CopyButton } from '../../ui/toast.tsx'
import { FormDialog, TextField } from '../../ui/form.tsx'
import { formatCount } from '../../ui/format.ts'
import { Row, Text } from '../../ui/layout.tsx'

export async function bringBackOnline({ network, id, endpoint }: Webhook): Promise<void> {
  const webhook = await attempt('Could not bring the webhook back online', () =>
    request('webhook.backOnline', { network, id }),
  )
  if (webhook === undefined) return
  takeWebhook(webhook)
  announce(`${withoutScheme(endpoint)} is ${webhook.status ?? 'about to be online again'}`)
}

export type Flag = 'mempool' | 'newContracts'

/** The flags of a webhook for events of the whole chain. */
export const webhookFlags = {
  newContracts: {
    route: 'webhook.setNewContracts',
    label: 'New contracts',
    events: 'new contracts',
    hint: 'Delivers an event for every contract that is deployed on the chain.',
  },
  mempool: {
    route: 'webhook.setMempool',
    label: 'Mempool',
    events: 'pending messages',
    hint: 'Delivers every message before it is included in a block. A busy network has very many of these messages.',
  },
} as const

/**
 * Sets a flag. On Mainnet, the user confirms switching a flag off, because the events until it is
 * on again are never delivered.
 */
export async function setFlag(
  { network: id, ...webhook }: Webhook,
  { flag, on, network }: { flag: Flag; on: boolean; network: Network },
): Promise<void> {
  const { route, events } = webhookFlags[flag]
  if (!on && hasRealValue(network)) {
    const yes = await confirmOn(network, {
      title: `Stop delivering ${events}?`,
      detail: `The gateway stops delivering ${events} to ${webhook.endpoint}. Events that occur while delivery is turned off are never delivered.`,
      action: 'Turn off',
      destructive: true,
    })
    if (!yes) return
  }
  const next = await attempt(`Could not turn ${events} ${on ? 'on' : 'off'}`, () =>
    request(route, { network: id, id: webhook.id, on }),
  )
  if (next === undefined) return
  takeWebhook(next)
  announce(`Delivery of ${events} is ${on ? 'on' : 'off'}`)
}

export async function revealToken({ network, id }: Webhook): Promise<string> {
  const { token } = await request('webhook.revealToken', { network, id })
  return token
}

export async function rotateToken(webhook: Webhook, network: Network): Promise<void> {
  const { endpoint, tokenHint, isHere } = webhook
  const yes = await confirmOn(network, {
    title: `Rotate the token of webhook ${webhook.id}?`,
    detail: (
      <>
        The current token{tokenHint === null ? '' : ` (…${tokenHint})`} stops working at once. A
        backend that verifies deliveries to {endpoint} rejects them until you give it the new token.{' '}
        {isHere
          ? 'The receiver on this computer uses the new token at once.'
          : 'You can copy the new token here afterwards.'}
      </>
    ),
    action: 'Rotate token',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not rotate the token', () =>
    request('webhook.rotateToken', { network: webhook.network, id: webhook.id }),
  )
  if (next === undefined) return
  takeWebhook(next)
  showToast({
    title: 'Token rotated',
    ...(next.tokenHint !== null && {
      detail: `The new token ends in ${next.tokenHint}.`,
      action: { label: 'Copy token', run: () => void copyToken(next) },
    }),
  })
}

async function copyToken(webhook: Webhook): Promise<void> {
  const token = await attempt('Could not copy the token', () => revealToken(webhook))
  if (token !== undefined) await copyText(token, 'Token')
}

export async function copyWebhookLink(webhook: Webhook): Promise<void> {
  const url = new URL(window.location.href)
  url.hash = routeHref(webhookRoute(webhook))
  if (await copyText(url.href, 'Link')) showToast({ title: 'Link copied' })
}

const useDeleting = create<{ webhook: Webhook | null }>(() => ({ webhook: null }))

export const openDelete = (webhook: Webhook) => useDeleting.setState({ webhook })
const close = () => useDeleting.setState({ webhook: null })

export function DeleteDialog({ network }: { network: Network }) {
  const webhook = useDeleting((state) => state.webhook)
  // The user may have chosen another network in another window.
  if (webhook?.network !== network.id) return null
  return <DeleteForm webhook={webhook} network={network} />
}

/** The form that deletes a webhook after the user has typed its endpoint. */
function DeleteForm({ webhook, network }: { webhook: Webhook; network: Network }) {
  const { network: id, endpoint } = webhook
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({ endpoint: '' }, async (typed) => {
    await request('webhook.delete', {
      network: id,
      id: webhook.id,
      endpoint: typed.endpoint.trim(),
    })
    patchData('webhook.list', { network: id }, (list) => ({
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
      detail={`The gateway deletes the webhook and ${subscriptionsOf(webhook)}. The webhook then delivers nothing, not even pending events. You cannot undo the deletion. If you may need the subscriptions later, export them to a file first.`}
      wide
      // The user types the endpoint only to confirm, so nothing is lost when the dialog closes.
      form={{ ...form, isChanged: false }}
      action="Delete webhook"
      destructive
      disabled={form.values.endpoint.trim() !== endpoint}
      initialFocus={field}
      onClose={close}
    >
      <NetworkStakes network={network} />
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
