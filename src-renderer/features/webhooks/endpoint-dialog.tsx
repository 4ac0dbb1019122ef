import { type ComponentProps, type ReactNode, useRef } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { EndpointSuggestion } from '../../../src-preload/contract/webhook.ts'
import { request, attempt, useData, useDataOf } from '../../app/bridge.ts'
import type { DialogProps } from '../../app/features.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { navigate } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { useForm } from '../../app/use-form.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { announce } from '../../ui/toast.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog, RadioList, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Note, Row, Stack, Text } from '../../ui/layout.tsx'
import { useSettled } from '../../ui/use-settled.ts'

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

const noSuggestions: readonly EndpointSuggestion[] = []

type EndpointDialogProps = Pick<
  ComponentProps<typeof FormDialog>,
  'title' | 'detail' | 'action' | 'onClose'
> & {
  label: string
  network: NetworkId
  /** The endpoint of the webhook now, which is not suggested. */
  current?: string
  /** Why an endpoint cannot be used, before any request is sent; null if it can. */
  refuse: (endpoint: string) => string | null
  /** @throws AppError */
  onSubmit: (endpoint: string) => Promise<void>
  /** Above the field. */
  children?: ReactNode
}

/** Asks for the endpoint of a webhook; the best suggestion is filled in. */
export function EndpointDialog({
  label,
  network,
  current,
  refuse,
  onSubmit,
  children,
  ...dialog
}: EndpointDialogProps) {
  const { data = noSuggestions } = useData('webhook.suggestEndpoints', { network })
  const suggestions = data.filter(({ url }) => url !== current)
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({ endpoint: suggestions[0]?.url ?? '' }, async (typed) => {
    const refusal = refuse(typed.endpoint.trim())
    if (refusal !== null) return { endpoint: refusal }
    await onSubmit(typed.endpoint.trim())
    return undefined
  })
  const endpoint = form.values.endpoint.trim()
  return (
    <FormDialog {...dialog} label={dialog.title} wide form={form} initialFocus={field}>
      {children}
      <TextField
        label={label}
        mono
        type="url"
        inputMode="url"
        maxLength={2048}
        ref={field}
        placeholder="https://example.com/hook"
        {...form.field('endpoint')}
      />
      {suggestions.length > 0 && (
        <RadioList
          label="Suggested endpoints"
          value={endpoint}
          options={suggestions.map(({ url, why }) => ({ value: url, label: why, why: url }))}
          onChange={(url) => form.change({ endpoint: url })}
        />
      )}
      <Warnings
        network={network}
        endpoint={endpoint}
        // The button goes away with its warning.
        onAllowed={() => field.current?.focus()}
      />
    </FormDialog>
  )
}

/** What to know about an endpoint before it is used. */
function Warnings({
  network,
  endpoint,
  onAllowed,
}: {
  network: NetworkId
  endpoint: string
  onAllowed: () => void
}) {
  const settled = useSettled(endpoint)
  const { data, isPlaceholderData, error } = useDataOf(
    'webhook.checkEndpoint',
    settled === '' ? null : { network, endpoint: settled },
  )
  // A text that is not a URL is refused on submit.
  const isCurrent = settled === endpoint && !isPlaceholderData && error === null
  return (
    <Stack as="ul" gap="s" aria-label="Endpoint warnings" aria-live="polite">
      {(isCurrent ? (data ?? []) : []).map(({ kind, message }) => (
        <li key={kind}>
          <Note tone="warn">
            <Row align="start">
              <Icon name="warning" size={14} />
              <Text over="break">
                {message}{' '}
                {kind === 'host-not-allowed' && (
                  <AllowHost endpoint={endpoint} onAllowed={onAllowed} />
                )}
              </Text>
            </Row>
          </Note>
        </li>
      ))}
    </Stack>
  )
}

/** Adds the host to the hosts that the sandbox may deliver to. The sandbox restarts with them. */
function AllowHost({ endpoint, onAllowed }: { endpoint: string; onAllowed: () => void }) {
  const host = URL.parse(endpoint)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const allow = () =>
    attempt(`Could not allow ${host}`, async () => {
      const { sandbox } = await request('settings.get')
      await request('settings.change', {
        sandbox: { allowHosts: [...new Set([...sandbox.allowHosts, host])] },
      })
      onAllowed()
    })
  return (
    <Button kind="link" onClick={() => void allow()}>
      Allow {host}
    </Button>
  )
}
