import { useEffect, useRef } from 'react'
import type { ResponseRule } from '../../../src-preload/contract/response-rule.ts'
import { request, reload } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { FilterField } from '../../components/list/search-field.tsx'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Hint, Text, Row, Stack, Columns, Fold } from '../../ui/layout.tsx'
import { Button, IconButton, Menu, Chip, menuItem } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatNumber } from '../../ui/format.ts'
import {
  type FormState,
  Switch,
  FormDialog,
  RadioList,
  TextArea,
  TextField,
} from '../../ui/form.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { announce } from '../../ui/toast.tsx'
import { createRules, RuleProblems } from './rule-kind.tsx'
import {
  type RuleValues,
  formatAction,
  formatLimit,
  formatRule,
  isActive,
  moveRule,
  valuesOf,
  newRule,
  parseRule,
} from './response-rules.tsx'

const rulesOf = createRules<ResponseRule, RuleValues>({ routes: 'responseRule', newRule })

/** Opens the form for a new rule or for an existing one. */
export const openResponseRule = rulesOf.open

/** Shows the rules for responses other than 200, which test how the gateway handles failures. */
export function ResponseRulesView() {
  const open = () => openResponseRule()
  useShortcuts([{ keys: ['n'], label: 'New rule', group: 'Responses', run: open }])
  return (
    <rulesOf.View empty={<NoRules />} Form={RuleForm}>
      {(rules) => (
        <>
          <rulesOf.Bar rules={rules} about={<Hint>{describeRules(rules)}</Hint>} />
          <Stack scroll>
            <Table
              label="Response rules"
              scroll
              columns={columnsOf(rules)}
              rows={rules}
              keyOf={({ id }) => id}
            />
          </Stack>
        </>
      )}
    </rulesOf.View>
  )
}

function describeRules(rules: readonly ResponseRule[]): string {
  return rules.some(isActive)
    ? 'The first matching rule applies. The receiver responds 200 to all other deliveries.'
    : 'All rules are off. The receiver responds 200 to every delivery.'
}

function removeRule(rule: ResponseRule): Promise<boolean> {
  return rulesOf.remove(rule, {
    title: 'Remove this response rule?',
    detail: `${formatRule(rule)}. Without this rule, the receiver applies the next matching rule or responds 200.`,
  })
}

function NoRules() {
  return (
    <EmptyState
      title="The receiver responds 200 to every delivery"
      detail="To test the gateway’s retries, add a rule that makes the receiver fail, respond late, never respond or close the connection. Tondesk stores all deliveries in any case."
    >
      <Button kind="main" icon="plus" onClick={() => openResponseRule({ next: '3' })}>
        Respond 500 to the next 3 deliveries…
      </Button>
    </EmptyState>
  )
}

/** Returns the columns of the rules, which are listed in the order of evaluation. */
function columnsOf(rules: readonly ResponseRule[]): TableColumn<ResponseRule>[] {
  const nameOf = (rule: ResponseRule) => `rule ${rules.indexOf(rule) + 1}`
  return [
    column('Order', { hideName: true, width: 104 }, (rule, index) => (
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
    )),
    column('On', { width: 52 }, (rule) => (
      <rulesOf.RuleSwitch rule={rule} label={`Apply ${nameOf(rule)}`} />
    )),
    column('Filter', { wraps: true }, (rule) => <Filter rule={rule} />),
    column('Response', { width: 160, look: 'strong' }, ({ action }) => formatAction(action)),
    column('Applies to', { width: 160 }, formatLimit),
    column('Times applied', { width: 96, look: 'number' }, ({ used }) => formatNumber(used)),
    column('Actions', { hideName: true, width: 46 }, (rule) => (
      <Menu
        trigger={
          <IconButton icon="more" label={`Actions of ${nameOf(rule)}: ${formatRule(rule)}`} />
        }
        items={[
          menuItem('Edit…', { icon: 'settings' }, () => openResponseRule(valuesOf(rule))),
          menuItem('Duplicate…', { icon: 'copy' }, () =>
            openResponseRule({ ...valuesOf(rule), id: null }),
          ),
          'line',
          menuItem('Remove…', { icon: 'trash', danger: true }, () => removeRule(rule)),
        ]}
      />
    )),
  ]
}

