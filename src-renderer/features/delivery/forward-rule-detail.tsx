import { useState } from 'react'
import type { ForwardDelivery, ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { attempt, useData, useDataOf, usePages } from '../../app/bridge.ts'
import { captureHref, navigate, queryHref } from '../../app/route.ts'
import { Cause } from '../../components/cause.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import {
  useDeliveryState,
  Attempts,
  deliveryTones,
  describeNextAttempt,
  dropDelivery,
  forwardingHome,
  retryDelivery,
} from '../../components/delivery/forward-deliveries.tsx'
import { Endpoint } from '../../components/webhook.tsx'
import { Choices, Button, IconButton, Menu, menuItem } from '../../ui/button.tsx'
import { ResponseContent, ResponseLine } from '../../components/delivery/target-response.tsx'
import { Fold, Hint, Tag, Text, Note, Pane, Row, Section, Small, Stack } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { formatCount, formatDuration, formatNumber, formatSince } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Loaded, MoreButton } from '../../ui/loaded.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import {
  type TargetHealth,
  forwardRules,
  countWaiting,
  forwardModes,
  removeRule,
  retryRule,
  ruleTitle,
  valuesOf,
} from './forward-rules.tsx'
import { RuleProblems } from './rule-kind.tsx'
import { confirmTarget, useTargetCheck } from '../../components/delivery/targets.tsx'

/** Shows one rule: its targets, its options and its deliveries. */
export function RuleDetail({ rule }: { rule: ForwardRule }) {
  const edit = () => forwardRules.open(valuesOf(rule))
  const close = () => navigate(forwardingHome)
  const down = rule.enabled ? rule.health.find(({ state }) => state === 'down') : undefined
  const key = shortcutsOf('Forwarding rule')
  useShortcuts([
    key(['e'], 'Edit the rule', edit),
    key(['Delete'], 'Remove the rule', () => void removeRule(rule)),
    key(['Escape'], 'Close the rule', close),
  ])
  return (
    <Pane role="region" aria-label={`Rule ${ruleTitle(rule)}`}>
      <Row pad="m" line="below">
        <RuleSwitch rule={rule} />
        <Text as="h2" size="m" over="cut">
          {ruleTitle(rule)}
        </Text>
        <Row last gap="xs">
          {countWaiting(rule) > 0 && down === undefined && <RetryNow rule={rule} />}
          <Button icon="note" onClick={edit}>
            Edit
          </Button>
          <Menu
            trigger={<IconButton icon="more" label="More actions for this rule" />}
            items={[
              menuItem('Duplicate…', { icon: 'copy' }, () =>
                forwardRules.open({ ...valuesOf(rule), id: null, name: '' }),
              ),
              'line',
              menuItem('Remove…', { icon: 'trash', hint: 'Del', danger: true }, () =>
                removeRule(rule),
              ),
            ]}
          />
          <IconButton icon="close" label="Close (Esc)" onClick={close} />
        </Row>
      </Row>
      {(rule.problem !== null || rule.conflicts.length > 0) && (
        <Note tone="warn">
          <RuleProblems rule={rule} />
        </Note>
      )}
      <Stack gap="none" scroll tabIndex={0} role="region" aria-label="Rule details">
        {down !== undefined && <TargetCause rule={rule} health={down} />}
        <Section title={rule.health.length === 1 ? 'Target' : 'Targets'}>
          <Targets rule={rule} />
        </Section>
        <Section title="Options">
          <Options rule={rule} />
        </Section>
        <Deliveries rule={rule} />
      </Stack>
    </Pane>
  )
}

function RetryNow({ rule }: { rule: ForwardRule }) {
  return (
    <Button icon="refresh" onClick={() => void retryRule(rule)}>
      Retry now
    </Button>
  )
}

const lookedThrough = 50
const maxAccounts = 5

