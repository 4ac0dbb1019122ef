import type { ReactNode } from 'react'
import type { Phases, TransactionView } from '../../../src-preload/contract/chain.ts'
import { Amount } from '../../components/chain/amount.tsx'
import { describeCode } from '../../components/chain/opcode-tag.tsx'
import { formatNumber } from '../../ui/format.ts'
import { KeyValues, Tag, Text, Section, Stack } from '../../ui/layout.tsx'
import { describeChange } from './words.ts'

/** The phases of a transaction and what each of them cost. */
export function PhasesTab({ transaction: { phases, fees } }: { transaction: TransactionView }) {
  const { storage, credit, compute, action, bounce } = phases
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Phases and fees">
      <Section title="Total">
        <KeyValues pairs={[['Total fees', amount(fees)]]} />
      </Section>
      <Phase
        title="Storage"
        detail="Collects the fee for the account’s data on the chain."
        pairs={
          storage && [
            ['Collected', amount(storage.collected)],
            ['Still due', amount(storage.due)],
            ['Account state', describeChange(storage.statusChange)],
          ]
        }
      />
      <Phase
        title="Credit"
        detail="Adds the value of the message to the balance."
        pairs={
          credit && [
            ['Credited', amount(credit.credit)],
            ['Debt collected', amount(credit.collected === '0' ? null : credit.collected)],
          ]
        }
      />
      <Phase
        title="Compute"
        detail="Runs the contract’s code."
        tag={compute && <ComputeTag phase={compute} />}
        pairs={
          compute && [
            ['Skipped', compute.skipped],
            [
              'Exit code',
              compute.exitCode === null ? null : describeCode(compute.exitCode, compute.exitWords),
            ],
            ['Gas used', number(compute.gasUsed)],
            ['Gas fees', amount(compute.gasFees)],
            ['VM steps', number(compute.steps)],
          ]
        }
      />
      <Phase
        title="Action"
        detail="Performs the actions that the code requested."
        tag={action && <Outcome success={action.success} />}
        pairs={
          action && [
            ['Result code', describeCode(action.resultCode, action.resultWords)],
            ['Actions', formatNumber(action.totalActions)],
            ['Skipped', number(action.skippedActions === 0 ? null : action.skippedActions)],
            ['Forward fees', amount(action.forwardFees)],
            ['Action fees', amount(action.totalFees)],
          ]
        }
      />
      {bounce !== null && (
        <Phase
          title="Bounce"
          detail="Returns a message that the contract could not process."
          pairs={[['Outcome', bounce]]}
        />
      )}
    </Stack>
  )
}

const amount = (units: string | null) => (units === null ? null : <Amount units={units} />)
const number = (value: string | number | null) => (value === null ? null : formatNumber(value))

function Phase({
  title,
  detail,
  tag,
  pairs,
}: {
  title: string
  detail: string
  tag?: ReactNode
  /** Null if the transaction did not reach the phase. */
  pairs: readonly (readonly [name: string, value: ReactNode])[] | null
}) {
  return (
    <Section
      title={title}
      aria-label={`${title} phase`}
      actions={
        <>
          {pairs === null ? <Tag>skipped</Tag> : tag}
          <Text tone="faint" size="s">
            {detail}
          </Text>
        </>
      }
    >
      {pairs !== null && <KeyValues pairs={pairs} />}
    </Section>
  )
}

function ComputeTag({ phase }: { phase: NonNullable<Phases['compute']> }) {
  if (phase.skipped !== null) return <Tag tone="warn">skipped</Tag>
  return <Outcome success={phase.success !== false} />
}

function Outcome({ success }: { success: boolean }) {
  return success ? <Tag tone="ok">success</Tag> : <Tag tone="bad">failed</Tag>
}