function Filter({ rule }: { rule: ResponseRule }) {
  return (
    <>
      <Button kind="link" onClick={() => openResponseRule(valuesOf(rule))}>
        {rule.filter.trim() === '' ? 'all deliveries' : <code>{rule.filter}</code>}
      </Button>
      <RuleProblems rule={rule} />
    </>
  )
}

const kinds = [
  {
    value: 'answer',
    label: 'Respond',
    why: 'The receiver sends a status, headers and a body, at once or after a delay.',
  },
  {
    value: 'hang',
    label: 'Never respond',
    why: 'The connection stays open until the sender closes it, at most ten minutes.',
  },
  {
    value: 'cut',
    label: 'Close the connection',
    why: 'The receiver closes the connection before or during its response.',
  },
] as const

function RuleForm({ initial }: { initial: RuleValues }) {
  const first = useRef<QueryFieldHandle>(null)
  useEffect(() => first.current?.focus(), [first])
  const form = useForm(initial, async (values) => {
    const { input, errors } = parseRule(values)
    if (input === null) return errors
    await request('responseRule.save', input)
    reload('responseRule.list')
    announce('Response rule saved')
    rulesOf.close()
  })
  const { id, kind, enabled } = form.values
  return (
    <FormDialog
      wide
      title={id === null ? 'New response rule' : 'Edit response rule'}
      detail="Matching deliveries are stored as usual; only the response differs."
      label="Response rule"
      action={id === null ? 'Create rule' : 'Save'}
      form={form}
      onClose={rulesOf.close}
    >
      <FilterField ref={first} {...form.field('filter')} stage="arrival" />
      <RadioList
        label="Response"
        options={kinds}
        value={kind}
        onChange={(next) => form.change({ kind: next })}
      />
      {kind === 'answer' && <ResponseFields form={form} initial={initial} />}
      {kind === 'cut' && (
        <TextField
          label="Close the connection after"
          inputMode="numeric"
          suffix="bytes of the response"
          hint="Enter 0 to close the connection before any of the response is sent."
          {...form.field('after')}
        />
      )}
      <TextField
        label="Delivery limit"
        inputMode="numeric"
        placeholder="no limit"
        suffix="deliveries"
        hint="The rule turns itself off after this many deliveries."
        {...form.field('next')}
      />
      <Switch label="On" checked={enabled} onChange={(on) => form.change({ enabled: on })} />
    </FormDialog>
  )
}

/** Statuses that senders treat in different ways. */
const statusPresets = [
  [200, 'OK'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [410, 'Gone'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
] as const

function ResponseFields({ form, initial }: { form: FormState<RuleValues>; initial: RuleValues }) {
  const { values, errors, change } = form
  const typed = values.status.trim()
  const known = statusPresets.find(([status]) => String(status) === typed)
  const isFilled = initial.headers !== '' || initial.body !== ''
  return (
    <>
      <Columns least={200} gap="l">
        <Stack gap="s">
          <TextField
            label="Status"
            inputMode="numeric"
            maxLength={3}
            suffix={known?.[1]}
            {...form.field('status')}
          />
          <Row wrap gap="xs" role="group" aria-label="Common statuses">
            {statusPresets.map(([status, words]) => (
              <Chip
                key={status}
                pressed={String(status) === typed}
                title={words}
                onPress={() => change({ status: String(status) })}
              >
                {status}
              </Chip>
            ))}
          </Row>
        </Stack>
        <TextField label="Delay" inputMode="decimal" suffix="seconds" {...form.field('delay')} />
      </Columns>
      <Fold summary="Headers and body" open={isFilled || errors['headers'] !== undefined}>
        <TextArea
          label="Headers"
          rows={3}
          mono
          placeholder="Retry-After: 30"
          spellCheck={false}
          {...form.field('headers')}
        />
        <TextArea
          label="Body"
          rows={4}
          mono
          maxLength={100_000}
          placeholder="No body"
          spellCheck={false}
          {...form.field('body')}
        />
      </Fold>
    </>
  )
}
