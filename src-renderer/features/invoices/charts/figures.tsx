import type { CSSProperties, ReactNode } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import { formatAmount } from '../../../components/amount.ts'
import { formatDuration, formatNumber } from '../../../ui/format.ts'
import { type InvoicesQuery, invoicesOf } from '../../../app/invoices-route.ts'
import { valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import figure from '../../../ui/figure.module.css'
import type { Period } from '../period.ts'
import type { Live, ShownFigures } from './live.ts'
import { trimZeros } from './measures.ts'
import { formatShare, sayBefore, sayChange } from './percent.ts'
import styles from './figures.module.css'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-words.ts'

type Rows = Partial<InvoicesQuery>

const hour = 3_600_000

/** What a period came to, beside the time before it. Each figure leads to its rows. */
export function Figures({
  period,
  live: { state, retry },
}: {
  period: Period
  live: Live<ShownFigures>
}) {
  if (state.status === 'failed') {
    return (
      <p className={styles['failed']} role="alert">
        The figures could not be read: {state.error.message}{' '}
        <Button onClick={retry}>Try again</Button>
      </p>
    )
  }
  return <Row period={period} figures={valueOf(state)} />
}

function Row({ period, figures }: { period: Period; figures: ShownFigures | null }) {
  const shown = invoiceCurrencies.filter(
    (each) => period.currencies.length === 0 || period.currencies.includes(each),
  )
  const chosen = { currencies: [...period.currencies] }
  const { from, to } = period
  // As large as the longest of them has room for: an amount is never cut.
  const longest = shown.map((each) => sizeOf(figures?.now.volume[each] ?? '0', each))
  return (
    <div
      className={styles['figures']}
      role="group"
      aria-label="Figures of the period"
      style={{ '--chars': String(Math.max(...longest)) } as CSSProperties}
    >
      {shown.map((currency) => (
        <Paid key={currency} {...{ currency, period, figures }} />
      ))}
      <Figure
        name="Conversion"
        value={figures && (shareOf(figures.now) ?? '–')}
        rows={{ ...chosen, period: { by: 'created', from, to } }}
        first={figures && sayConversion(figures)}
        second={figures && sayMedian(figures)}
      />
      <Open chosen={chosen} shown={shown} figures={figures} />
    </div>
  )
}

function Paid({
  currency,
  period: { from, to },
  figures,
}: {
  currency: InvoiceCurrency
  period: Period
  figures: ShownFigures | null
}) {
  const period = { by: 'ended', from, to } as const
  const rows: Rows = { currencies: [currency], period }
  const over = figures?.now.overpayment[currency] ?? '0'
  return (
    <Figure
      name="Paid"
      value={figures && formatAmount(figures.now.volume[currency], currency)}
      unit={currency}
      rows={{ ...rows, statuses: ['paid'] }}
      first={
        figures &&
        sayChange(
          BigInt(figures.now.volume[currency]),
          BigInt(figures.before.volume[currency]),
          sayBefore(figures.from, figures.to),
        )
      }
      second={
        figures &&
        (BigInt(over) === 0n ? (
          'nothing overpaid'
        ) : (
          <a href={hrefOf({ ...rows, overpaid: true })}>
            overpaid {trimZeros(formatAmount(over, currency))} {currency}
          </a>
        ))
      }
    />
  )
}

function Open({
  chosen,
  shown,
  figures,
}: {
  chosen: Rows
  shown: readonly InvoiceCurrency[]
  figures: ShownFigures | null
}) {
  const rows: Rows = { ...chosen, statuses: ['pending'] }
  const open = figures?.open
  return (
    <Figure
      name="Open"
      value={open && formatNumber(open.count)}
      unit={open?.count === 1 ? 'invoice' : 'invoices'}
      rows={rows}
      first={
        figures &&
        (figures.open.withinHour === 0 ? (
          'none expires within the hour'
        ) : (
          <a
            href={hrefOf({
              ...rows,
              period: { by: 'expires', from: figures.askedAt, to: figures.askedAt + hour },
            })}
          >
            {formatNumber(figures.open.withinHour)}{' '}
            {figures.open.withinHour === 1 ? 'expires' : 'expire'} within the hour
          </a>
        ))
      }
      second={
        open &&
        shown
          .map((each) => `${trimZeros(formatAmount(open.amount[each], each))} ${each}`)
          .join(', ')
      }
    />
  )
}

/** The whole of it is a link to its rows; what it says more may have links of its own. */
function Figure({
  name,
  value,
  unit,
  rows,
  first,
  second,
}: {
  name: string
  /** Missing until it is known. */
  value: string | null | undefined
  unit?: string
  rows: Rows
  first: ReactNode
  second: ReactNode
}) {
  return (
    <div className={classes(figure['figure'], styles['figure'])}>
      <a href={hrefOf(rows)} className={styles['rows']}>
        <span className={figure['name']}>{name}</span>
        <span className={classes(figure['value'], styles['value'])}>
          {value ?? '–'}
          {unit !== undefined && <span className={figure['unit']}> {unit}</span>}
        </span>
      </a>
      <More>{first}</More>
      <More>{second}</More>
    </div>
  )
}

function More({ children }: { children: ReactNode }) {
  return (
    <span className={styles['more']} title={typeof children === 'string' ? children : undefined}>
      {children ?? '\u00a0'}
    </span>
  )
}

function hrefOf(rows: Rows): string {
  return printRoute(invoicesOf(rows))
}

/** Room that an amount with its unit takes, in digits. */
function sizeOf(units: string, currency: InvoiceCurrency): number {
  // Its unit is set smaller.
  return Math.max(11, formatAmount(units, currency).length + 0.75 * (currency.length + 0.5))
}

function shareOf({ created, createdPaid }: ShownFigures['now']): string | null {
  return formatShare(BigInt(createdPaid), BigInt(created))
}

function sayConversion({ now, before }: ShownFigures): string {
  const share = shareOf(before)
  const former = share === null ? '' : `, ${share} before`
  if (now.created === 0) return `none created${former}`
  return `${formatNumber(now.createdPaid)} of ${formatNumber(now.created)}${former}`
}

function sayMedian({ now, medianSeconds }: ShownFigures): string {
  if (now.paid === 0 || medianSeconds === null) return 'none paid'
  return `median ${medianSeconds === 0 ? 'under 1 s' : formatDuration(medianSeconds * 1e6)}`
}
