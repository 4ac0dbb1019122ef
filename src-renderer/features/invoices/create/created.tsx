import { useEffect, useRef, useState } from 'react'
import type { InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { valueOf } from '../../../app/resource.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { openAct } from '../../sandbox/act-state.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { closeCreate, createAnother } from './issuing.ts'
import { QrCode } from './qr-code.tsx'
import { printShareText } from './share-text.ts'
import { Where } from './where.tsx'
import styles from './create.module.css'

/** What the payer is given: the link, as text and as a picture. */
export function Created({ network, item }: { network: Network; item: InvoiceJobItem }) {
  const id = item.invoice ?? ''
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => first.current?.querySelector('button')?.focus(), [])
  const known = valueOf(useAnswer('invoice.get', { network: network.id, id }).state)
  const expiresAt = known?.expiresAt ?? null
  // Paid in part meanwhile, it asks for the rest.
  const link = known?.paymentLink ?? item.paymentLink ?? ''
  const due = known === null ? 0n : moneyOf(known).due
  const amount = due > 0n ? String(due) : item.amount
  const open = () => {
    closeCreate()
    navigate({ ...invoiceRoute(id), network: network.id })
  }
  return (
    <div className={styles['form']}>
      <div className={styles['created']}>
        <QrCode text={link} title={`Payment link of invoice ${id}`} name={`invoice-${id}`} />
        <div className={styles['facts']}>
          <KeyValues
            pairs={[
              ['Invoice', <span className={text['mono']}>{id}</span>],
              ['Amount', <InvoiceAmount units={item.amount} currency={item.currency} />],
              ['Expires', expiresAt === null ? null : <InvoiceMoment at={expiresAt} />],
              [
                'Description',
                item.description === '' ? null : <UntrustedText text={item.description} />,
              ],
            ]}
          />
          <div className={styles['linkLine']} ref={first}>
            <code className={styles['link']} title={link}>
              {link}
            </code>
            <CopyButton text={link} what="Payment link" label="Copy link" kind="main" />
          </div>
          <Share
            key={`${expiresAt} ${amount}`}
            item={{ ...item, amount }}
            link={link}
            expiresAt={expiresAt}
          />
        </div>
      </div>
      <div className={styles['foot']}>
        <Where network={network} />
        <span className={styles['end']} />
        {network.kind === 'sandbox' && (
          <Button
            onClick={() => {
              closeCreate()
              openAct('pay')
            }}
          >
            Pay it on the sandbox
          </Button>
        )}
        <Button onClick={createAnother}>Create another</Button>
        <Button onClick={open}>Open invoice</Button>
        <Button onClick={closeCreate}>Close</Button>
      </div>
    </div>
  )
}

/** Seen before it is copied, and changed: the description was written for oneself. */
function Share({
  item,
  link,
  expiresAt,
}: {
  item: InvoiceJobItem
  link: string
  expiresAt: number | null
}) {
  const { amount, currency, description } = item
  const [shared, setShared] = useState(() =>
    printShareText({ amount, currency, description, link, expiresAt }),
  )
  return (
    <div className={styles['share']}>
      <TextArea
        label="Text to share"
        rows={7}
        spellCheck={false}
        value={shared}
        onChange={setShared}
      />
      <CopyButton text={shared} what="Share text" label="Copy text" />
    </div>
  )
}
