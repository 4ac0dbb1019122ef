import { useState } from 'react'
import type { ForwardDelivery, ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { attempt } from '../../../app/attempt.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { type DeliveryList, type DeliveryState, useDeliveries } from './deliveries.ts'
import styles from './forwarding.module.css'

/** Each delivery that the rule took, with what became of it. */
export function RuleDeliveries({ rule }: { rule: ForwardRule }) {
  const [shown, setShown] = useState<DeliveryState | null>(null)
  const list = useDeliveries(rule.id, shown)
  const sum = (of: 'waiting' | 'delivered' | 'dropped') =>
    rule.health.reduce((total, health) => total + health[of], 0)
  return (
    <section className={pane['section']} aria-label="Deliveries">
      <h3>Deliveries</h3>
      <div className={styles['filter']}>
        <ChoiceChips<DeliveryState | null>
          label="Deliveries shown"
          value={shown}
          choices={[
            { value: null, label: 'All' },
            { value: 'waiting', label: 'Waiting', count: sum('waiting'), tone: 'warn' },
            { value: 'delivered', label: 'Delivered', count: sum('delivered'), tone: 'ok' },
            { value: 'dropped', label: 'Dropped', count: sum('dropped'), tone: 'bad' },
          ]}
          onChange={setShown}
        />
      </div>
      <Listed key={shown ?? 'all'} list={list} shown={shown} isAlone={rule.targets.length === 1} />
    </section>
  )
}

function Listed({
  list,
  shown,
  isAlone,
}: {
  list: DeliveryList
  shown: DeliveryState | null
  isAlone: boolean
}) {
  const state = list.store()
  const [open, setOpen] = useState<string | null>(null)
  if (state.status === 'loading') return <Skeleton rows={5} label="Loading the deliveries" />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The deliveries could not be listed"
        why={state.error.message}
        onRetry={() => void list.look()}
      />
    )
  }
  const { rows, nextBefore, isLoading } = state
  if (rows.length === 0) {
    return (
      <p className={styles['none']}>
        {shown === null
          ? 'None yet: it takes what arrives from now on. What was received before can be replayed.'
          : `None is ${shown}.`}
      </p>
    )
  }
  return (
    <>
      <div
        className={styles['wide']}
        tabIndex={0}
        role="region"
        aria-label="Deliveries of the rule"
      >
        <table className={classes(table['table'], styles['deliveries'])}>
          <TableHead cells={headOf(isAlone)} />
          <tbody>
            {rows.map((delivery: ForwardDelivery) => (
              <DeliveryRow
                key={delivery.deliveryId}
                delivery={delivery}
                withTarget={!isAlone}
                isOpen={delivery.deliveryId === open}
                onOpen={(next) => setOpen(next ? delivery.deliveryId : null)}
                onChanged={() => void list.look()}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles['foot']}>
        {formatCount(rows.length, 'delivery', 'deliveries')} shown
        {nextBefore !== null && (
          <Button
            busy={isLoading}
            onClick={() => void attempt('Could not load more', () => list.loadOlder())}
          >
            Load older
          </Button>
        )}
      </p>
    </>
  )
}

function headOf(isAlone: boolean) {
  return [
    { name: 'Capture' },
    { name: 'State' },
    ...(isAlone ? [] : [{ name: 'Target' }]),
    { name: 'Tries', number: true },
    { name: 'Queued' },
    { name: 'Why' },
    { name: 'Actions', hideName: true },
  ]
}
