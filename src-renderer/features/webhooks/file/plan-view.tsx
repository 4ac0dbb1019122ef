import { useEffect } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type {
  Difference,
  DifferenceKind,
  Plan,
} from '../../../../src-preload/contract/subscription.ts'
import { attempt, request } from '../../../app/bridge.ts'
import { routeHref } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { Choices, Button } from '../../../ui/button.tsx'
import { confirmOn } from '../../../components/network-tag.tsx'
import { Endpoint } from '../../../components/webhook.tsx'
import { Hint, Kbd, Tag, Text, Note, Pane, Row, Stack, Small } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { CopyButton, announce } from '../../../ui/toast.tsx'
import { type DataColumn, DataList, dataColumn } from '../../../ui/data-list.tsx'
import { EmptyState } from '../../../ui/loaded.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { createLiveList } from '../../../ui/live-list.ts'
import { Table, column } from '../../../ui/table.tsx'
import { subscriptionColumns } from '../changes/change-view.tsx'
import { changeJobs, describeAct } from '../changes/changes.ts'
import {
  lookOf,
  differenceKinds,
  subscriptionPlans,
  usePlanStore,
  commandLine,
  countSteps,
  describeApply,
  describePlan,
} from './plan.ts'

/** Shows the differences between a file and the gateway, and the button that applies the file. */
export function PlanView({ network, plan }: { network: Network; plan: Plan }) {
  const problem = usePlanStore((state) => state.problem)
  useEffect(() => announce(describePlan(plan)), [plan])
  return (
    <Pane>
      <Head network={network} plan={plan} />
      {problem !== null && (
        <Note tone="bad">The comparison may be out of date: {problem.message}</Note>
      )}
      {plan.refusal !== null && (
        <Note tone="warn">
          <span role="status">This file cannot be applied: {plan.refusal}</span>
        </Note>
      )}
      <Webhooks network={network} plan={plan} />
      <Row pad="m" line="below">
        <CommandLine act="plan" file={plan.file} network={network} />
      </Row>
      <Differences plan={plan} />
    </Pane>
  )
}

type CommandLineProps = { act: 'plan' | 'apply'; file: string; network: Network }

/** Shows a command that does the same in a terminal. */
export function CommandLine({ act, file, network }: CommandLineProps) {
  const command = commandLine(act, file, network.id)
  return (
    <Row gap="s">
      <Text as="code" mono over="cut">
        {command}
      </Text>
      <CopyButton text={command} what={`Command to ${act}`} iconOnly kind="quiet" />
    </Row>
  )
}

function Head({ network, plan }: { network: Network; plan: Plan }) {
  const isBusy = usePlanStore((state) => state.busy !== null)
  const steps = countSteps(plan)
  const canApply = plan.refusal === null && steps > 0 && !isBusy
  const again = () => {
    if (!isBusy) void subscriptionPlans.again()
  }
  const key = shortcutsOf('File')
  useShortcuts([key(['r'], 'Compare again', again)])
  return (
    <Row wrap pad="m" line="below">
      <Text as="h3" size="m" over="cut" title={plan.file}>
        {plan.file}
      </Text>
      <Tag>{plan.format.toUpperCase()}</Tag>
      <Small over="cut">
        Compared <Moment at={fromMs(plan.comparedAt)} />
      </Small>
      <Row last>
        <Button icon="refresh" busy={isBusy} onClick={again}>
          {isBusy ? 'Comparing…' : 'Compare again'} <Kbd>r</Kbd>
        </Button>
        <Button kind="main" disabled={!canApply} onClick={() => void applyPlan(network, plan)}>
          {steps === 0 ? 'Apply…' : `Apply ${formatCount(steps, 'change')}…`}
        </Button>
        <Button kind="quiet" onClick={() => subscriptionPlans.close()}>
          Close file
        </Button>
      </Row>
    </Row>
  )
}

/** Applies a file after a question that states how many subscriptions change at each webhook. */
async function applyPlan(network: Network, plan: Plan): Promise<void> {
  const yes = await confirmOn(network, {
    title: `Apply “${plan.file}”?`,
    points: describeApply(plan),
    detail:
      'Webhooks that are not in the file stay unchanged. You can undo the applied changes later.',
    action: `Apply ${formatCount(countSteps(plan), 'change')}`,
    destructive: true,
  })
  if (!yes) return
  const change = await attempt('Could not apply the file', () => subscriptionPlans.apply(plan))
  if (change === undefined) return
  announce('Applying the file')
  changeJobs.begun(change)
}

type WebhookPlan = Plan['webhooks'][number]

