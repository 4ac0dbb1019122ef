/** The latest payments of a network. */
import type { Network } from '../../../src-preload/contract/network.ts'
import { attempt, put, request, useData, useDataOf } from '../../app/bridge.ts'
import { openNewInvoice } from '../../app/invoice-dialogs.ts'
import { invoicesHome } from '../../app/invoices-route.ts'
import { captureHref, routeHref, queryHref } from '../../app/route.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { Amount } from '../../components/chain/chain-text.tsx'
import {
  InvoiceAmount,
  InvoiceLink,
  InvoiceMoment,
} from '../../components/invoices/invoice-cells.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Hint, Row, Section, Stack, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { announce } from '../../ui/toast.tsx'
import { hasInvoiceAccess } from './health-stats.tsx'

const access = routeHref({ ...invoicesHome, view: 'setup' })
const shown = 6

/**
 * Shows the payments at the addresses of invoices if there is access to invoices. Otherwise it
 * shows captures that report received money.
 */
export function LatestPayments({ network }: { network: Network }) {
  const isOpen = hasInvoiceAccess(network)
  const input = isOpen ? { network: network.id, offset: 0, limit: shown } : null
  const payments = useDataOf('payment.page', input)
  return isOpen && payments.data?.total !== 0 ? (
    <Section
      title="Latest payments"
      level={2}
      end={<a href={routeHref({ ...invoicesHome, view: 'payments' })}>All payments</a>}
    >
      <Stack gap="l">
        <Loaded query={payments} of="the payments" rows={3}>
          {(page) => (
            <Stack as="ul">
              {page.payments.map(
                ({ key, amount, currency, payer, payerLabel, invoice, names, at }) => {
                  const named = invoice ?? names
                  return (
                    <Stack as="li" key={key} gap="none">
                      <Row>
                        <Text strong>
                          <InvoiceAmount units={amount} currency={currency} signed />
                        </Text>
                        <Row last>
                          <Small tone="faint">
                            <InvoiceMoment at={at} />
                          </Small>
                        </Row>
                      </Row>
                      <Row gap="s">
                        <Small>from</Small>
                        <AccountLink
                          account={{ address: payer, label: payerLabel, isWallet: true }}
                          canCopy={false}
                        />
                        <Row last gap="s">
                          {named === null ? (
                            <a
                              href={routeHref({
                                ...invoicesHome,
                                network: network.id,
                                view: 'payments',
                              })}
                            >
                              <Small tone="warn">no invoice</Small>
                            </a>
                          ) : (
                            <>
                              <Small>{invoice === null ? 'names' : 'for'}</Small>
                              <InvoiceLink id={named} network={network.id} />
                            </>
                          )}
                        </Row>
                      </Row>
                    </Stack>
                  )
                },
              )}
            </Stack>
          )}
        </Loaded>
        <StatusWebhook network={network} />
      </Stack>
    </Section>
  ) : (
    <CapturedPayments network={network} />
  )
}

function CapturedPayments({ network }: { network: Network }) {
  const text = `network:${network.id} direction:in duplicate:no`
  const query = useData('capture.list', { query: { text }, limit: shown })
  return (
    <Section title="Latest payments" level={2} end={<a href={queryHref(text)}>All in captures</a>}>
      <Stack>
        <Loaded query={query} of="the payments" rows={3}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Hint>
                No payments yet. Payments to invoices and to subscribed accounts appear here.
              </Hint>
            ) : (
              <Stack as="ul">
                {rows.map(({ id, network: of, account, receivedAt, meaning }) => {
                  const { amount, sender, invoice } = meaning
                  if (amount === null || of === null) return null
                  return (
                    <Stack as="li" key={id} gap="none">
                      <Row>
                        <Text as="a" strong href={captureHref(id)}>
                          <Amount units={amount.units} asset={amount.asset} signed />
                        </Text>
                        <Row last>
                          <Small tone="faint">
                            <Moment at={receivedAt} absolute="minute" />
                          </Small>
                        </Row>
                      </Row>
                      <Row gap="s">
                        {sender !== null && (
                          <>
                            <Small>from</Small>
                            <AccountLink account={{ address: sender }} canCopy={false} />
                          </>
                        )}
                        <Row last gap="s">
                          {invoice !== null ? (
                            <InvoiceLink id={invoice} network={of} />
                          ) : (
                            account !== null && (
                              <>
                                <Small>to</Small>
                                <AccountLink account={{ address: account }} canCopy={false} />
                              </>
                            )
                          )}
                        </Row>
                      </Row>
                    </Stack>
                  )
                })}
              </Stack>
            )
          }
        </Loaded>
        <InvoiceStart network={network} />
        {hasInvoiceAccess(network) && <StatusWebhook network={network} />}
      </Stack>
    </Section>
  )
}

/** Offers the first step to invoices; empty if there are invoices. */
function InvoiceStart({ network }: { network: Network }) {
  const isOpen = hasInvoiceAccess(network)
  const counts = useDataOf('invoice.counts', isOpen ? { network: network.id } : null).data
  if (network.urls?.console === null) return null
  if (!isOpen) {
    return (
      <Hint>
        No access to the invoices of {network.name} yet. <a href={access}>Set up invoice access</a>
      </Hint>
    )
  }
  if (counts === undefined || counts.total > 0) return null
  return (
    <Hint>
      {network.name} has no invoices yet.{' '}
      <Button kind="link" onClick={openNewInvoice}>
        Create an invoice
      </Button>
    </Hint>
  )
}

/** Offers to set up the webhook for status changes, as the specification requires on the Overview. */
function StatusWebhook({ network }: { network: Network }) {
  const { data } = useData('invoiceAccess.read', { network: network.id })
  if (data === undefined) return null
  const { application, canManage, steps } = data
  const register = () =>
    attempt('Could not register the webhook', async () => {
      const url = data.receiverUrl
      const next = await request('invoiceAccess.addWebhook', { network: network.id, url })
      put('invoiceAccess.read', { network: network.id }, next)
      announce('Webhook registered')
    })
  const webhooks = application?.webhooks ?? []
  const isHere = webhooks.some((webhook) => webhook.isHere)
  const isReady =
    application !== null || steps.some(({ id, state }) => id === 'webhook' && state === 'open')
  const others = webhooks.length - (isHere ? 1 : 0)
  return (
    <Row wrap>
      <Hint>
        {isHere
          ? `Status changes are sent to this receiver${describeOthers(others)}. `
          : isReady
            ? 'Invoice webhook not set up. '
            : 'Access to invoices is not complete. '}
        <a href={access}>{isHere ? 'Change' : isReady ? 'Webhooks' : 'Set up invoice access'}</a>
      </Hint>
      {!isHere && canManage && application !== null && (
        <ActionButton action={register}>Add an invoice webhook</ActionButton>
      )}
    </Row>
  )
}

function describeOthers(others: number): string {
  if (others === 0) return ''
  return others === 1 ? ' and another webhook' : ` and ${others} other webhooks`
}
