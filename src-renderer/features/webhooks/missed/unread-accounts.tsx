import { useState } from 'react'
import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import styles from './missed.module.css'

const most = 500

/** Of these accounts nothing can be said, and why. */
export function UnreadAccounts({ check }: { check: MissedCheck }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="warning" onClick={() => setOpen(true)}>
        {formatCount(check.unread, 'account')} not read
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        wide
        title={`${formatCount(check.unread, 'account')} could not be read`}
        detail="Of their events nothing is known. Resume the check, or begin another, to try them again."
        buttons={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        {isOpen && <Accounts id={check.id} />}
      </Dialog>
    </>
  )
}

function Accounts({ id }: { id: number }) {
  const { state, resource } = useAnswer('ledger.accounts', {
    id,
    only: 'unread',
    offset: 0,
    limit: most,
  })
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The accounts could not be listed"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={5} label="Loading the accounts" />
  const { accounts, total } = state.value
  return (
    <div className={styles['unread']} tabIndex={0} role="region" aria-label="Accounts not read">
      <table className={classes(table['table'], table['sticky'])}>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {accounts.map(({ account, label, problem }) => (
            <tr key={account}>
              <td>
                <AccountLink
                  account={{ address: account, label, name: null, isScam: false, isWallet: false }}
                />
              </td>
              <td className={styles['why']}>{problem ?? 'It is not known why.'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > accounts.length && (
        <p className={styles['dim']}>and {formatNumber(total - accounts.length)} more</p>
      )}
    </div>
  )
}
