import { useEffect, useRef } from 'react'
import type { Change } from '../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { request, useDataOf } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { setupHome } from '../../app/setup-route.ts'
import { refreshWebhooks } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { createAddressList } from '../../components/address-list/address-list.ts'
import { ListEntry } from '../../components/address-list/list-entry.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import {
  hasJobEnded,
  takeOwnJob,
  stateTones,
  jobStateLabels,
  useJobs,
} from '../../components/jobs/job-kind.tsx'
import { formatCount } from '../../ui/format.ts'
import { Hint, Row, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Progress } from '../../ui/loaded.tsx'
import type { StepProps } from './use-setup.ts'

/** The list is kept while the user looks at other steps and pages. */
const list = createAddressList()

export function AccountsStep({ network, setup: { webhook } }: StepProps) {
  if (webhook === null) {
    return (
      <Section title="Accounts to subscribe">
        <Hint>
          Accounts are subscribed to a webhook.{' '}
          <a href={routeHref({ ...setupHome, network: network.id, step: 'webhook' })}>
            Create the webhook first
          </a>
        </Hint>
      </Section>
    )
  }
  const subscribe = async (draft: string) => {
    const change = await request('subscription.add', {
      network: network.id,
      webhook: webhook.id,
      draft,
    })
    takeOwnJob('change', change)
  }
  return (
    <>
      <Subscribed webhook={webhook} />
      <Section title="Accounts to subscribe">
        <Stack room line="box">
          <ListEntry
            list={list}
            network={network}
            title="Accounts to subscribe"
            action={(valid) =>
              valid === 0 ? 'Subscribe' : `Subscribe ${formatCount(valid, 'account')}`
            }
            onHand={subscribe}
          />
        </Stack>
      </Section>
    </>
  )
}

/** Shows the accounts that the gateway reports, and the latest change that added accounts. */
function Subscribed({ webhook }: { webhook: Webhook }) {
  const { network, id, accounts, failing } = webhook
  const changes = useJobs('change', network).data ?? []
  const change = changes.find(
    ({ kind, webhooks }) => kind === 'add' && webhooks.some((each) => each.id === id),
  )
  return (
    <Section title="Subscribed accounts">
      <Stack>
        <Row wrap>
          <a href={routeHref(webhookRoute(webhook, 'accounts'))}>
            {accounts === null
              ? 'The gateway does not report the number of accounts'
              : `${formatCount(accounts, 'account')}, as the gateway reports`}
          </a>
          {failing > 0 && <Tag tone="bad">{failing} failing</Tag>}
        </Row>
        {change !== undefined && <Latest key={change.id} change={change} webhook={webhook} />}
      </Stack>
    </Section>
  )
}

function Latest({ change, webhook }: { change: Change; webhook: Webhook }) {
  const { id, state, counts, problem } = change
  const settled = counts.done + counts.unchanged + counts.failed
  const wasOver = useRef(hasJobEnded(change))
  const isNowOver = hasJobEnded(change)
  const failed = useDataOf(
    'change.items',
    counts.failed === 0 ? null : { id, state: 'failed', offset: 0, limit: 1 },
  )
  const reason = problem ?? failed.data?.items[0]?.reason ?? null
  // The gateway may then report another number of accounts.
  useEffect(() => {
    if (isNowOver && !wasOver.current) void refreshWebhooks(webhook.network)
    wasOver.current = isNowOver
  }, [isNowOver, webhook.network])
  return (
    <Stack gap="xs">
      <Row wrap role="status">
        <Tag tone={stateTones[state]}>{jobStateLabels[state]}</Tag>
        <Text size="s">
          {settled} of {formatCount(counts.total, 'account')} sent
          {counts.failed > 0 && `, ${counts.failed} failed`}
        </Text>
        <a href={routeHref(webhookRoute(webhook, 'changes', String(id)))}>Show the report</a>
      </Row>
      {!isNowOver && <Progress label="Accounts subscribed" done={settled} of={counts.total} />}
      {reason !== null && (
        <Text as="p" size="s" tone="bad" role="alert">
          <UntrustedText text={reason} />
        </Text>
      )}
    </Stack>
  )
}
