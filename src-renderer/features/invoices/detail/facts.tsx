import type { ReactNode } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import { describeUncounted, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/chain-text.tsx'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import { InvoiceAmount, InvoiceMoment, Payer } from '../../../components/invoices/invoice-parts.tsx'
import { sourceWords } from '../../../components/invoices/invoice-words.ts'
import { CopyButton } from '../../../ui/toast.tsx'
import { formatDuration, fromMs } from '../../../ui/format.ts'
import { KeyValues, Text, Row, Stack } from '../../../ui/layout.tsx'

/** What the invoice requests, what arrived, and when. */
export function Facts({ network, invoice }: { network: Network; invoice: InvoiceDetail }) {
  const now = useGatewayNow(network.id) / 1000
  const { status, amount, currency, received, description, payTo, paidBy, comment } = invoice
  const { createdAt, expiresAt, changedAt, firstSeenAt, firstSource, confirmedAt } = invoice
  const { due, excess, isToReturn } = moneyOf(invoice)
  const sum = (units: bigint | string) => (
    <InvoiceAmount units={String(units)} currency={currency} />
  )
  return (
    <Stack pad="m" line="below">
      <KeyValues
        pairs={[
          ['Amount', sum(amount)],
          [
            'Received',
            received === null ? <Text tone="faint">The chain is not read yet</Text> : sum(received),
          ],
          ['Due', due === 0n ? null : sum(due)],
          [
            isToReturn ? 'To return' : 'Overpaid',
            excess === 0n ? null : (
              <>
                {sum(excess)}
                {!isToReturn && status !== 'pending' && ' · marked as handled'}
              </>
            ),
          ],
          [
            'Not counted',
            invoice.uncounted.length === 0 ? null : (
              <Text tone="warn">{describeUncounted(invoice)}</Text>
            ),
          ],
          [
            'Description',
            description === '' ? null : (
              <Text over="break">
                <UntrustedText text={description} />
              </Text>
            ),
          ],
          ['Paid by', paidBy === null ? null : <Payer invoice={invoice} />],
          ['Pay to', <AccountLink key="to" account={{ address: payTo, isWallet: true }} />],
          [
            'Comment',
            comment === null ? null : (
              <Row gap="xs">
                <Text mono over="break">
                  <UntrustedText text={comment} />
                </Text>
                <CopyButton text={comment} what="Comment" iconOnly kind="quiet" />
              </Row>
            ),
          ],
          [
            'Created',
            <>
              <InvoiceMoment at={createdAt} seconds /> · valid for{' '}
              {formatDuration(fromMs(expiresAt - createdAt))}
            </>,
          ],
          [
            expiresAt <= now ? 'Expired' : 'Expires',
            status === 'cancelled' ? null : <InvoiceMoment at={expiresAt} seconds />,
          ],
          ['Changed', changedAt === createdAt ? null : <InvoiceMoment at={changedAt} seconds />],
          ['Paid on chain', paidOnChain(network, invoice)],
          [
            'Confirmed',
            confirmedAt === null ? 'not yet' : <InvoiceMoment at={confirmedAt} seconds />,
          ],
          [
            'First seen',
            <>
              <InvoiceMoment at={firstSeenAt} seconds /> · source: {sourceWords[firstSource]}
            </>,
          ],
        ]}
      />
    </Stack>
  )
}

function paidOnChain(network: Network, { paidAt, payments }: InvoiceDetail): ReactNode {
  if (paidAt === null) return null
  const last = payments.find(({ at }) => at === paidAt)
  return (
    <>
      <InvoiceMoment at={paidAt} seconds />
      {last !== undefined && (
        <>
          {' · '}
          <HashText
            hash={last.hash}
            href={transactionHref(last.hash, network.id)}
            what="Transaction hash"
          />
        </>
      )}
    </>
  )
}
