import { useRef, useState } from 'react'
import type { Comparable } from '../../../../src-preload/contract/replay.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { captureHref, navigate, printRoute, useRoute } from '../../../app/route.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import warning from '../../../ui/warning.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ChooseSides } from './choose-sides.tsx'
import { openCompare, printComparable, readComparable } from './comparable.ts'
import { DiffTable } from './diff-table.tsx'
import { changeStarts, countChanged } from './fold.ts'
import styles from './compare.module.css'

type Comparison = Output<'replay.compare'>

/** Two captures, or two answers, side by side. */
export function CompareView() {
  const route = useRoute((state) => state.route)
  if (route.page !== 'workbench' || route.view !== 'compare') return null
  const left = readComparable(route.left)
  const right = readComparable(route.right)
  if (left === null || right === null) {
    return <ChooseSides left={route.left} right={route.right} />
  }
  return (
    <Compared
      key={`${printComparable(left)} ${printComparable(right)}`}
      left={left}
      right={right}
    />
  )
}

function Compared({ left, right }: { left: Comparable; right: Comparable }) {
  const { state, resource } = useAnswer('replay.compare', { left, right })
  const swap = () => openCompare(right, left, { replace: true })
  const key = shortcutsOf('Compare')
  useShortcuts([
    key(['s'], 'Swap the sides', swap),
    key(['Escape'], 'Back', () => window.history.back()),
  ])
  if (state.status === 'failed') {
    return (
      <FailedState
        what="These two could not be compared"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      >
        <Button
          onClick={() => navigate({ page: 'workbench', view: 'compare', left: '', right: '' })}
        >
          Compare others
        </Button>
      </FailedState>
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={10} label="Comparing" />
  return <Result comparison={state.value} left={left} right={right} onSwap={swap} />
}

function Result({
  comparison,
  left,
  right,
  onSwap,
}: {
  comparison: Comparison
  left: Comparable
  right: Comparable
  onSwap: () => void
}) {
  const area = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const count = changeStarts(comparison.head).length + changeStarts(comparison.body).length
  const changed = countChanged(comparison.head) + countChanged(comparison.body)
  const walk = (step: 1 | -1) => {
    const next = goToChange(area.current, at, step)
    if (next !== null) setAt(next)
  }
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: 'Next difference', group: 'Compare', run: () => walk(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous difference', group: 'Compare', run: () => walk(-1) },
  ])
  return (
    <section className={pane['pane']} aria-label="Comparison">
      <div>
        <div className={pane['head']}>
          <h2 className={pane['title']}>Compare</h2>
          {comparison.isSame ? (
            <Tag tone="ok">the same</Tag>
          ) : (
            <Tag tone="warn">{formatCount(changed, 'changed line')}</Tag>
          )}
          {at !== null && count > 0 && (
            <span className={styles['at']} role="status">
              change {at + 1} of {count}
            </span>
          )}
          <span className={styles['end']}>
            <Button icon="left" disabled={count === 0} onClick={() => walk(-1)}>
              Previous
            </Button>
            <Button icon="right" disabled={count === 0} onClick={() => walk(1)}>
              Next
            </Button>
            <Button icon="transactions" onClick={onSwap}>
              Swap
            </Button>
          </span>
        </div>
        {comparison.cut !== null && (
          <p className={warning['bar']} role="status">
            {comparison.cut}
          </p>
        )}
        <div className={styles['sides']}>
          <SideHead name="Left" of={left} side={comparison.left} />
          <SideHead name="Right" of={right} side={comparison.right} />
        </div>
      </div>
      <div ref={area} className={styles['scroll']} tabIndex={0} role="region" aria-label="Lines">
        <h3 className={styles['part']}>Head</h3>
        <DiffTable label="Head" lines={comparison.head} none="Neither has headers." />
        <h3 className={styles['part']}>Body</h3>
        <DiffTable label="Body" lines={comparison.body} none="Both bodies are empty." />
      </div>
    </section>
  )
}

function SideHead({
  name,
  of,
  side: { title, at, bodyBytes },
}: {
  name: string
  of: Comparable
  side: Comparison['left']
}) {
  const href = hrefOf(of)
  return (
    <div className={styles['side']} role="group" aria-label={name}>
      <span className={styles['sideTitle']}>
        {href === null ? (
          <UntrustedText text={title} />
        ) : (
          <a href={href}>
            <UntrustedText text={title} />
          </a>
        )}
      </span>
      <span className={styles['at']}>
        <Moment at={at} />, {formatBytes(bodyBytes)}
      </span>
    </div>
  )
}

/** Where one side is at home. */
function hrefOf(one: Comparable): string | null {
  switch (one.kind) {
    case 'capture':
      return captureHref(one.id)
    case 'replay': {
      const job = Number(one.replayId.split('-')[0])
      return Number.isSafeInteger(job) && job > 0
        ? printRoute({ page: 'workbench', view: 'replays', job })
        : null
    }
    case 'forward':
      return null
  }
}

/** Brings another run of changed lines into sight. @returns its number, or null where there is none */
function goToChange(area: HTMLElement | null, at: number | null, step: 1 | -1): number | null {
  const rows = [...(area?.querySelectorAll<HTMLElement>('tr[data-line]') ?? [])]
  const starts = rows.filter((row) => {
    const before = row.previousElementSibling
    const isChanged = row.dataset['kind'] !== 'same'
    const follows = before instanceof HTMLElement && (before.dataset['kind'] ?? 'same') !== 'same'
    return isChanged && !follows
  })
  if (starts.length === 0) return null
  const from = at ?? (step === 1 ? -1 : starts.length)
  const next = Math.min(starts.length - 1, Math.max(0, from + step))
  starts[next]?.scrollIntoView({ block: 'center' })
  for (const row of rows) delete row.dataset['current']
  const start = starts[next]
  if (start !== undefined) start.dataset['current'] = 'true'
  return next
}
