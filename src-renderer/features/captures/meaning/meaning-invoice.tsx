import type { CaptureMeaning } from '../../../../src-preload/contract/meaning.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { describeMoney } from '../../../../src-preload/contract/invoice-money.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import text from '../../../ui/text.module.css'
import { AdvicePanel } from '../../../components/invoices/advice-panel.tsx'
import {
  InvoiceAmount,
  InvoiceState,
  StateTag,
} from '../../../components/invoices/invoice-parts.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import styles from './meaning.module.css'

type Told = NonNullable<CaptureMeaning['invoice']>

/** The invoice that a delivery tells of, or that its transaction pays; and what to do about it. */
export function MeaningInvoice({
  network,
  invoice: { id, relation, told, detail },
  onChanged,
}: {
  network: Network
  invoice: Told
  onChanged: () => void
}) {
  const href = printRoute({ ...invoiceRoute(id), network: network.id })
  return (
    <section aria-label={`Invoice ${id}`}>
      <div className={styles['invoiceHead']}>
        <h3>{relation === 'told' ? 'Tells of invoice' : 'Pays invoice'}</h3>
        <a className={text['mono']} href={href} title={id}>
          <UntrustedText text={id} />
        </a>
        {detail !== null && <InvoiceState invoice={detail} />}
      </div>
      {detail !== null && <AdvicePanel network={network} invoice={detail} onFetched={onChanged} />}
      <div className={pane['section']}>
        <KeyValues
          pairs={[
            [
              'Says',
              told === null ? null : (
                <span key="told" className={styles['told']}>
                  <StateTag status={told.status} /> <ToldAmount told={told} />
                </span>
              ),
            ],
            [
              'Asked',
              detail === null ? null : (
                <InvoiceAmount key="asked" units={detail.amount} currency={detail.currency} />
              ),
            ],
            [
              'Received',
              detail === null ? null : <span key="received">{describeMoney(detail)}</span>,
            ],
            [
              'Description',
              detail === null || detail.description === '' ? null : (
                <UntrustedText key="description" text={detail.description} />
              ),
            ],
          ]}
        />
      </div>
    </section>
  )
}

/** A claim of the delivery: its currency may be none that is known. */
function ToldAmount({ told: { units, currency } }: { told: NonNullable<Told['told']> }) {
  if (isCurrency(currency) && /^\d{1,30}$/.test(units)) {
    return <InvoiceAmount units={units} currency={currency} />
  }
  return (
    <span className={text['mono']}>
      <UntrustedText text={`${units} ${currency}`} />
    </span>
  )
}

function isCurrency(currency: string): currency is InvoiceCurrency {
  return currency === 'TON' || currency === 'USDT'
}