/** Why a target is down, from the last attempt of the newest delivery to it. */
function TargetCause({ rule, health }: { rule: ForwardRule; health: TargetHealth }) {
  const now = useNow()
  const { url, lastTriedAt, lastStatus, lastProblem, downSince, nextTryAt, waiting } = health
  const host = URL.parse(url)?.host ?? url
  const page = useData('forward.list', {
    rule: rule.id,
    state: null,
    before: null,
    limit: lookedThrough,
  })
  const tried = page.data?.deliveries.find(
    ({ target, attempts, state }) => target === url && attempts > 0 && state !== 'delivered',
  )
  const sent = useDataOf('forward.ofCapture', tried ? { id: tried.capture } : null).data
  const last = sent?.find(({ deliveryId }) => deliveryId === tried?.deliveryId)?.tries[0]
  const error =
    lastStatus === null
      ? `${(lastProblem ?? 'No response').replace(/\.$/, '')}: no delivery accepted by ${host}`
      : `${lastStatus} from ${host}, no delivery accepted`
  const since = downSince === null ? '' : ` since ${formatSince(downSince, now)}`
  return (
    <Cause
      sentence={`${error}${since}`}
      action={waiting > 0 && <RetryNow rule={rule} />}
      pairs={[
        [
          'Next attempt',
          nextTryAt === null || waiting === 0
            ? 'none, because no delivery is waiting'
            : `${describeNextAttempt(nextTryAt, now).replace('Next attempt ', '')} ${formatCount(waiting, 'delivery waits', 'deliveries wait')}.`,
        ],
        [
          'Last response',
          last === undefined ? (
            `not stored: none of the newest ${lookedThrough} deliveries of the rule failed here`
          ) : (
            <Fold key="response" summary={<ResponseLine response={last.answer} />}>
              <ResponseContent response={last.answer} />
            </Fold>
          ),
        ],
        [
          'Last request',
          <>
            {tried !== undefined && (
              <>
                <a href={captureHref(tried.capture)}>Capture {formatNumber(tried.capture)}</a>,{' '}
              </>
            )}
            {lastTriedAt !== null && <Moment at={lastTriedAt} absolute="second" />}
          </>,
        ],
        ['Accounts waiting', waiting > 0 && <WaitingAccounts />],
      ]}
    />
  )
}

const waitingQuery = 'forward:waiting,failed'

function WaitingAccounts() {
  const networks = useData('network.list').data?.networks ?? []
  const { rows = [] } =
    useData('capture.list', { query: { text: waitingQuery }, limit: lookedThrough }).data ?? {}
  const found = new Map(rows.map((row) => [`${row.network} ${row.account}`, row]))
  return (
    <Row wrap>
      {[...found.values()].slice(0, maxAccounts).map(({ id, account, network: of }) => {
        const network = networks.find((each) => each.id === of)
        return (
          account !== null &&
          network !== undefined && (
            <AccountLink
              key={id}
              account={{ address: account }}
              network={network}
              canCopy={false}
            />
          )
        )
      })}
      <a href={queryHref(waitingQuery)}>All waiting captures</a>
    </Row>
  )
}

export function RuleSwitch({ rule }: { rule: ForwardRule }) {
  return <forwardRules.RuleSwitch rule={rule} label={`Rule ${ruleTitle(rule)}`} />
}

const healthTones = { up: 'ok', down: 'bad', unknown: 'plain' } as const
const healthWords = { up: 'up', down: 'down', unknown: 'not tried yet' } as const

export function HealthTag({ state, isOn }: { state: TargetHealth['state']; isOn: boolean }) {
  if (!isOn) return <Tag>off</Tag>
  return <Tag tone={healthTones[state]}>{healthWords[state]}</Tag>
}

function Targets({ rule }: { rule: ForwardRule }) {
  return (
    <Stack as="ul" aria-label="Targets">
      {rule.health.map((health) => (
        <Stack as="li" key={health.url} gap="s" line="box" pad="s">
          <Row>
            <HealthTag state={health.state} isOn={rule.enabled} />
            <Text mono over="break">
              {health.url}
            </Text>
            <CopyButton text={health.url} what="Target" iconOnly kind="quiet" />
          </Row>
          <Counts health={health} />
          {/* The cause above has the last attempt of the only target. */}
          {(rule.health.length > 1 || health.state !== 'down' || !rule.enabled) && (
            <Hint>
              <LastAttempt health={health} isOn={rule.enabled} />
            </Hint>
          )}
          <Confirmation rule={rule} url={health.url} />
        </Stack>
      ))}
    </Stack>
  )
}

