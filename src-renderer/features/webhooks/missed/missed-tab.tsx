import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import warning from '../../../ui/warning.module.css'
import { CheckForm } from './check-form.tsx'
import { CheckList } from './check-list.tsx'
import { CheckView } from './check-view.tsx'
import { Schedule } from './schedule.tsx'
import styles from './missed.module.css'

/** Did I miss anything? `item` is the check that is open. */
export function MissedTab({ webhook, item }: { webhook: Webhook; item: string }) {
  if (item !== '') return <CheckView key={item} webhook={webhook} id={Number(item)} />
  return (
    <>
      {!webhook.isHere && (
        <p className={warning['bar']}>
          This webhook delivers to another endpoint than this receiver: what arrives there cannot be
          seen here, and is called missing.
        </p>
      )}
      <header className={styles['intro']}>
        <h3>Did I miss anything?</h3>
        <p>
          Puts three records of each account beside one another: its transactions on the chain, what
          the gateway says it delivered, and what was captured here. What is on the chain and was
          not taken here is named, and can be rebuilt into the inspector.
        </p>
        <p>
          Only accounts can be checked, and only deliveries to this receiver: what opcodes, new
          contracts and the mempool deliver cannot be told from the chain.
        </p>
      </header>
      <CheckForm webhook={webhook} />
      <CheckList webhook={webhook} />
      <Schedule webhook={webhook} />
    </>
  )
}
