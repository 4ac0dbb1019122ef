import type { AnswerRule } from '../../../src-preload/contract/answer-rule.ts'
import { useData } from '../../app/bridge.ts'
import { Button, IconButton, Menu } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Kbd, Text, Pane, Row, Stack } from '../../ui/layout.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Switch } from '../../ui/form.tsx'
import { type TableColumn, Table } from '../../ui/table.tsx'
import { ResponseRuleDialog, openResponseRule } from './response-rule-form.tsx'
import {
  formatAction,
  formatLimit,
  formatRule,
  isActive,
  moveRule,
  removeRule,
  setRuleEnabled,
  valuesOf,
} from './response-rules.ts'

/** The rules for responses other than 200, to test how the gateway handles failures. */
export function ResponseRulesView() {
  const query = useData('answerRule.list')
  useShortcuts([
    { keys: ['n'], label: 'New rule', group: 'Responses', run: () => openResponseRule() },
  ])
  return (
    <>
      <Loaded query={query} of="the rules">
        {(rules) =>
          rules.length === 0 ? (
            <NoRules />
          ) : (
            <Pane>
              <Bar rules={rules} />
              <Stack scroll>
                <Table
                  label="Response rules"
                  scroll
                  columns={columnsOf(rules)}
                  rows={rules}
                  keyOf={({ id }) => id}
                />
              </Stack>
            </Pane>
          )
        }
      </Loaded>
      <ResponseRuleDialog />
    </>
  )
}

function NoRules() {
  return (
    <EmptyState
      title="The receiver responds 200 to every delivery"
      detail="A rule makes the receiver respond otherwise: with a failure, late, never, or by closing the connection. Use it to test when the gateway retries and when it stops. Deliveries are stored in any case."
    >
      <Button kind="main" icon="plus" onClick={() => openResponseRule({ next: '3' })}>
        Respond to the next 3 with 500…
      </Button>
    </EmptyState>
  )
}

function Bar({ rules }: { rules: readonly AnswerRule[] }) {
  return (
    <Row pad="m" line="below">
      <Text as="h2" size="m" over="nowrap">
        {formatCount(rules.length, 'rule')}
      </Text>
      <Text tone="dim" size="s" over="cut">
        {rules.some(isActive)
          ? 'The first matching rule applies. The receiver responds 200 to all other deliveries.'
          : 'All rules are off. The receiver responds 200 to every delivery.'}
      </Text>
      <Row last>
        <Button icon="plus" kind="main" onClick={() => openResponseRule()}>
          New rule <Kbd>n</Kbd>
        </Button>
      </Row>
    </Row>
  )
}

/** In evaluation order. */
function columnsOf(rules: readonly AnswerRule[]): TableColumn<AnswerRule>[] {
  const nameOf = (rule: AnswerRule) => `rule ${rules.indexOf(rule) + 1}`
  return [
    {
      name: 'Order',
      hideName: true,
      width: 104,
      cell: (rule, index) => (
        <Row gap="none">
          <Text tone="dim">{index + 1}</Text>
          <IconButton
            icon="up"
            label={`Move ${nameOf(rule)} up`}
            aria-disabled={index === 0}
            onClick={() => void moveRule(rules, rule, -1)}
          />
          <IconButton
            icon="down"
            label={`Move ${nameOf(rule)} down`}
            aria-disabled={index === rules.length - 1}
            onClick={() => void moveRule(rules, rule, 1)}
          />
        </Row>
      ),
    },
    {
      name: 'On',
      width: 52,
      cell: (rule) => (
        <Switch
          hideLabel
          label={`Respond by ${nameOf(rule)}`}
          checked={rule.enabled}
          onChange={(enabled) => void setRuleEnabled(rule, enabled)}
        />
      ),
    },
    { name: 'Filter', wraps: true, cell: (rule) => <Filter rule={rule} /> },
    {
      name: 'Response',
      width: 160,
      look: 'strong',
      cell: ({ action }) => formatAction(action),
    },
    { name: 'Applies to', width: 160, cell: formatLimit },
    { name: 'Applied', width: 76, look: 'number', cell: ({ used }) => formatNumber(used) },
    {
      name: 'Actions',
      hideName: true,
      width: 46,
      cell: (rule) => (
        <Menu
          trigger={
            <IconButton icon="more" label={`Actions of ${nameOf(rule)}: ${formatRule(rule)}`} />
          }
          items={[
            { label: 'Edit…', icon: 'settings', onSelect: () => openResponseRule(valuesOf(rule)) },
            {
              label: 'Duplicate…',
              icon: 'copy',
              onSelect: () => openResponseRule({ ...valuesOf(rule), id: null }),
            },
            'line',
            {
              label: 'Remove…',
              icon: 'trash',
              danger: true,
              onSelect: () => void removeRule(rule),
            },
          ]}
        />
      ),
    },
  ]
}

function Filter({ rule }: { rule: AnswerRule }) {
  const { filter, problem, conflicts } = rule
  return (
    <>
      <Button kind="link" onClick={() => openResponseRule(valuesOf(rule))}>
        {filter.trim() === '' ? 'all deliveries' : <code>{filter}</code>}
      </Button>
      {problem !== null && (
        <Text as="p" tone="bad" size="s">
          {problem}
        </Text>
      )}
      {conflicts.map((conflict) => (
        <Text as="p" key={conflict} tone="warn" size="s">
          {conflict}
        </Text>
      ))}
    </>
  )
}
