import { useEffect } from 'react'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { useData } from '../../app/bridge.ts'
import { captureHref, routeHref } from '../../app/route.ts'
import { refreshWebhooks, useRefreshing } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { Amount } from '../../components/chain/chain-text.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Button } from '../../ui/button.tsx'
import { fromMs } from '../../ui/format.ts'
import { Hint, Note, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import type { StepProps } from './use-setup.ts'

export function DeliveryStep({ network, setup }: StepProps) {
  const { delivery } = setup
  if (delivery !== null && delivery !== undefined)
    return <Arrived capture={delivery} network={network.id} />
  return <Waiting network={network} setup={setup} />
}

function Waiting({ network, setup: { webhook, steps } }: StepProps) {
  const isRefreshing = useRefreshing(({ networks }) => networks.has(network.id))
  const isReady = (['key', 'tunnel', 'webhook', 'accounts'] as const).every(
    (step) => steps[step].state === 'done',
  )
  return (
    <Section
      title="Waiting for the first delivery"
      actions={
        webhook !== null && (
          <Button
            icon="refresh"
            busy={isRefreshing}
            onClick={() => void refreshWebhooks(network.id)}
          >
            {isRefreshing ? 'Loading…' : 'Load again'}
          </Button>
        )
      }
    >
      <Stack>
        <Text as="p" role="status">
          {isReady
            ? 'Nothing has arrived yet. Send a small payment to one of the subscribed accounts, or wait for the next transaction.'
            : 'Nothing can arrive yet. Complete the required steps first.'}
        </Text>
        {webhook !== null && <Attempts webhook={webhook} />}
      </Stack>
    </Section>
  )
}

const loadEveryMs = 10_000

/** Shows the gateway's report about its attempts, until a delivery arrives. */
function Attempts({ webhook }: { webhook: Webhook }) {
  const { network, id, failedAttempts, failing, status } = webhook
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refreshWebhooks(network)
    }, loadEveryMs)
    return () => clearInterval(timer)
  }, [network])
  const latest = useData('webhook.logs', { network, id, offset: 0 }).data?.logs[0]
  const hasFailed = (failedAttempts ?? 0) > 0 || failing > 0 || status === 'offline'
  if (!hasFailed) {
    return <Hint>The gateway reports no failed attempt. This page updates automatically.</Hint>
  }
  return (
    <Note tone="bad">
      <Row wrap>
        <span>
          The gateway tried to deliver and failed
          {latest !== undefined && (
            <>
              : <UntrustedText text={latest.message} />
              {latest.at !== null && (
                <>
                  {' '}
                  (<Moment at={fromMs(latest.at)} />)
                </>
              )}
            </>
          )}
          .
        </span>
        <a href={routeHref(webhookRoute(webhook, 'deliveries'))}>Show the failures</a>
      </Row>
    </Note>
  )
}

function Arrived({ capture, network }: { capture: CaptureRow; network: NetworkId }) {
  const { id, kind, account, receivedAt, summary } = capture
  const explanation = useData('explanation.get', { id, again: false }).data
  const amount = explanation?.facts.amount ?? null
  const sender = explanation?.sender ?? null
  return (
    <Section title="What arrived">
      <Stack gap="l">
        <Note tone="ok" role="status">
          <Row wrap>
            <span>The gateway delivered to this receiver, with the right token.</span>
            <a href={captureHref(id)}>Open the capture</a>
          </Row>
        </Note>
        <KeyValues
          pairs={[
            ['Event', kind],
            ['Account', account && <AccountLink account={{ address: account }} />],
            ['Content', summary !== '' && <UntrustedText text={summary} />],
            ['Amount', amount && <Amount units={amount.units} asset={amount.asset} />],
            ['Sender', sender && <AccountLink account={sender} />],
            ['Received', <Moment at={receivedAt} />],
          ]}
        />
        <Hint>
          Every further delivery appears in the{' '}
          <a href={`#/inspector?q=network:${network}`}>Inspector</a>.
        </Hint>
      </Stack>
    </Section>
  )
}
