import type { ReactNode } from 'react'
import type { Phases, TransactionView } from '../../../../src-preload/contract/chain.ts'
import { formatNumber } from '../../../ui/format.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { changeWords, codeWords } from './phase-words.ts'
import styles from './transaction.module.css'

/** How it was carried out, phase by phase, and what each has cost. */
export function PhasesTab({ transaction: { phases, fees } }: { transaction: TransactionView }) {
  return (
    <div className={pane['facts']} tabIndex={0} role="region" aria-label="Phases and fees">
      <section className={pane['section']}>
        <KeyValues pairs={[['Fees in all', <Amount key="f" units={fees} />]]} />
      </section>
      <Storage phase={phases.storage} />
      <Credit phase={phases.credit} />
      <Compute phase={phases.compute} />
      <Action phase={phases.action} />
      {phases.bounce !== null && (
        <Phase title="Bounce" says="Sends back what could not be taken.">
          <KeyValues pairs={[['Outcome', phases.bounce]]} />
        </Phase>
      )}
    </div>
  )
}

function Phase({
  title,
  says,
  tag,
  children,
}: {
  title: string
  says: string
  tag?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={pane['section']} aria-label={`${title} phase`}>
      <div className={styles['messageHead']}>
        <h3>{title}</h3>
        {tag}
        <span className={styles['says']}>{says}</span>
      </div>
      {children}
    </section>
  )
}

function Absent() {
  return <p className={styles['absent']}>It did not come to this.</p>
}

function Storage({ phase }: { phase: Phases['storage'] }) {
  return (
    <Phase title="Storage" says="Rent for what the account keeps on the chain.">
      {phase === null ? (
        <Absent />
      ) : (
        <KeyValues
          pairs={[
            ['Collected', <Amount key="c" units={phase.collected} />],
            ['Still due', phase.due === null ? null : <Amount key="d" units={phase.due} />],
            ['Account state', changeWords(phase.statusChange)],
          ]}
        />
      )}
    </Phase>
  )
}

function Credit({ phase }: { phase: Phases['credit'] }) {
  return (
    <Phase title="Credit" says="Adds what the message brought to the balance.">
      {phase === null ? (
        <Absent />
      ) : (
        <KeyValues
          pairs={[
            ['Credited', <Amount key="c" units={phase.credit} />],
            [
              'Debt taken',
              phase.collected === '0' ? null : <Amount key="d" units={phase.collected} />,
            ],
          ]}
        />
      )}
    </Phase>
  )
}

function Compute({ phase }: { phase: Phases['compute'] }) {
  if (phase === null) {
    return (
      <Phase title="Compute" says="Runs the contract’s code.">
        <Absent />
      </Phase>
    )
  }
  const tag =
    phase.skipped !== null ? (
      <Tag tone="warn">skipped</Tag>
    ) : phase.success === false ? (
      <Tag tone="bad">failed</Tag>
    ) : (
      <Tag tone="ok">success</Tag>
    )
  return (
    <Phase title="Compute" says="Runs the contract’s code." tag={tag}>
      <KeyValues
        pairs={[
          ['Skipped', phase.skipped],
          [
            'Exit code',
            phase.exitCode === null ? null : codeWords(phase.exitCode, phase.exitWords),
          ],
          ['Gas used', phase.gasUsed === null ? null : formatNumber(phase.gasUsed)],
          ['Gas fees', phase.gasFees === null ? null : <Amount key="g" units={phase.gasFees} />],
          ['VM steps', phase.steps === null ? null : formatNumber(phase.steps)],
        ]}
      />
    </Phase>
  )
}

function Action({ phase }: { phase: Phases['action'] }) {
  if (phase === null) {
    return (
      <Phase title="Action" says="Does what the code has ordered.">
        <Absent />
      </Phase>
    )
  }
  return (
    <Phase
      title="Action"
      says="Does what the code has ordered."
      tag={phase.success ? <Tag tone="ok">success</Tag> : <Tag tone="bad">failed</Tag>}
    >
      <KeyValues
        pairs={[
          ['Result', codeWords(phase.resultCode, phase.resultWords)],
          ['Actions', formatNumber(phase.totalActions)],
          ['Left out', phase.skippedActions === 0 ? null : formatNumber(phase.skippedActions)],
          ['Forward fees', <Amount key="f" units={phase.forwardFees} />],
          ['Action fees', <Amount key="a" units={phase.totalFees} />],
        ]}
      />
    </Phase>
  )
}
