import { useEffect, useState } from 'react'
import type {
  Difference,
  DifferenceKind,
  Plan,
} from '../../../../src-preload/contract/subscription.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { type Choice, ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { sayAct } from '../changes/change-words.ts'
import { SubjectCells } from '../changes/subject-cells.tsx'
import { Endpoint } from '../endpoint.tsx'
import { kindTones, kindWords } from './plan-words.ts'
import { differences, usePlan } from './plans.ts'
import styles from './file.module.css'

const columns = [
  { name: 'Line', end: true },
  { name: 'Kind' },
  { name: 'What' },
  { name: 'Of' },
  { name: 'Label' },
  { name: 'Webhook' },
  { name: 'Why' },
]

/** What differs, line by line, and what of the file could not be taken. */
export function DifferenceRows({ plan }: { plan: Plan }) {
  const shown = usePlan((state) => state.shown)
  return (
    <section className={styles['differences']} aria-label="What differs">
      <div className={styles['filter']}>
        <ChoiceChips<DifferenceKind | null>
          label="Differences shown"
          value={shown}
          choices={choicesOf(plan)}
          onChange={(next) => usePlan.setState({ shown: next })}
        />
        <span className={styles['hint']}>{formatCount(plan.same, 'subscription')} as wanted</span>
      </div>
      <Rows key={`${shown ?? 'all'} ${plan.comparedAt}`} plan={plan} shown={shown} />
    </section>
  )
}

function choicesOf({ counts }: Plan): Choice<DifferenceKind | null>[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return [
    { value: null, label: 'All', count: all },
    { value: 'missing', label: 'Missing', count: counts.missing, tone: 'ok' },
    { value: 'extra', label: 'Extra', count: counts.extra, tone: 'warn' },
    {
      value: 'wrong-network',
      label: 'Wrong network',
      count: counts['wrong-network'],
      tone: 'warn',
    },
    { value: 'duplicate', label: 'Duplicate', count: counts.duplicate },
    { value: 'invalid', label: 'Invalid', count: counts.invalid, tone: 'bad' },
  ]
}

function Rows({ plan, shown }: { plan: Plan; shown: DifferenceKind | null }) {
  const { id, comparedAt } = plan
  const [cursor, setCursor] = useState<number | null>(null)
  useEffect(() => {
    differences.open(
      async (offset, limit) => {
        const page = await request('plan.differences', { id, kind: shown, offset, limit })
        return { total: page.total, rows: page.differences, extra: null }
      },
      { keep: true },
    )
  }, [id, comparedAt, shown])
  useGridKeys({
    group: 'File',
    thing: 'difference',
    count: useTotal(differences),
    cursor,
    onCursor: setCursor,
  })
  return (
    <ListStates
      list={differences}
      of="the differences"
      empty={<NoDifference plan={plan} shown={shown} />}
    >
      {(state) => (
        <WindowGrid
          label="Differences"
          className={styles['columns']}
          columns={columns}
          list={differences}
          state={state}
          cursor={cursor}
          onCursor={setCursor}
          cells={(difference) => <DifferenceCells difference={difference} />}
        />
      )}
    </ListStates>
  )
}

function NoDifference({ plan, shown }: { plan: Plan; shown: DifferenceKind | null }) {
  if (shown !== null) return <EmptyState title={`Nothing is ${kindWords[shown]}`} />
  return (
    <EmptyState
      title="Nothing differs"
      detail={`${formatCount(plan.same, 'subscription')} of the file ${plan.same === 1 ? 'is' : 'are'} as wanted, and there is nothing more.`}
    />
  )
}

function DifferenceCells({ difference }: { difference: Difference }) {
  const { line, kind, what, endpoint, reason } = difference
  const act = kind === 'extra' ? 'unsubscribe' : what === 'webhook' ? 'create' : 'subscribe'
  const isMended = kind === 'missing' || kind === 'extra'
  return (
    <>
      <Cell className={classes(text['mono'], text['faint'], text['number'])}>
        {line !== null && formatNumber(line)}
      </Cell>
      <Cell>
        <Tag tone={kindTones[kind]}>{kindWords[kind]}</Tag>
      </Cell>
      <Cell>{isMended ? sayAct({ act, what }) : what}</Cell>
      <SubjectCells {...difference} />
      <Cell className={text['dim']}>
        <Endpoint url={endpoint} />
      </Cell>
      <Cell className={styles['reason']} title={reason ?? undefined}>
        {reason}
      </Cell>
    </>
  )
}
