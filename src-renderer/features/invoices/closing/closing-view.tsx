import { useEffect, useState } from 'react'
import type { Closing } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { offerClosing, openExport } from '../export/export-choice.ts'
import { useGatewayNow } from '../gateway-clock.ts'
import { ZoneField } from '../zone-field.tsx'
import { ChainState } from './chain-state.tsx'
import { useClosing } from './closing-data.ts'
import { ClosingRows } from './closing-rows.tsx'
import {
  type ClosedSpan,
  chooseClosing,
  closingPresets,
  sayDays,
  spanOf,
  useClosingChoice,
} from './closing-span.ts'
import { GatewayTotals } from './gateway-totals.tsx'
import { Statement } from './statement.tsx'
import styles from './closing.module.css'

/** The close of a day, or of a span: invoices against the chain, what does not agree first. */
export function ClosingView({ network }: { network: Network }) {
  const choice = useClosingChoice()
  const now = useGatewayNow(network.id) / 1000
  const span = spanOf(choice, now)
  const [onlyDifferences, setOnlyDifferences] = useState(false)
  return (
    <div className={styles['view']}>
      <SpanForm problem={typeof span === 'string' ? span : null} />
      {typeof span === 'string' ? null : (
        <Closed
          // Rows of other days are not to stand below a statement for a moment.
          key={`${span.from} ${span.to} ${span.zone}`}
          network={network}
          span={span}
          now={now}
          onlyDifferences={onlyDifferences}
          onFilter={setOnlyDifferences}
        />
      )}
    </div>
  )
}

function SpanForm({ problem }: { problem: string | null }) {
  const { preset, first, last, zone } = useClosingChoice()
  return (
    <div className={styles['form']} role="group" aria-label="What is closed">
      <Choices
        label="Days"
        value={preset}
        options={closingPresets.map(([value, label]) => ({ value, label }))}
        onChange={(next) => chooseClosing({ preset: next })}
      />
      {preset === 'days' && (
        <>
          <TextField
            label="First day"
            hideLabel
            title="First day"
            type="date"
            value={first}
            onChange={(next) => chooseClosing({ first: next })}
          />
          <TextField
            label="Last day"
            hideLabel
            title="Last day; empty: the first alone"
            type="date"
            value={last}
            onChange={(next) => chooseClosing({ last: next })}
          />
        </>
      )}
      <ZoneField hideLabel zone={zone} onChange={(next) => chooseClosing({ zone: next })} />
      {problem !== null && (
        <p className={styles['hint']} role="status">
          {problem}
        </p>
      )}
    </div>
  )
}

function Closed({
  network,
  span,
  now,
  onlyDifferences,
  onFilter,
}: {
  network: Network
  span: ClosedSpan
  now: number
  onlyDifferences: boolean
  onFilter: (onlyDifferences: boolean) => void
}) {
  const { from, to, zone } = span
  const { state, resource, rows } = useClosing(network.id, span, onlyDifferences)
  useEffect(() => offerClosing({ from, to, zone }), [from, to, zone])
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The books could not be closed"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={8} label="Closing the books" />
  const closing = state.value
  return (
    <>
      <section className={styles['statement']} aria-label="Statement">
        <div className={styles['head']}>
          <h2>{sayDays(span)}</h2>
          <span className={styles['hint']}>
            {zone}
            {to > now && ', not over yet'}
          </span>
          <span className={styles['end']}>
            <Button icon="download" onClick={openExport}>
              Export the statement…
            </Button>
          </span>
        </div>
        <ChainState network={network} closing={closing} isOver={to <= now} />
        <Statement closing={closing} />
        <GatewayTotals network={network} />
      </section>
      <div className={styles['choice']}>
        <Choices
          label="Rows shown"
          value={onlyDifferences ? 'differences' : 'all'}
          options={[
            { value: 'all', label: 'All rows' },
            { value: 'differences', label: 'Differences', more: <Count closing={closing} /> },
          ]}
          onChange={(next) => onFilter(next === 'differences')}
        />
        <span className={styles['hint']}>
          {closing.differences > 0 && 'What does not agree stands first, with what to do.'}
        </span>
      </div>
      <ClosingRows network={network} list={rows} span={span} onlyDifferences={onlyDifferences} />
    </>
  )
}

function Count({ closing: { differences } }: { closing: Closing }) {
  return <b className={differences > 0 ? styles['bad'] : undefined}>{differences}</b>
}
