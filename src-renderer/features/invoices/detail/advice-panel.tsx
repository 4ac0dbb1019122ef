import { useState } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { RefundDialog } from '../attention/refund-dialog.tsx'
import { type Act, actWords, runAct } from './advice-acts.ts'
import styles from './detail.module.css'

/** What to do next, and the buttons to do it. */
export function AdvicePanel({
  network,
  invoice,
  onFetched,
}: {
  network: Network
  invoice: InvoiceDetail
  /** The gateway was asked for it. */
  onFetched: (invoice: InvoiceDetail) => void
}) {
  const [busy, setBusy] = useState<Act | null>(null)
  const [refund, setRefund] = useState<Matter | null>(null)
  const { tone, title, text, acts } = invoice.advice
  const run = async (act: Act) => {
    setBusy(act)
    await runAct(act, {
      network,
      invoice,
      onFetched,
      onRefund: setRefund,
    })
    setBusy(null)
  }
  return (
    <div
      className={classes(styles['advice'], styles[tone])}
      role="region"
      aria-label="What to do next"
    >
      <h3 className={styles['adviceTitle']}>
        <UntrustedText text={title} />
      </h3>
      {text !== '' && (
        <p className={styles['adviceText']}>
          <UntrustedText text={text} />
        </p>
      )}
      {acts.length > 0 && (
        <div className={styles['acts']}>
          {acts.map((act) => (
            <Button key={act} busy={busy === act} onClick={() => void run(act)}>
              {actWords[act]}
            </Button>
          ))}
        </div>
      )}
      {refund !== null && (
        <RefundDialog network={network} matter={refund} open onClose={() => setRefund(null)} />
      )}
    </div>
  )
}
