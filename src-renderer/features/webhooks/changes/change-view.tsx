import { useEffect, useState } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import type { Change, ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import { request } from '../../../app/bridge.ts'
import { navigate, routeHref } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { useJobs } from '../../../components/jobs/job-kind.tsx'
import { UntrustedText, untrustedColumn } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { type Choice, Choices, Button } from '../../../ui/button.tsx'
import { Endpoint } from '../../../components/webhook.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { type DataColumn, DataList, dataColumn } from '../../../ui/data-list.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Pane, Row, Tag, Text, Small } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { AddAccountsButton } from '../accounts/add-accounts.tsx'
import {
  changeJobs,
  changeRoute,
  countSettled,
  kindLabels,
  describeAct,
  stepStates,
  titleOf,
} from './changes.ts'

/** Lists the changes that Tondesk made to this webhook; `item` is the number of the open one. */
export function ChangesTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const { id, network } = webhook
  const leave = () => navigate(webhookRoute(webhook, 'changes'))
  return (
    <Loaded query={useJobs('change', network)} of="the changes">
      {(all) => {
        const changes = all.filter(({ webhooks }) => webhooks.some((each) => each.id === id))
        const open = changes.find((each) => String(each.id) === item)
        if (open !== undefined) return <ChangeView key={open.id} change={open} onLeave={leave} />
        if (item !== '') {
          return (
            <EmptyState
              title={`No change has the ID ${item}`}
              detail="The change may have been removed."
            >
              <Button onClick={leave}>Show all changes</Button>
            </EmptyState>
          )
        }
        if (changes.length === 0) return <NoChange webhook={webhook} />
        return <changeJobs.JobTable jobs={changes} of="Changes" group="Changes" />
      }}
    </Loaded>
  )
}

function NoChange({ webhook }: { webhook: Webhook }) {
  return (
    <EmptyState
      title="No changes yet"
      detail="When you add or remove accounts or apply a subscriptions file, the change appears here with the result for each account. You can undo every change."
    >
      <AddAccountsButton webhook={webhook} />
    </EmptyState>
  )
}

/** Shows the changes in progress above the page of webhooks. */
export function ChangeStrip({ network }: { network: NetworkId }) {
  const { data = [] } = useJobs('change', network)
  return <changeJobs.Strip jobs={data} />
}

type ShownState = ChangeItem['state'] | null
type ChangeProps = { change: Change; onLeave: () => void }

/** Shows one change and the result of each of its steps. @param back the view that the back button opens */
export function ChangeView({ change, onLeave, back = 'Changes' }: ChangeProps & { back?: string }) {
  useShortcuts([{ keys: ['Escape'], label: `Back to ${back}`, group: 'Change', run: onLeave }])
  const [shown, setShown] = useState<ShownState>(null)
  return (
    <Pane>
      <changeJobs.Head
        job={change}
        back={{ label: back, run: onLeave }}
        level="h3"
        about={<Relation change={change} />}
      />
      <changeJobs.Standing job={change} />
      <Row pad="m" line="below">
        <Choices<ShownState>
          label="Steps to show"
          value={shown}
          options={choicesOf(change)}
          onChange={setShown}
        />
      </Row>
      <Steps change={change} shown={shown} onLeave={onLeave} />
    </Pane>
  )
}

/** Shows the kind of a change, and links to the change that it undoes or that undid it. */
function Relation({ change: { kind, network, undoes, undoneBy } }: { change: Change }) {
  const { data = [] } = useJobs('change', network)
  const other = data.find(({ id }) => id === (undoes ?? undoneBy))
  return (
    <>
      , {kindLabels[kind]}
      {other !== undefined && (
        <>
          {undoes === null ? ', undone by ' : ' of '}
          <a href={routeHref(changeRoute(other))}>{titleOf(other)}</a>
        </>
      )}
    </>
  )
}

/** States without a step are left out, because most changes have only some states. */
function choicesOf(change: Change): Choice<ShownState>[] {
  const { counts } = change
  const skipped = counts.total - countSettled(change) - counts.waiting
  const choices: Choice<ShownState>[] = [
    { value: 'done', label: 'Done', count: counts.done, tone: 'ok' },
    { value: 'unchanged', label: 'Unchanged', count: counts.unchanged },
    { value: 'failed', label: 'Failed', count: counts.failed, tone: 'bad' },
    { value: 'waiting', label: 'Waiting', count: counts.waiting },
    { value: 'cancelled', label: 'Skipped', count: skipped },
  ]
  return [
    { value: null, label: 'All', count: counts.total },
    ...choices.filter(({ count = 0 }) => count > 0),
  ]
}

const steps = createLiveList({
  load: async (question: { id: number; state: ShownState }, offset, limit) => {
    const { total, items } = await request('change.items', { ...question, offset, limit })
    return { total, rows: items, extra: null }
  },
  idOf: ({ index }: ChangeItem) => index,
})

function Steps({ change, shown: state, onLeave }: ChangeProps & { shown: ShownState }) {
  const { id } = change
  const settled = countSettled(change)
  useEffect(() => steps.open({ id, state }), [id, state])
  useEffect(() => steps.note(), [settled, change.state])
  return (
    <DataList
      list={steps}
      // The column of webhooks is left out if the change affects one webhook only.
      columns={
        change.webhooks.length > 1 ? columns : columns.filter(({ name }) => name !== 'Webhook')
      }
      of="steps"
      thing="step"
      group="Change"
      onLeave={onLeave}
      empty={<EmptyState title="No steps in this state" />}
    />
  )
}

/** The columns of the subscription that a step or a difference is about. */
export const subscriptionColumns: readonly DataColumn<
  Pick<ChangeItem, 'what' | 'subject' | 'label'>
>[] = [
  dataColumn('Subscription', { width: 116 }, ({ what, subject }) =>
    what === 'account' && /^-?\d+:[0-9a-f]{64}$/.test(subject) ? (
      <AccountLink
        account={{ address: subject, name: null, label: null, isScam: false, isWallet: false }}
        tabIndex={-1}
      />
    ) : (
      <Text mono title={subject}>
        <UntrustedText text={subject} />
      </Text>
    ),
  ),
  untrustedColumn({ name: 'Label', width: 50, grow: 0.6, gives: 1 }, ({ label }) => label),
]

const columns: readonly DataColumn<ChangeItem>[] = [
  dataColumn('Step', { width: 44, look: 'number' }, ({ index }) => (
    <Text tone="faint">{formatNumber(index + 1)}</Text>
  )),
  dataColumn('Action', { width: 148 }, describeAct),
  ...subscriptionColumns,
  dataColumn('Webhook', { width: 90, grow: 1 }, ({ endpoint }) => <Endpoint url={endpoint} />),
  dataColumn(
    'State',
    { width: 120, grow: 1.6, title: ({ reason }) => reason ?? undefined },
    ({ state, reason }) => (
      <>
        <Tag tone={stepStates[state].tone}>{stepStates[state].word}</Tag> <Small>{reason}</Small>
      </>
    ),
  ),
]
