import { memo, useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { attempt, useData, request, put } from '../../app/bridge.ts'
import { captureHref, printRoute } from '../../app/route.ts'
import { FirstCapture } from '../../components/start/first-capture.tsx'
import { SetupLink } from '../../components/start/setup-link.tsx'
import { SandboxStepsPanel } from '../../components/start/sandbox-steps.tsx'
import { ActionButton, IconButton, Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Columns, Note, Row, Hint, Section, Stack, Moment, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { CaptureChart, CaptureFigures, LatestCaptures, useLiveCaptures } from './captures.tsx'
import { ReceiverPanel } from './receiver-panel.tsx'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { invoicesHome, invoicesOf } from '../../app/invoices-route.ts'
import { openNewInvoice } from '../../app/invoice-dialogs.ts'
import { formatMoney } from '../../components/amount.ts'
import { announce } from '../../ui/toast.tsx'
import { useGatewayNow } from '../../components/gateway-clock.ts'

const access = printRoute({ ...invoicesHome, view: 'access' })

/** The invoices of the network. `onlyIfAny`: not shown while there are none. */
function InvoicesPanel({ network, onlyIfAny = false }: { network: Network; onlyIfAny?: boolean }) {
  if (network.urls?.console === null) return null
  const hasToken = network.kind === 'sandbox' || network.secrets.invoices !== null
  if (hasToken) return <Invoices network={network} onlyIfAny={onlyIfAny} />
  if (onlyIfAny) return null
  return (
    <Section title="Invoices" level={2}>
      <Hint>
        No access to the invoices of {network.name} yet. <a href={access}>Set up invoice access</a>
      </Hint>
    </Section>
  )
}

type Counts = Output<'invoice.counts'>

function Invoices({ network, onlyIfAny }: { network: Network; onlyIfAny: boolean }) {
  const query = useData('invoice.counts', { network: network.id })
  const isEmpty = ({ total, matters }: Counts) => total + matters === 0
  if (onlyIfAny && (query.data === undefined || isEmpty(query.data))) return null
  return (
    <Section title="Invoices" level={2} end={<a href={printRoute(invoicesHome)}>All invoices</a>}>
      <Stack>
        <Loaded query={query} of="the invoices" rows={2}>
          {(counts) =>
            isEmpty(counts) ? (
              <Hint>
                {network.name} has no invoices yet.{' '}
                <Button kind="link" onClick={openNewInvoice}>
                  Create an invoice
                </Button>
              </Hint>
            ) : (
              <Numbers network={network} counts={counts} />
            )
          }
        </Loaded>
        <StatusWebhook network={network} />
      </Stack>
    </Section>
  )
}

function Numbers({ network, counts }: { network: Network; counts: Counts }) {
  const period = useToday(network)
  const today = useData('invoiceStats.figures', { network: network.id, ...period }).data?.now
  const { matters, byStatus } = counts
  const paid = invoicesOf({ statuses: ['paid'], period: { by: 'ended', ...period } })
  const numbers = [
    { name: 'pending', value: byStatus['pending'] ?? 0, of: invoicesOf({ statuses: ['pending'] }) },
    { name: 'paid today', value: today?.paid, of: paid, volume: today?.volume },
    {
      name: matters === 1 ? 'needs attention' : 'need attention',
      value: matters,
      of: { ...invoicesHome, view: 'attention', matter: null } as const,
      isBad: matters > 0,
    },
  ]
  return (
    <Row as="ul" wrap gap="xl" align="start">
      {numbers.map(({ name, value, of, isBad = false, volume = { TON: '0', USDT: '0' } }) => (
        <Stack as="li" key={name} gap="none">
          <a href={printRoute(of)}>
            <Text tone={isBad ? 'bad' : 'dim'} size="s">
              <Text size="l" strong>
                {value === undefined ? '–' : formatNumber(value)}
              </Text>{' '}
              {name}
            </Text>
          </a>
          {(['TON', 'USDT'] as const)
            .filter((currency) => volume[currency] !== '0')
            .map((currency) => (
              <Text key={currency} mono tone="dim">
                {formatMoney(volume[currency], currency)}
              </Text>
            ))}
        </Stack>
      ))}
    </Row>
  )
}

/** The day by the gateway's clock and this computer's time zone. */
function useToday(network: Network): { from: number; to: number } {
  const midnight = new Date(useGatewayNow(network.id) / 1000)
  midnight.setHours(0, 0, 0, 0)
  const next = new Date(midnight)
  next.setDate(next.getDate() + 1)
  return { from: midnight.getTime(), to: next.getTime() }
}

/** The specification wants the webhook for status changes to be set up on the Overview. */
function StatusWebhook({ network }: { network: Network }) {
  const query = useData('invoiceAccess.read', { network: network.id })
  const register = () =>
    attempt('Could not register the webhook', async () => {
      const url = query.data?.receiverUrl ?? ''
      const next = await request('invoiceAccess.addWebhook', { network: network.id, url })
      put('invoiceAccess.read', { network: network.id }, next)
      announce('Webhook registered')
    })
  return (
    <Loaded query={query} of="the access to invoices" rows={1}>
      {({ application, canManage, steps }) => {
        const webhooks = application?.webhooks ?? []
        const isHere = webhooks.some((webhook) => webhook.isHere)
        const isReady =
          application !== null ||
          steps.some(({ id, state }) => id === 'webhook' && state === 'open')
        const others = webhooks.length - (isHere ? 1 : 0)
        return (
          <Row wrap>
            <Hint>
              {isHere
                ? `Status changes are sent to this receiver${describeOthers(others)}. `
                : isReady
                  ? 'Invoice webhook not set up. '
                  : 'Access to invoices is not complete. '}
              <a href={access}>
                {isHere ? 'Change' : isReady ? 'Webhooks' : 'Set up invoice access'}
              </a>
            </Hint>
            {!isHere && canManage && application !== null && (
              <ActionButton action={register}>Add an invoice webhook</ActionButton>
            )}
          </Row>
        )
      }}
    </Loaded>
  )
}

function describeOthers(others: number): string {
  if (others === 0) return ''
  return others === 1 ? ' and another webhook' : ` and ${others} other webhooks`
}

const maxShown = 6

/** The webhooks of the network, the failing ones first. `onlyTrouble`: shown only if one of them fails. */
function WebhooksPanel({
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
  const { endpoint, failing, accounts } = webhook
  const to = (tab: 'overview' | 'failures') => printRoute(webhookRoute(webhook, tab))
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

export function OverviewPage() {
  useLiveCaptures()
  return (
    <Page title="Overview">
      <SetupLink />
      <Loaded query={useData('capture.counts')} of="the captures" rows={8}>
        {({ total, newestId }) => <Content total={total} newestId={newestId} />}
      </Loaded>
    </Page>
  )
}

function Content({ total, newestId }: { total: number; newestId: number | null }) {
  /** The page was shown while there were no captures: then the first one is announced. */
  const [sawEmpty, setSawEmpty] = useState(total === 0)
  const [firstId, setFirstId] = useState<number | null>(null)
  const network = useCurrentNetwork()
  if (total === 0) {
    if (!sawEmpty) setSawEmpty(true)
    return (
      <>
        {network !== null && (
          <>
            <WebhooksPanel key={`webhooks ${network.id}`} network={network} onlyTrouble />
            <InvoicesPanel key={`invoices ${network.id}`} network={network} onlyIfAny />
          </>
        )}
        <FirstCapture />
      </>
    )
  }
  if (sawEmpty && firstId === null && newestId !== null) setFirstId(newestId)
  return (
    <>
      {sawEmpty && firstId !== null && (
        <Arrived
          id={firstId}
          onClose={() => {
            setSawEmpty(false)
            setFirstId(null)
          }}
        />
      )}
      <SandboxStepsPanel />
      <CaptureFigures />
      <Panels key={coinName()} />
    </>
  )
}

/** The counts change ten times a second under load; these panels render for their own data only. */
const Panels = memo(function Panels() {
  const network = useCurrentNetwork()
  return (
    <>
      <Columns least={340} gap="none" wideFirst>
        <CaptureChart />
        <div>
          <ReceiverPanel />
          {network !== null && (
            <>
              <WebhooksPanel key={`webhooks ${network.id}`} network={network} />
              <InvoicesPanel key={`invoices ${network.id}`} network={network} />
            </>
          )}
        </div>
      </Columns>
      <LatestCaptures />
    </>
  )
})

function Arrived({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <Note tone="ok">
      <Row role="status">
        <Icon name="check" />
        Your first webhook has arrived and is stored. <a href={captureHref(id)}>Open the capture</a>
        <Row last>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </Row>
      </Row>
    </Note>
  )
}
