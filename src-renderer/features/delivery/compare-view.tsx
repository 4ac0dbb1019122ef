import { useRef, useState } from 'react'
import type { Comparable } from '../../../src-preload/contract/replay.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { useData } from '../../app/bridge.ts'
import { captureHref, navigate, printRoute, useRoute } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import {
  formatComparable,
  openCompare,
  parseComparable,
} from '../../components/delivery/comparable.ts'
import { changeStarts, countChanged, DiffTable } from '../../components/delivery/diff-table.tsx'
import { replayRoute } from '../../components/delivery/replays.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, FailedState, Loaded } from '../../ui/loaded.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Columns, Note, Pane, Row, Stack, Moment, Tag, Text } from '../../ui/layout.tsx'

type Comparison = Output<'replay.compare'>

/** Two captures or two responses side by side. */
export function CompareView() {
  const route = useRoute((state) => state.route)
  if (route.page !== 'workbench' || route.view !== 'compare') return null
  const left = parseComparable(route.left)
  const right = parseComparable(route.right)
  if (left === null || right === null) return <ChooseSides left={route.left} right={route.right} />
  const key = `${formatComparable(left)} ${formatComparable(right)}`
  return <Compared key={key} left={left} right={right} />
}

/** For an address that does not name two of them. */
function ChooseSides({ left, right }: { left: string; right: string }) {
  const form = useForm({ left, right }, async (values) => {
    const sides = { left: parseComparable(values.left), right: parseComparable(values.right) }
    const wrong = 'Enter the number of a capture, for example 12.'
    if (sides.left !== null && sides.right !== null) openCompare(sides.left, sides.right)
    return Promise.resolve({
      ...(sides.left === null && { left: wrong }),
      ...(sides.right === null && { right: wrong }),
    })
  })
  return (
    <EmptyState
      title="Compare two captures"
      detail="Select two captures in the list and choose Compare, or enter their numbers here. Responses are compared on the Forwards tab of a capture."
    >
      <Form form={form} action="Compare" label="Compare" inline>
        <Columns least={160} gap="m">
          <TextField label="Left" mono {...form.field('left')} />
          <TextField label="Right" mono {...form.field('right')} />
        </Columns>
      </Form>
    </EmptyState>
  )
}

type Sides = { left: Comparable; right: Comparable }

function Compared({ left, right }: Sides) {
  const query = useData('replay.compare', { left, right })
  const swap = () => openCompare(right, left, { replace: true })
  const key = shortcutsOf('Compare')
  useShortcuts([
    key(['s'], 'Swap the sides', swap),
    key(['Escape'], 'Back', () => window.history.back()),
  ])
  if (query.error !== null && query.data === undefined) {
    return (
      <FailedState
        what="Could not compare the two"
        why={query.error.message}
        onRetry={() => void query.refetch()}
      >
        <Button
          onClick={() => navigate({ page: 'workbench', view: 'compare', left: '', right: '' })}
        >
          Compare others
        </Button>
      </FailedState>
    )
  }
  return (
    <Loaded query={query} of="the comparison" rows={10}>
      {(comparison) => <Result comparison={comparison} left={left} right={right} onSwap={swap} />}
    </Loaded>
  )
}

function Result({
  comparison: { head, body, isSame, cut, ...sides },
  left,
  right,
  onSwap,
}: Sides & { comparison: Comparison; onSwap: () => void }) {
  const area = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const count = changeStarts(head).length + changeStarts(body).length
  const step = (by: 1 | -1) => setAt(goToChange(area.current, at, by) ?? at)
  const group = 'Compare'
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: 'Next difference', group, run: () => step(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous difference', group, run: () => step(-1) },
  ])
  return (
    <Pane role="region" aria-label="Comparison">
      <Row pad="m" line="below" wrap>
        <Text as="h2" size="m">
          Compare
        </Text>
        {isSame ? (
          <Tag tone="ok">equal</Tag>
        ) : (
          <Tag tone="warn">
            {formatCount(countChanged(head) + countChanged(body), 'changed line')}
          </Tag>
        )}
        {at !== null && count > 0 && (
          <Text tone="dim" size="s" role="status">
            change {at + 1} of {count}
          </Text>
        )}
        <Row last gap="xs">
          <Button icon="left" disabled={count === 0} onClick={() => step(-1)}>
            Previous
          </Button>
          <Button icon="right" disabled={count === 0} onClick={() => step(1)}>
            Next
          </Button>
          <Button icon="transactions" onClick={onSwap}>
            Swap
          </Button>
        </Row>
      </Row>
      {cut !== null && <Note tone="warn">{cut}</Note>}
      <Stack line="below">
        <Columns least={200}>
          <SideHead name="Left" of={left} side={sides.left} />
          <SideHead name="Right" of={right} side={sides.right} />
        </Columns>
      </Stack>
      <Stack ref={area} gap="none" scroll tabIndex={0} role="region" aria-label="Lines">
        <PartHead>Head</PartHead>
        <DiffTable label="Head" lines={head} none="Neither side has headers." />
        <PartHead>Body</PartHead>
        <DiffTable label="Body" lines={body} none="Both bodies are empty." />
      </Stack>
    </Pane>
  )
}

function PartHead({ children }: { children: string }) {
  return (
    <Row pad="m">
      <Text as="h3" tone="dim" size="s">
        {children}
      </Text>
    </Row>
  )
}

function SideHead({ name, of, side }: { name: string; of: Comparable; side: Comparison['left'] }) {
  const { title, at, bodyBytes } = side
  const href = hrefOf(of)
  const shown = <UntrustedText text={title} />
  return (
    <Row wrap pad="m" role="group" aria-label={name}>
      <Text strong size="s" over="break">
        {href === null ? shown : <a href={href}>{shown}</a>}
      </Text>
      <Text tone="dim" size="s" over="nowrap">
        <Moment at={at} />, {formatBytes(bodyBytes)}
      </Text>
    </Row>
  )
}

function hrefOf(one: Comparable): string | null {
  switch (one.kind) {
    case 'capture':
      return captureHref(one.id)
    case 'replay': {
      const job = Number(one.replayId.split('-')[0])
      return Number.isSafeInteger(job) && job > 0 ? printRoute(replayRoute(job)) : null
    }
    case 'forward':
      return null
  }
}

/** Scrolls to the next or previous run of changed lines. @returns its number; null for none */
function goToChange(area: HTMLElement | null, at: number | null, step: 1 | -1): number | null {
  const starts = [...(area?.querySelectorAll<HTMLElement>('tr[data-change]') ?? [])]
  if (starts.length === 0) return null
  const from = at ?? (step === 1 ? -1 : starts.length)
  const next = Math.min(starts.length - 1, Math.max(0, from + step))
  for (const each of starts) delete each.dataset['current']
  const start = starts[next]
  if (start === undefined) return null
  start.scrollIntoView({ block: 'center' })
  start.dataset['current'] = 'true'
  return next
}
