import { useEffect, useMemo, useState } from 'react'
import type { Change, ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import { request } from '../../../app/bridge.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { stateTones, stateWords } from '../../../components/jobs/job-state.ts'
import { type Choice, ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { useLookAgain } from '../../../components/list/use-look-again.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { createWindowList } from '../../../components/list/windows.ts'
import { Endpoint } from '../endpoint.tsx'
import { SubjectCells } from './subject-cells.tsx'
import { ChangeMenu, MainAction } from './change-actions.tsx'
import { ChangeProgress } from './change-progress.tsx'
import { changeRoute } from './change-route.ts'
import { countSettled, itemTones, itemWords, kindWords, sayAct, titleOf } from './change-words.ts'
import { changesOf } from './changes.ts'
import strip from '../../../components/jobs/job-strip.module.css'
import styles from './changes.module.css'

/** One change and what it did, step by step. */
export function ChangeView({
  change,
  onLeave,
  back = 'Changes',
}: {
  change: Change
  onLeave: () => void
  /** Where leaving leads to. */
  back?: string
}) {
  const [shown, setShown] = useState<ChangeItem['state'] | null>(null)
  useShortcuts([{ keys: ['Escape'], label: `Back to ${back}`, group: 'Change', run: onLeave }])
  return (
    <div className={pane['pane']}>
      <div>
        <div className={pane['head']}>
          <Button kind="quiet" icon="left" onClick={onLeave}>
            {back}
          </Button>
          <h3 className={pane['title']}>{titleOf(change)}</h3>
          <Tag tone={stateTones[change.state]}>{stateWords[change.state]}</Tag>
          <span className={classes(text['dim'], text['small'], text['cut'])}>
            {kindWords[change.kind]}, <Moment at={fromMs(change.createdAt)} />
            <Relation change={change} />
          </span>
          <span className={styles['end']}>
            <MainAction change={change} />
            <ChangeMenu change={change} />
          </span>
        </div>
        <Standing change={change} />
        <div className={styles['filter']}>
          <ChoiceChips<ChangeItem['state'] | null>
            label="Steps shown"
            value={shown}
            choices={choicesOf(change)}
            onChange={setShown}
          />
        </div>
      </div>
      <Items key={shown ?? 'all'} change={change} shown={shown} />
    </div>
  )
}

/** Of which it is the undo, or which undid it. */
function Relation({ change: { network, undoes, undoneBy } }: { change: Change }) {
  const all = valueOf(useResource(changesOf(network))) ?? []
  const other = all.find(({ id }) => id === (undoes ?? undoneBy))
  if (other === undefined) return null
  return (
    <>
      {undoes === null ? ', undone by ' : ', of '}
      <a href={printRoute(changeRoute(other))}>{titleOf(other)}</a>
    </>
  )
}

function Standing({ change }: { change: Change }) {
  const isOver = change.state === 'done' || change.state === 'cancelled'
  if (isOver && change.problem === null) return null
  return (
    <div className={styles['standing']}>
      <ChangeProgress change={change} />
      {change.problem !== null && (
        <p className={strip['problem']} role="status">
          {change.problem}
        </p>
      )}
    </div>
  )
}

/** States without a step are left out: most changes have only some of them. */
function choicesOf(change: Change): Choice<ChangeItem['state'] | null>[] {
  const { counts } = change
  const leftOut = counts.total - countSettled(change) - counts.waiting
  const choices: Choice<ChangeItem['state'] | null>[] = [
    { value: 'done', label: 'Done', count: counts.done, tone: 'ok' },
    { value: 'unchanged', label: 'Was so already', count: counts.unchanged },
    { value: 'failed', label: 'Failed', count: counts.failed, tone: 'bad' },
    { value: 'waiting', label: 'Waiting', count: counts.waiting },
    { value: 'cancelled', label: 'Left out', count: leftOut },
  ]
  return [
    { value: null, label: 'All', count: counts.total },
    ...choices.filter(({ count = 0 }) => count > 0),
  ]
}

/** Which webhook goes without saying where it is about one only. */
const columnsOf = (ofMany: boolean) => [
  { name: 'Step', end: true },
  { name: 'What' },
  { name: 'Of' },
  { name: 'Label' },
  ...(ofMany ? [{ name: 'Webhook' }] : []),
  { name: 'State' },
]

function Items({ change, shown }: { change: Change; shown: ChangeItem['state'] | null }) {
  const { id } = change
  const ofMany = change.webhooks.length > 1
  const items = useMemo(() => createWindowList<ChangeItem, null>(), [])
  const [cursor, setCursor] = useState<number | null>(null)
  useEffect(() => {
    items.open(async (offset, limit) => {
      const page = await request('change.items', { id, state: shown, offset, limit })
      return { total: page.total, rows: page.items, extra: null }
    })
  }, [items, id, shown])

  useLookAgain(`${countSettled(change)} ${change.state}`, items.refresh)
  useGridKeys({
    group: 'Change',
    thing: 'step',
    count: useTotal(items),
    cursor,
    onCursor: setCursor,
  })

  return (
    <ListStates list={items} of="the steps" empty={<EmptyState title="No step is like that" />}>
      {(state) => (
        <WindowGrid
          label="Steps"
          className={classes(styles['itemColumns'], ofMany && styles['ofMany'])}
          columns={columnsOf(ofMany)}
          list={items}
          state={state}
          cursor={cursor}
          onCursor={setCursor}
          cells={(item) => <ItemCells item={item} ofMany={ofMany} />}
        />
      )}
    </ListStates>
  )
}

function ItemCells({ item, ofMany }: { item: ChangeItem; ofMany: boolean }) {
  const { index, endpoint, state, reason } = item
  return (
    <>
      <Cell className={classes(text['mono'], text['faint'], text['number'])}>
        {formatNumber(index + 1)}
      </Cell>
      <Cell>{sayAct(item)}</Cell>
      <SubjectCells {...item} />
      {ofMany && (
        <Cell className={text['dim']}>
          <Endpoint url={endpoint} />
        </Cell>
      )}
      <Cell title={reason ?? undefined}>
        <Tag tone={itemTones[state]}>{itemWords[state]}</Tag>
        {reason !== null && <span className={styles['reason']}>{reason}</span>}
      </Cell>
    </>
  )
}
