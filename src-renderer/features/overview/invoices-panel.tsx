import type { Network } from '../../../src-preload/contract/network.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { request, put, useData } from '../../app/bridge.ts'
import { invoicesHome, invoicesOf } from '../../app/invoices-route.ts'
import { openNewInvoice } from '../../app/invoice-dialogs.ts'
import { printRoute } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { formatAmount } from '../../components/amount.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Hint, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { useGatewayNow } from '../../components/gateway-clock.ts'

const access = printRoute({ ...invoicesHome, view: 'access' })

/** The invoices of the network. `onlyIfAny`: not shown while there are none. */
export function InvoicesPanel({
  network,
  onlyIfAny = false,
}: {
  network: Network
  onlyIfAny?: boolean
}) {
  if (network.urls?.console === null) return null
  const hasToken = network.kind === 'sandbox' || network.secrets.invoices !== null
  if (hasToken) return <Invoices network={network} onlyIfAny={onlyIfAny} />
  if (onlyIfAny) return null
  return (
    <Section title="Invoices" level={2}>
      <Hint>
        No access to the invoices of {network.name} yet. <a href={access}>Get access</a>
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
  return (
    <Row as="ul" wrap gap="xl" align="start">
      <Number
        href={printRoute(invoicesOf({ statuses: ['pending'] }))}
        value={formatNumber(byStatus['pending'] ?? 0)}
        name="pending"
      />
      <Number
        href={printRoute(invoicesOf({ statuses: ['paid'], period: { by: 'ended', ...period } }))}
        value={today === undefined ? '–' : formatNumber(today.paid)}
        name="paid today"
        volume={today?.volume}
      />
      <Number
        href={printRoute({ ...invoicesHome, view: 'attention', matter: null })}
        value={formatNumber(matters)}
        name={matters === 1 ? 'needs attention' : 'need attention'}
        isBad={matters > 0}
      />
    </Row>
  )
}

function Number({
  href,
  value,
  name,
  isBad = false,
  volume,
}: {
  href: string
  value: string
  name: string
  isBad?: boolean
  volume?: Readonly<Record<'TON' | 'USDT', string>> | undefined
}) {
  return (
    <Stack as="li" gap="none">
      <a href={href}>
        <Text tone={isBad ? 'bad' : 'dim'} size="s">
          <Text size="l" strong>
            {value}
          </Text>{' '}
          {name}
        </Text>
      </a>
      {(['TON', 'USDT'] as const).map(
        (currency) =>
          volume !== undefined &&
          volume[currency] !== '0' && (
            <Text key={currency} mono tone="dim">
              {formatAmount(volume[currency], currency)} {currency}
            </Text>
          ),
      )}
    </Stack>
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
  const form = useForm({}, async () => {
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
          <Stack gap="xs">
            <Row wrap>
              <Hint>
                {isHere
                  ? `Status changes are sent to this receiver${describeOthers(others)}. `
                  : isReady
                    ? 'Invoice webhook not set up. '
                    : 'Access to invoices is not complete. '}
                <a href={access}>{isHere ? 'Change' : isReady ? 'Webhooks' : 'Get access'}</a>
              </Hint>
              {!isHere && canManage && application !== null && (
                <Button busy={form.busy} onClick={() => form.submit()}>
                  Use this receiver
                </Button>
              )}
            </Row>
            {form.problem !== null && (
              <Text as="p" size="s" tone="bad" role="alert">
                {form.problem}
              </Text>
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}

function describeOthers(others: number): string {
  if (others === 0) return ''
  return others === 1 ? ' and another webhook' : ` and ${others} other webhooks`
}
