import type { Network } from '../../../../src-preload/contract/network.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { askAgain, closeCreate } from './issuing.ts'
import { Where } from './where.tsx'
import styles from './create.module.css'

/** The answer to the press did not come: asked again it is the same draft, which is issued once. */
export function Lost({ network, why }: { network: Network; why: string }) {
  return (
    <div className={styles['form']}>
      <p className={styles['problem']} role="alert">
        {why}
      </p>
      <p className={styles['note']}>
        Whether the invoice is on its way is not known here. Look again as often as you like: what
        was asked for has a number of its own, under which Tondesk creates it once.
      </p>
      <div className={styles['foot']}>
        <Where network={network} />
        <Button
          className={styles['end']}
          onClick={() => {
            closeCreate()
            navigate({ ...invoicesHome, view: 'jobs', job: null })
          }}
        >
          Show the jobs
        </Button>
        <Button kind="main" onClick={() => void askAgain()}>
          Look again
        </Button>
      </div>
    </div>
  )
}
