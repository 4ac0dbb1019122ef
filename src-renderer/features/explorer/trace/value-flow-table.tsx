import type { ValueFlow } from '../../../../src-preload/contract/chain.ts'
import { formatUnits } from '../../../components/amount.ts'
import { classes } from '../../../ui/classes.ts'
import table from '../../../ui/table.module.css'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import styles from './trace.module.css'

/** What each account gained or lost over the whole trace. */
export function ValueFlowTable({ flow }: { flow: readonly ValueFlow[] }) {
  if (flow.length === 0) return <p className={styles['none']}>Nothing of value moved.</p>
  return (
    <div className={styles['flowArea']} tabIndex={0} role="region" aria-label="Value flow">
      <table className={classes(table['table'], styles['flow'])}>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" className={table['number']}>
              Change
            </th>
            <th scope="col" className={table['number']}>
              Fees, TON
            </th>
          </tr>
        </thead>
        <tbody>
          {flow.map(({ account, ton, fees, jettons, extra }) => (
            <tr key={account.address}>
              <td>
                <AccountLink account={account} />
              </td>
              <td className={table['number']}>
                <Amount units={ton} signed />
                {[...jettons, ...extra].map(({ asset, units }) => (
                  <div key={asset?.jetton ?? asset?.extraCurrency ?? 'unknown'}>
                    {asset === null ? (
                      <span title="The gateway could not tell yet which jetton this is. Reload to ask it again.">
                        {formatUnits(units, 0)} units of an unknown jetton
                      </span>
                    ) : (
                      <Amount units={units} asset={asset} signed />
                    )}
                  </div>
                ))}
              </td>
              <td className={classes(table['number'], text['mono'], text['faint'])}>
                {formatUnits(fees, 9)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
