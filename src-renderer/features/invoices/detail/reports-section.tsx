import type { InvoiceDetail, InvoiceReport } from '../../../../src-preload/contract/invoice.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { captureHref } from '../../../app/route.ts'
import { classes } from '../../../ui/classes.ts'
import pane from '../../../ui/pane.module.css'
import { type Tone, Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { StateTag } from '../invoice-state.tsx'
import styles from './detail.module.css'

const outcomes: Readonly<
  Record<InvoiceReport['outcome'], readonly [word: string, tone: Tone, why: string]>
> = {
  waiting: ['being confirmed', 'plain', 'The gateway is still to be asked.'],
  confirmed: ['confirmed', 'ok', 'The gateway, asked because of it, said the same.'],
  differs: [
    'gateway says otherwise',
    'warn',
    'The gateway, asked because of it, said another state.',
  ],
  'unknown-there': ['unknown to the gateway', 'warn', 'The gateway has no such invoice.'],
  stale: ['old news', 'plain', 'The gateway had told of a later state already.'],
}

/** Deliveries that told of it. They are claims: what counts is what the gateway then said. */
export function ReportsSection({ invoice: { reports } }: { invoice: InvoiceDetail }) {
  return (
    <div className={pane['section']}>
      <h3>Deliveries</h3>
      {reports.length === 0 ? (
        <p className={classes(text['small'], text['faint'])}>
          None has told of it: what is known is from the gateway itself.
        </p>
      ) : (
        <ul className={styles['items']}>
          {reports.map(({ capture, receivedAt, status, outcome }) => {
            const [word, tone, why] = outcomes[outcome]
            return (
              <li key={capture} className={classes(styles['itemLine'], text['small'])}>
                <a href={captureHref(capture)}>capture {capture}</a>
                <StateTag status={status} />
                <Moment at={fromMs(receivedAt)} className={text['dim']} />
                <Tag tone={tone} title={why}>
                  {word}
                </Tag>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
