import type { Matter } from '../../../../src-preload/contract/matter.ts'
import { shorten } from '../../../ui/format.ts'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import type { Column } from '../../../ui/virtual-grid.tsx'
import { useAddressText } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Cell } from '../../../components/list/window-grid.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { matterTexts, matterTones } from '../invoice-words.ts'
import { amountWordsOf, matterLabelOf, subjectOf } from './matter-words.ts'

type MatterColumns = {
  readonly layout: 'wide' | 'middle' | 'narrow'
  readonly heads: readonly Column[]
}

const what: readonly Column[] = [{ name: 'What' }, { name: 'Invoice' }, { name: 'What to do' }]
const amountHead: Column = { name: 'Amount', end: true }
const sinceHead: Column = { name: 'Since' }

/** What is said elsewhere goes first where not all fits: what to do names the amount, too. */
export function matterColumns(width: number): MatterColumns {
  if (width < 780) return { layout: 'narrow', heads: what }
  if (width < 900) return { layout: 'middle', heads: [...what, sinceHead] }
  return { layout: 'wide', heads: [...what, amountHead, sinceHead] }
}

export function MatterCells({
  matter,
  columns: { layout },
}: {
  matter: Matter
  columns: MatterColumns
}) {
  const { kind, invoice, payment, amount, currency, since, advice, note, refund } = matter
  const payer = useAddressText({ address: payment?.payer ?? '', isWallet: true })
  const from = payment === null ? '' : `from ${payment.payerLabel ?? shorten(payer)}`
  const about = invoice?.description ?? payment?.comment ?? from
  return (
    <>
      <Cell title={matterTexts[kind]}>
        <Tag tone={matterTones[kind]}>{matterLabelOf(matter)}</Tag>
      </Cell>
      <Cell title={about === '' ? undefined : about}>
        <span className={invoice === null ? undefined : text['mono']}>
          <UntrustedText text={subjectOf(matter)} />
        </span>{' '}
        <span className={text['dim']}>
          <UntrustedText text={about} />
        </span>
      </Cell>
      <Cell title={note === '' ? advice.title : `${advice.title}\nNote: ${note}`}>
        {refund !== null && <Tag tone="ok">refund seen</Tag>} <UntrustedText text={advice.title} />
        {note !== '' && (
          <span className={text['faint']}>
            {' '}
            · <UntrustedText text={note} />
          </span>
        )}
      </Cell>
      {layout === 'wide' && (
        <Cell className={text['number']} title={amountWordsOf(matter)}>
          {amount !== null && <InvoiceAmount units={amount} currency={currency} />}
        </Cell>
      )}
      {layout !== 'narrow' && (
        <Cell className={text['dim']}>
          <InvoiceMoment at={since} />
        </Cell>
      )}
    </>
  )
}
