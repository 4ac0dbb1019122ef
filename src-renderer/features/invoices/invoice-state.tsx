import type { Invoice } from '../../../src-preload/contract/invoice.ts'
import { describeMoney, describeUncounted } from '../../../src-preload/contract/invoice-money.ts'
import { formatExact, fromMs } from '../../ui/format.ts'
import { classes } from '../../ui/classes.ts'
import { Tag } from '../../ui/tag.tsx'
import { useShownNetwork } from '../../components/chain/of-network.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useCountdown } from './gateway-clock.ts'
import {
  isKnownState,
  matterTexts,
  matterTones,
  matterWords,
  ownMatters,
  stateTone,
} from './invoice-words.ts'
import styles from './invoice-state.module.css'

/** Its state, what a delivery tells of it, what needs a decision, and how long it still waits. */
export function InvoiceState({ invoice }: { invoice: Invoice }) {
  const { status, matters, expiresAt } = invoice
  const isBad = matters.some((kind) => matterTones[kind] === 'bad')
  return (
    <span className={styles['state']}>
      <StateTag status={status} tone={isBad ? 'bad' : stateTone(status)} />
      <ReportedTag invoice={invoice} />
      {invoice.uncounted.length > 0 && (
        <span className={classes(styles['words'], styles['warn'])} title={describeMoney(invoice)}>
          {describeUncounted(invoice)}
        </span>
      )}
      {ownMatters(invoice).map((kind) => (
        <span
          key={kind}
          className={classes(styles['words'], styles[matterTones[kind]])}
          title={matterTexts[kind]}
        >
          {matterWords[kind]}
        </span>
      ))}
      {status === 'pending' && (
        <TimeLeft until={expiresAt} isShort={matters.length > 0 || invoice.reported !== null} />
      )}
    </span>
  )
}

export function StateTag({
  status,
  tone = stateTone(status),
}: {
  status: string
  tone?: ReturnType<typeof stateTone>
}) {
  return (
    <Tag
      tone={tone}
      title={
        isKnownState(status) ? undefined : 'The gateway says so; this state is not documented.'
      }
    >
      <UntrustedText text={status} />
    </Tag>
  )
}

/** Nothing for one that the gateway has told of, and of which no delivery tells otherwise. */
export function ReportedTag({
  invoice: { reported, isConfirmed },
}: {
  invoice: Pick<Invoice, 'reported' | 'isConfirmed'>
}) {
  if (reported === null && isConfirmed) return null
  const why =
    'Only a delivery tells of it: whoever knows the receiver’s URL could have sent that. The gateway is asked before anything counts.'
  return (
    <Tag tone="warn" title={why}>
      {reported === null ? (
        'reported'
      ) : (
        <>
          reported <UntrustedText text={reported.status} />
        </>
      )}
    </Tag>
  )
}

/** Counts down by the gateway's clock. */
export function TimeLeft({
  until,
  isShort = false,
}: {
  until: number
  /** Where other words stand beside it. */
  isShort?: boolean
}) {
  const { text, isUrgent } = useCountdown(until, useShownNetwork().id, isShort)
  const late = 'By its clock it is over; the gateway has not said so yet.'
  return (
    <span
      className={classes(styles['left'], isUrgent && styles['urgent'])}
      title={`Until ${formatExact(fromMs(until))}${text === 'overdue' ? `\n${late}` : ''}`}
    >
      {text}
    </span>
  )
}
