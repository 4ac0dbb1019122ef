import { useState, useRef } from 'react'
import { captureHref, emptyQuery, navigate, routeHref, useRoute } from '../../app/route.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'
import { ViewBar } from '../../components/page-views.tsx'
import { ReplayStrip, replayRoute } from '../../components/delivery/replays.tsx'
import { Pane, Hint, Tag, Text, Stack, Columns, Note, Row, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Page } from '../../ui/page.tsx'
import { ReplayView } from './replays-view.tsx'
import { ResponseRulesView } from './response-rules-view.tsx'
import { TunnelsView } from './tunnels-view.tsx'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import { useData } from '../../app/bridge.ts'
import {
  forwardingHome,
  ruleRoute,
  shortTarget,
} from '../../components/delivery/forward-deliveries.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { useShortcuts, shortcutsOf } from '../../ui/keyboard.ts'
import { type ButtonKind, Button } from '../../ui/button.tsx'
import { EmptyState, FailedState, Loaded } from '../../ui/loaded.tsx'
import { formatCount, formatNumber, formatBytes } from '../../ui/format.ts'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { RuleForm, forwardRules, countWaiting, ruleTitle, worstHealth } from './forward-rules.tsx'
import { RuleProblems } from './rule-kind.tsx'
import { HealthTag, RuleDetail, RuleSwitch } from './forward-rule-detail.tsx'
import { ConfirmedHosts } from '../../components/delivery/targets.tsx'
import type { Comparable } from '../../../src-preload/contract/replay.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import {
  formatComparable,
  openCompare,
  parseComparable,
} from '../../components/delivery/comparable.ts'
import { changeStarts, countChanged, MessageDiff } from '../../components/delivery/diff-table.tsx'

/** Shows the forwarding rules, the health of their targets, and the deliveries that wait for them. */
function ForwardingView() {
  const open = () => forwardRules.open()
  useShortcuts([{ keys: ['n'], label: 'New rule', group: 'Forwarding', run: open }])
  return (
    <forwardRules.View empty={<NoRules />} Form={RuleForm}>
      {(rules) => (
        <>
          <forwardRules.Bar
            rules={rules}
            about={<Waiting rules={rules} />}
            beside={<Hosts kind="quiet" />}
          />
          <Rules rules={rules} />
        </>
      )}
    </forwardRules.View>
  )
}

const defaultTarget = 'http://localhost:3000'

function NoRules() {
  // The hosts that the user has confirmed as targets of replays.
  const hosts = useData('target.confirmed').data ?? []
  return (
    <EmptyState
      title="No forwarding rules yet"
      detail="A forwarding rule sends each delivery byte for byte to your own server. While the server is down, deliveries wait in Tondesk and are then sent in order."
    >
      <Button
        kind="main"
        icon="send"
        onClick={() => forwardRules.open({ targets: [defaultTarget] })}
      >
        Forward to {defaultTarget}…
      </Button>
      {hosts.length > 0 && <Hosts kind="plain" />}
    </EmptyState>
  )
}

function Waiting({ rules }: { rules: readonly ForwardRule[] }) {
  const waiting = rules.reduce((sum, rule) => sum + countWaiting(rule), 0)
  if (waiting === 0) return null
  return (
    <Small tone="warn" over="nowrap">
      {formatCount(waiting, 'delivery', 'deliveries')} waiting
    </Small>
  )
}

function Hosts({ kind }: { kind: ButtonKind }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        Confirmed hosts
      </Button>
      {isOpen && <ConfirmedHosts onClose={() => setOpen(false)} />}
    </>
  )
}

function Rules({ rules }: { rules: readonly ForwardRule[] }) {
  const openId = useRoute(({ route }) =>
    route.page === 'delivery' && route.view === 'forwarding' ? route.rule : null,
  )
  const open = rules.find(({ id }) => id === openId)
  return (
    <ListSplitter
      ownWidth={{ key: 'tondesk.rules-list', percent: 42 }}
      back={{ href: routeHref(forwardingHome), label: 'All rules' }}
      left={
        <Stack fill scroll tabIndex={0} role="region" aria-label="Rules">
          <Table
            label="Rules"
            columns={columns}
            rows={rules}
            keyOf={({ id }) => id}
            isCurrent={({ id }) => id === openId}
            keys={{ group: 'Forwarding', thing: 'rule' }}
          />
        </Stack>
      }
      right={
        openId === null ? null : open === undefined ? (
          <EmptyState title="Rule not found" detail="The rule may have been removed.">
            <Button onClick={() => navigate(forwardingHome)}>Show all rules</Button>
          </EmptyState>
        ) : (
          <RuleDetail key={open.id} rule={open} />
        )
      }
    />
  )
}

