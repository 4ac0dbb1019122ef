import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { useData } from '../../app/bridge.ts'
import { printRoute } from '../../app/route.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Hint, Row, Section, Stack, Moment, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'

const maxShown = 6

/** The webhooks of the network, the failing ones first. `onlyTrouble`: shown only if one of them fails. */
export function WebhooksPanel({
  network,
  onlyTrouble = false,
}: {
  network: Network
  onlyTrouble?: boolean
}) {
  const query = useData('webhook.list', { network: network.id })
  const hasTrouble = query.data?.webhooks.some((webhook) => troubleOf(webhook) > 0) === true
  if (onlyTrouble && !hasTrouble) return null
  return (
    <Section title="Webhooks" level={2} end={<a href={printRoute(webhooksHome)}>All webhooks</a>}>
      <Loaded query={query} of="the webhooks" rows={2}>
        {(list) => <Webhooks list={list} network={network} />}
      </Loaded>
    </Section>
  )
}

function Webhooks({ list, network }: { list: WebhookList; network: Network }) {
  const { webhooks, readAt } = list
  if (webhooks.length === 0) {
    return (
      <Hint>
        {readAt === null
          ? `The webhooks of ${network.name} are not loaded yet.`
          : `${network.name} has no webhooks.`}
      </Hint>
    )
  }
  const shown = webhooks.toSorted((a, b) => troubleOf(b) - troubleOf(a)).slice(0, maxShown)
  const rest = webhooks.length - shown.length
  return (
    <Stack>
      <Stack as="ul" gap="xs">
        {shown.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </Stack>
      <Hint>
        {rest > 0 && `${formatCount(rest, 'more webhook')}. `}
        {readAt !== null && (
          <>
            Updated <Moment at={fromMs(readAt)} />.
          </>
        )}
      </Hint>
    </Stack>
  )
}

function troubleOf({ status, failing }: Webhook): number {
  return (status === 'offline' || status === 'suspended' ? 2 : 0) + (failing > 0 ? 1 : 0)
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, network, endpoint, failing, accounts } = webhook
  const to = (tab: 'overview' | 'failures') => printRoute({ ...webhookRoute(id, tab), network })
  return (
    <Row as="li">
      <StatusTag webhook={webhook} />
      <Row as="a" grow gap="none" href={to('overview')}>
        <Endpoint url={endpoint} mono />
      </Row>
      <Text size="s" tone="dim">
        {failing > 0 ? (
          <a href={to('failures')}>
            <Text tone="bad" strong>
              {formatNumber(failing)} failing
            </Text>
          </a>
        ) : (
          accounts !== null && formatCount(accounts, 'account')
        )}
      </Text>
    </Row>
  )
}