function Counts({ health: { waiting, delivered, dropped, medianUs } }: { health: TargetHealth }) {
  const hasMedian = medianUs !== null && delivered > 0
  const counts = [
    ['Waiting', formatNumber(waiting)],
    ['Delivered', formatNumber(delivered)],
    ['Dropped', formatNumber(dropped)],
    ...(hasMedian ? [['Median', formatDuration(medianUs)] as const] : []),
  ] as const
  return (
    <Row wrap gap="xl">
      {counts.map(([name, value]) => (
        <Row key={name} as="span" gap="s">
          <Small tone="faint">{name}</Small>
          <Text strong size="s" tone={name === 'Dropped' && dropped > 0 ? 'bad' : undefined}>
            {value}
          </Text>
        </Row>
      ))}
    </Row>
  )
}

function LastAttempt({ health, isOn }: { health: TargetHealth; isOn: boolean }) {
  const now = useNow()
  const { lastTriedAt, lastStatus, lastProblem, nextTryAt, waiting } = health
  if (lastTriedAt === null) {
    return isOn ? 'No delivery matches the rule yet.' : 'Nothing is sent while the rule is off.'
  }
  const result = lastProblem ?? (lastStatus === null ? 'delivered' : String(lastStatus))
  return (
    <>
      Last attempt <Moment at={lastTriedAt} />: {result.replace(/\.?$/, '.')}
      {isOn && nextTryAt !== null && waiting > 0 && ` ${describeNextAttempt(nextTryAt, now)}`}
      {!isOn && waiting > 0 && ' Waiting deliveries are sent when you turn the rule on.'}
    </>
  )
}

/** Asks the user to confirm a host that was never confirmed or whose confirmation was revoked. */
function Confirmation({ rule, url }: { rule: ForwardRule; url: string }) {
  const check = useTargetCheck(url)
  if (check.status !== 'known') return null
  const { verdict } = check
  if (verdict.kind !== 'public' || verdict.isConfirmed) return null
  const ask = () =>
    attempt(`Could not confirm ${verdict.host}`, async () => {
      if (await confirmTarget(verdict, 'All deliveries of this rule')) await retryRule(rule)
    })
  return (
    <div>
      <Button onClick={() => void ask()}>Confirm {verdict.host}…</Button>
    </div>
  )
}

function Options({ rule }: { rule: ForwardRule }) {
  const isProxy = rule.mode === 'through'
  const mode = forwardModes.find(({ value }) => value === rule.mode)
  const limit =
    rule.giveUpHours === null ? 'none' : `after ${formatCount(rule.giveUpHours, 'hour')}`
  return (
    <KeyValues
      pairs={[
        ['Filter', rule.filter === '' ? 'all deliveries' : <code key="filter">{rule.filter}</code>],
        ['Mode', `${mode?.label}. ${mode?.why}`],
        ['Path', rule.appendPath ? 'appended to the target’s path' : 'the target’s path'],
        ['Host', rule.keepHost ? 'as received' : 'the target’s host'],
        ['Timeout', `${rule.timeoutSeconds} s`],
        ['Retry limit', isProxy ? null : limit],
        [
          'Response',
          isProxy ? (rule.fullAnswer ? 'status, headers and body' : 'status only') : null,
        ],
        ['Created', <Moment key="created" at={rule.createdAt} />],
      ]}
    />
  )
}

type DeliveryState = NonNullable<Input<'forward.list'>['state']>