function Webhooks({ network, plan }: { network: Network; plan: Plan }) {
  const change = (count: number, tone: 'ok' | 'warn') => (
    <Text tone={count > 0 ? tone : undefined} strong={count > 0}>
      {formatNumber(count)}
    </Text>
  )
  return (
    <Stack pad="m" gap="s" line="below">
      <Table<WebhookPlan>
        boxed
        label="Webhooks in the file"
        rows={plan.webhooks}
        keyOf={({ id, endpoint }) => `${id ?? 'new'} ${endpoint}`}
        columns={[
          column('Webhook', { wraps: true }, ({ id, endpoint }) =>
            id === null ? (
              <>
                {endpoint} <Tag tone="warn">new</Tag>
              </>
            ) : (
              <a href={routeHref(webhookRoute({ id, network: network.id }, 'accounts'))}>
                {endpoint}
              </a>
            ),
          ),
          column('In the file', { look: 'number' }, ({ wanted }) => formatNumber(wanted)),
          column('At the gateway', { look: 'number' }, ({ actual }) => formatNumber(actual)),
          column('Subscriptions to add', { look: 'number' }, ({ missing }) =>
            change(missing, 'ok'),
          ),
          column('Subscriptions to remove', { look: 'number' }, ({ extra }) =>
            change(extra, 'warn'),
          ),
        ]}
      />
      <Untouched plan={plan} />
    </Stack>
  )
}

/** If there are more items than this, only their number is displayed. */
const maxNamed = 5

function Untouched({ plan: { untouched } }: { plan: Plan }) {
  if (untouched.length === 0) return null
  const named = untouched.slice(0, maxNamed).map(({ endpoint }) => endpoint)
  const more = untouched.length - named.length
  return (
    <Hint>
      Not in the file, so not changed: {named.join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </Hint>
  )
}

const differences = createLiveList({
  load: async (
    { id, kind }: { id: string; kind: DifferenceKind | null; comparedAt: number },
    offset,
    limit,
  ) => {
    const page = await request('plan.differences', { id, kind, offset, limit })
    return { total: page.total, rows: page.differences, extra: null }
  },
  idOf: ({ index }: Difference) => index,
})

/** Lists all differences, and the lines of the file that are not valid. */
function Differences({ plan }: { plan: Plan }) {
  const { id, comparedAt, counts, same } = plan
  const kind = usePlanStore((state) => state.shown)
  useEffect(
    () => differences.open({ id, kind, comparedAt }, { keep: true }),
    [id, kind, comparedAt],
  )
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <Pane role="region" aria-label="Differences">
      <Row wrap pad="m" line="below">
        <Choices<DifferenceKind | null>
          label="Differences to show"
          value={kind}
          options={[
            { value: null, label: 'All', count: all },
            ...differenceKinds.map((value) => ({ value, count: counts[value], ...lookOf[value] })),
          ]}
          onChange={(shown) => usePlanStore.setState({ shown })}
        />
        <Small>{formatCount(same, 'subscription')} without differences</Small>
      </Row>
      <DataList
        list={differences}
        columns={columns}
        of="differences"
        thing="difference"
        group="File"
        empty={
          kind === null ? (
            <EmptyState
              title="No differences"
              detail={`The file and the gateway have the same ${formatCount(same, 'subscription')}.`}
            />
          ) : (
            <EmptyState title={`No difference is marked “${lookOf[kind].label.toLowerCase()}”`} />
          )
        }
      />
    </Pane>
  )
}

const columns: readonly DataColumn<Difference>[] = [
  dataColumn('Line', { width: 62, look: 'number' }, ({ line }) => (
    <Text tone="faint">{line !== null && formatNumber(line)}</Text>
  )),
  dataColumn('Kind', { width: 96 }, ({ kind }) => (
    <Tag tone={lookOf[kind].tone ?? 'plain'}>{lookOf[kind].label.toLowerCase()}</Tag>
  )),
  {
    name: 'Action',
    width: 138,
    cell: ({ kind, what }) => {
      // Differences of the other kinds are not applied.
      if (kind !== 'missing' && kind !== 'extra') return what
      const act = kind === 'extra' ? 'unsubscribe' : what === 'webhook' ? 'create' : 'subscribe'
      return describeAct({ act, what })
    },
  },
  ...subscriptionColumns,
  dataColumn('Webhook', { width: 100, grow: 0.9, gives: 2 }, ({ endpoint }) => (
    <Endpoint url={endpoint} />
  )),
  dataColumn(
    'Reason',
    { width: 120, grow: 1.4, title: ({ reason }) => reason ?? undefined },
    ({ reason }) => <Small>{reason}</Small>,
  ),
]
