import { useRef } from 'react'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { request } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { refreshWebhooks, takeWebhook, useRefreshing } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { EndpointFields, useSuggestions } from '../../components/endpoint-fields.tsx'
import { TargetNetwork } from '../../components/network-tag.tsx'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Hint, Note, Row, Section, Tag } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'
import type { StepProps } from './use-setup.ts'

export function WebhookStep({ network, setup: { webhook, webhooksProblem } }: StepProps) {
  const isRefreshing = useRefreshing(({ networks }) => networks.has(network.id))
  return (
    <>
      {webhooksProblem !== null && <Note tone="bad">{webhooksProblem}</Note>}
      <Section
        title="Webhook of this receiver"
        actions={
          <Button
            icon="refresh"
            busy={isRefreshing}
            onClick={() => void refreshWebhooks(network.id)}
          >
            {isRefreshing ? 'Loading…' : 'Load again'}
          </Button>
        }
      >
        {webhook === null ? (
          <Hint>No webhook of {network.name} delivers to this receiver.</Hint>
        ) : (
          <WebhookHere webhook={webhook} />
        )}
      </Section>
      {webhook === null && <Create network={network} />}
    </>
  )
}

function WebhookHere({ webhook }: { webhook: Webhook }) {
  const { id, endpoint, status, tokenKnown, tokenHint } = webhook
  const isOff = status === 'offline' || status === 'suspended'
  return (
    <>
      <Row wrap>
        <StatusTag webhook={webhook} />
        <Endpoint url={endpoint} mono />
        <Tag tone={tokenKnown ? 'ok' : 'warn'}>
          {tokenKnown ? `token …${tokenHint ?? ''} stored` : 'token not known'}
        </Tag>
        <a href={routeHref(webhookRoute(webhook))}>Open webhook {id}</a>
      </Row>
      {isOff && (
        <Hint>
          The gateway does not deliver to a webhook that is {status}. Open the webhook to see the
          failures and to bring it back online.
        </Hint>
      )}
      {!tokenKnown && (
        <Hint>
          Without the token, this receiver cannot tell real deliveries from forged ones. Open the
          webhook to rotate its token.
        </Hint>
      )}
    </>
  )
}

function Create({ network }: Pick<StepProps, 'network'>) {
  const { id } = network
  const suggestions = useSuggestions(id)
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({ endpoint: suggestions[0]?.url ?? '' }, async (typed) => {
    const endpoint = typed.endpoint.trim()
    if (endpoint === '') return { endpoint: 'Enter the URL that the gateway delivers to.' }
    takeWebhook(await request('webhook.create', { network: id, endpoint }))
    announce('Webhook created')
  })
  return (
    <Section title="Create a webhook">
      <Form
        form={form}
        inline
        label="Create a webhook"
        action="Create webhook"
        beside={<TargetNetwork network={network} />}
      >
        <EndpointFields
          label="Endpoint"
          network={id}
          suggestions={suggestions}
          field={field}
          form={form}
        />
      </Form>
    </Section>
  )
}
