import { useState } from 'react'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import { useData } from '../../app/bridge.ts'
import { navigate, printRoute, useRoute } from '../../app/route.ts'
import {
  forwardingHome,
  ruleRoute,
  shortTarget,
} from '../../components/delivery/forward-deliveries.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Hint, Tag, Text, Stack } from '../../ui/layout.tsx'
import { type ButtonKind, Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { type TableColumn, Table } from '../../ui/table.tsx'
import { RuleForm, forwardRules, countWaiting, ruleTitle, worstHealth } from './forward-rules.tsx'
import { RuleProblems } from './rule-kind.tsx'
import { HealthTag, RuleDetail, RuleSwitch } from './forward-rule-detail.tsx'
import { ConfirmedHosts } from './targets.tsx'

/** The forwarding rules, the health of their targets and what waits for them. */
export function ForwardingView() {
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
  // Hosts that were confirmed for replays.
  const hosts = useData('target.confirmed').data ?? []
  return (
    <EmptyState
      title="No forwarding rules yet"
      detail="A rule sends each delivery to your own server, byte for byte. While the server is down, deliveries wait here and are sent in order once it is back."
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
    <Text tone="warn" size="s" over="nowrap">
      {formatCount(waiting, 'delivery', 'deliveries')} waiting
    </Text>
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
    route.page === 'workbench' && route.view === 'forwarding' ? route.rule : null,
  )
  const open = rules.find(({ id }) => id === openId)
  return (
    <ListSplitter
      ownWidth={{ key: 'tondesk.rules-list', percent: 42 }}
      back={{ href: printRoute(forwardingHome), label: 'All rules' }}
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
          <EmptyState title="Rule not found" detail="It may have been removed.">
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
  { name: 'On', width: 56, cell: (rule) => <RuleSwitch rule={rule} /> },
  { name: 'Rule', wraps: true, cell: (rule) => <Rule rule={rule} /> },
  {
    name: 'Target',
    width: 84,
    cell: (rule) => <HealthTag state={worstHealth(rule)} isOn={rule.enabled} />,
  },
  {
    name: 'Waiting',
    width: 70,
    look: 'number',
    cell: (rule) => formatNumber(countWaiting(rule)),
  },
]

function Rule({ rule }: { rule: ForwardRule }) {
  const { filter, name, targets } = rule
  return (
    <>
      <a data-walk href={printRoute(ruleRoute(rule.id))}>
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
