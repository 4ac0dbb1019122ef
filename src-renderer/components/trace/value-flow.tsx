import type { ValueFlow } from '../../../src-preload/contract/chain/transaction.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { Table } from '../../ui/table.tsx'
import { Hint, Text } from '../../ui/layout.tsx'
import { formatUnits } from '../amount.ts'
import { AccountLink } from '../chain/account-link.tsx'
import { Amount } from '../chain/chain-text.tsx'

/** Shows how the balance of each account changed over the whole trace. */
export function ValueFlowTable({ flow }: { flow: readonly ValueFlow[] }) {
  if (flow.length === 0) {
    return <Hint>No value was transferred.</Hint>
  }
  return (
    <Table
      label="Balance changes by account"
      scroll
      rows={flow}
      keyOf={({ account }) => account.address}
      columns={[
        {
          name: 'Account',
          grow: 1,
          width: 110,
          cell: ({ account }) => <AccountLink account={account} />,
        },
        { name: 'Change', look: 'number', cell: (each) => <Changes flow={each} /> },
        {
          name: `Fees with forward fee, ${coinName()}`,
          look: 'amount',
          cell: ({ fees }) => <Text tone="faint">{formatUnits(fees, 9)}</Text>,
        },
      ]}
    />
  )
}

function Changes({ flow: { ton, jettons, extra } }: { flow: ValueFlow }) {
  return (
    <>
      <Amount units={ton} signed aligned />
      {[...jettons, ...extra].map(({ asset, units }) => (
        <div key={asset?.jetton ?? asset?.extraCurrency ?? 'unknown'}>
          {asset === null ? (
            <span title="The gateway did not report which jetton this is. Reload the page to try again.">
              {formatUnits(units, 0)} units of an unknown jetton
            </span>
          ) : (
            <Amount units={units} asset={asset} signed aligned />
          )}
        </div>
      ))}
    </>
  )
}