function Deliveries({ rule }: { rule: ForwardRule }) {
  const [state, setState] = useState<DeliveryState | null>(null)
  const count = (name: DeliveryState) =>
    rule.health.reduce((total, health) => total + health[name], 0)
  return (
    <Section title="Deliveries">
      <Stack>
        <Choices<DeliveryState | null>
          label="Deliveries to show"
          value={state}
          options={[
            { value: null, label: 'All' },
            { value: 'waiting', label: 'Waiting', count: count('waiting'), tone: 'warn' },
            { value: 'delivered', label: 'Delivered', count: count('delivered'), tone: 'ok' },
            { value: 'dropped', label: 'Dropped', count: count('dropped'), tone: 'bad' },
          ]}
          onChange={setState}
        />
        <DeliveryTable key={state} rule={rule} state={state} />
      </Stack>
    </Section>
  )
}

const pageSize = 50

function DeliveryTable({ rule, state }: { rule: ForwardRule; state: DeliveryState | null }) {
  const query = usePages<'forward.list', number>(
    'forward.list',
    (before) => ({ rule: rule.id, state, before, limit: pageSize }),
    ({ nextBefore }) => nextBefore,
  )
  return (
    <Loaded query={query} of="the deliveries" rows={5}>
      {({ pages }) => {
        const rows = pages.flatMap(({ deliveries }) => deliveries)
        if (rows.length === 0) {
          return (
            <Hint>
              {state === null
                ? 'No deliveries yet. The rule applies to new deliveries; replay older captures to send them.'
                : `No ${state} deliveries.`}
            </Hint>
          )
        }
        return (
          <>
            <Table
              label="Deliveries of the rule"
              scroll
              columns={columnsOf(rule)}
              rows={rows}
              keyOf={({ deliveryId }) => deliveryId}
              fold={{
                name: ({ capture }) => `Attempts of capture ${capture}`,
                content: (delivery) => <AttemptsOf delivery={delivery} />,
              }}
            />
            <Row>
              <Small>{formatCount(rows.length, 'delivery', 'deliveries')} shown</Small>
              <MoreButton query={query}>Load older deliveries</MoreButton>
            </Row>
          </>
        )
      }}
    </Loaded>
  )
}

function columnsOf({ targets }: ForwardRule): TableColumn<ForwardDelivery>[] {
  const target: TableColumn<ForwardDelivery> = column('Target', { width: 172 }, (delivery) => (
    <Endpoint url={delivery.target} mono />
  ))
  return [
    column('Capture', { width: 90 }, ({ capture }) => <a href={captureHref(capture)}>{capture}</a>),
    column('State', { width: 84 }, ({ state }) => <Tag tone={deliveryTones[state]}>{state}</Tag>),
    ...(targets.length === 1 ? [] : [target]),
    column('Attempts', { width: 70, look: 'number' }, ({ attempts }) => formatNumber(attempts)),
    column('Queued', { width: 96, look: 'dim' }, ({ queuedAt }) => <Moment at={queuedAt} />),
    column('Details', { wraps: true }, (delivery) => <Standing delivery={delivery} />),
    column('Actions', { hideName: true, width: 70 }, (delivery) => (
      <DeliveryActions delivery={delivery} />
    )),
  ]
}

function Standing({ delivery }: { delivery: ForwardDelivery }) {
  return <Hint>{useDeliveryState(delivery)}</Hint>
}

function DeliveryActions({ delivery }: { delivery: ForwardDelivery }) {
  const { state } = delivery
  return (
    <Row gap="none" justify="end">
      <IconButton
        icon="refresh"
        label={state === 'delivered' ? 'Send again…' : 'Retry this delivery'}
        onClick={() => void retryDelivery(delivery)}
      />
      {state === 'waiting' && (
        <IconButton
          icon="trash"
          label="Drop this delivery…"
          onClick={() => void dropDelivery(delivery)}
        />
      )}
    </Row>
  )
}

function AttemptsOf({ delivery: { capture, deliveryId } }: { delivery: ForwardDelivery }) {
  return (
    <Loaded query={useData('forward.ofCapture', { id: capture })} of="the attempts" rows={2}>
      {(deliveries) => {
        const found = deliveries.find((each) => each.deliveryId === deliveryId)
        if (found !== undefined) return <Attempts delivery={found} />
        return <Hint>The attempts of this delivery are no longer stored.</Hint>
      }}
    </Loaded>
  )
}