const columns: readonly TableColumn<ForwardRule>[] = [
  column('On', { width: 56 }, (rule) => <RuleSwitch rule={rule} />),
  column('Rule', { wraps: true }, (rule) => <Rule rule={rule} />),
  column('Target', { width: 84 }, (rule) => (
    <HealthTag state={worstHealth(rule)} isOn={rule.enabled} />
  )),
  column('Waiting', { width: 70, look: 'number' }, (rule) => formatNumber(countWaiting(rule))),
]

function Rule({ rule }: { rule: ForwardRule }) {
  const { filter, name, targets } = rule
  return (
    <>
      <a data-walk href={routeHref(ruleRoute(rule.id))}>
        {ruleTitle(rule)}
      </a>{' '}
      {rule.mode === 'through' && <Tag>proxy</Tag>}
      <Hint>
        {filter === '' ? 'all deliveries' : <code>{filter}</code>}
        {name !== '' && ` → ${targets.map(shortTarget).join(', ')}`}
      </Hint>
      <RuleProblems rule={rule} />
    </>
  )
}

/** The page of forwarding, replays, responses and tunnels. */
export function DeliveryPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'delivery') return null
  return (
    <Page title="Inspector" scroll={false} beside={<ViewBar />}>
      <Pane>
        <ReplayStrip />
        <div>
          <View route={route} />
        </div>
      </Pane>
    </Page>
  )
}

function View({ route }: { route: DeliveryRoute }) {
  switch (route.view) {
    case 'forwarding':
      return <ForwardingView />
    case 'replays':
      return <ReplayView id={route.job} />
    case 'responses':
      return <ResponseRulesView />
    case 'tunnels':
      return <TunnelsView />
    case 'compare':
      return <CompareView />
  }
}

type Comparison = Output<'replay.compare'>

/** Shows two captures or two responses side by side. */
function CompareView() {
  const route = useRoute((state) => state.route)
  if (route.page !== 'delivery' || route.view !== 'compare') return null
  const left = parseComparable(route.left)
  const right = parseComparable(route.right)
  if (left === null || right === null) {
    return (
      <EmptyState
        title="Compare two captures"
        detail="Select two captures in the list and choose Compare. To compare responses, open the Forwards tab of a capture."
      >
        <Button onClick={() => navigate({ page: 'captures', captureId: null, query: emptyQuery })}>
          Choose captures
        </Button>
      </EmptyState>
    )
  }
  const key = `${formatComparable(left)} ${formatComparable(right)}`
  return <Compared key={key} left={left} right={right} />
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
        what="Could not compare the captures"
        why={query.error}
        onRetry={() => void query.refetch()}
      ></FailedState>
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
            difference {at + 1} of {count}
          </Text>
        )}
        <Row last gap="xs">
          <Button icon="left" disabled={count === 0} onClick={() => step(-1)}>
            Previous difference
          </Button>
          <Button icon="right" disabled={count === 0} onClick={() => step(1)}>
            Next difference
          </Button>
          <Button icon="transactions" onClick={onSwap}>
            Swap sides
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
      <Stack
        ref={area}
        gap="none"
        scroll
        tabIndex={0}
        role="region"
        aria-label="Differences by line"
      >
        <MessageDiff head={head} body={body} />
      </Stack>
    </Pane>
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
      <Small over="nowrap">
        <Moment at={at} />, {formatBytes(bodyBytes)}
      </Small>
    </Row>
  )
}

function hrefOf(one: Comparable): string | null {
  switch (one.kind) {
    case 'capture':
      return captureHref(one.id)
    case 'replay': {
      const job = Number(one.replayId.split('-')[0])
      return Number.isSafeInteger(job) && job > 0 ? routeHref(replayRoute(job)) : null
    }
    case 'forward':
      return null
  }
}

/**
 * Scrolls to the next or previous group of changed lines. @returns the number of the group; null if
 * there is none
 */
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
