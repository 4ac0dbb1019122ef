/** The totals of a reconciliation by currency, and the gateway's own totals. */
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { type ReactNode, useState } from 'react'
import type { Closing } from '../../../../src-preload/contract/matter.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { useData } from '../../../app/bridge.ts'
import { formatAmount } from '../../../components/amount.ts'
import { Button } from '../../../ui/button.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Row, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Table } from '../../../ui/table.tsx'

type Total = Closing['totals'][number]

type Line = {
  readonly name: string
  readonly isSum?: boolean
  readonly amount: (total: Total) => ReactNode
  readonly note?: (total: Total) => string
}

const lines: readonly Line[] = [
  {
    name: 'Paid, according to the gateway',
    amount: ({ paidAmount, currency }) => formatAmount(paidAmount, currency),
    note: ({ paid }) => formatCount(paid, 'invoice'),
  },
  {
    name: 'Overpaid',
    amount: ({ overpayment, currency }) => formatAmount(overpayment, currency),
  },
  {
    name: 'Received on the chain',
    isSum: true,
    amount: ({ received, currency }) => formatAmount(received, currency),
    note: ({ payments }) => formatCount(payments, 'payment'),
  },
  {
    name: 'of which matched to invoices',
    amount: ({ matched, currency }) => formatAmount(matched, currency),
  },
  {
    name: 'of which for invoices not paid in this period',
    amount: ({ matchedElsewhere, currency }) => formatAmount(matchedElsewhere, currency),
  },
  {
    name: 'of which unmatched',
    amount: ({ unmatched, currency }) => formatAmount(unmatched, currency),
  },
  {
    name: 'Difference',
    isSum: true,
    amount: (total) => {
      const isEqual = BigInt(total.difference) === 0n
      return <Text tone={isEqual ? 'ok' : 'bad'}>{formatDifference(total)}</Text>
    },
    note: ({ difference }) => {
      const units = BigInt(difference)
      if (units === 0n) return 'agrees'
      return units < 0n ? 'less on the chain' : 'more on the chain'
    },
  },
]

function formatDifference({ difference, currency }: Total): string {
  const amount = formatAmount(difference, currency)
  return BigInt(difference) > 0n ? `+${amount}` : amount
}

export function Statement({ closing: { totals } }: { closing: Closing }) {
  return (
    <Table
      label="Totals"
      scroll
      rows={lines}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Total', hideName: true, cell: ({ name, isSum }) => strongIf(isSum, name) },
        ...totals.flatMap((total) => [
          {
            name: total.currency,
            look: 'amount' as const,
            cell: ({ amount, isSum }: Line) => strongIf(isSum, amount(total)),
          },
          {
            name: `Count in ${total.currency}`,
            hideName: true,
            look: 'dim' as const,
            cell: ({ note }: Line) => note?.(total),
          },
        ]),
      ]}
    />
  )
}

const strongIf = (isStrong: boolean | undefined, text: ReactNode) => (
  <Text strong={isStrong === true}>{text}</Text>
)

/** Totals of all time, from the gateway and from the ledger. Loaded once they are opened. */
export function GatewayTotals() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Stack gap="xs">
      <Row>
        <Button
          kind="quiet"
          icon={isOpen ? 'down' : 'right'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Totals of the gateway
        </Button>
      </Row>
      {isOpen && <Comparison />}
    </Stack>
  )
}

type Compared = Output<'invoiceStats.gateway'>[number]

function Comparison() {
  const query = useData('invoiceStats.gateway', { network: useShownNetwork().id })
  return (
    <Loaded query={query} of="the totals of the gateway" rows={2}>
      {(totals) => (
        <Table
          label="Totals of the gateway"
          scroll
          rows={totals}
          keyOf={({ currency }) => currency}
          columns={[
            { name: 'All time', cell: ({ currency }) => currency },
            { name: 'Gateway', cell: ({ gateway, currency }) => describe(gateway, currency) },
            { name: 'Ledger', cell: ({ ledger, currency }) => describe(ledger, currency) },
            {
              name: 'Result',
              hideName: true,
              cell: ({ agrees }) => (
                <Text tone={agrees ? 'ok' : 'bad'}>{agrees ? 'agrees' : 'differs'}</Text>
              ),
            },
          ]}
        />
      )}
    </Loaded>
  )
}

function describe(
  { total, pending, paidAmount, pendingAmount }: Compared['gateway'],
  currency: Compared['currency'],
): string {
  const amounts = `${formatAmount(paidAmount, currency)} paid, ${formatAmount(pendingAmount, currency)} pending`
  return `${amounts}; ${formatCount(total, 'invoice')}, ${pending} of them pending`
}
