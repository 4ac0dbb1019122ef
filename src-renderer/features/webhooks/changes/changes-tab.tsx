import type { Change } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { fromMs } from '../../../ui/format.ts'
import { useResource } from '../../../app/resource.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { isOver } from '../../../components/jobs/job-state.ts'
import { JobRow, JobsTable } from '../../../components/jobs/jobs-table.tsx'
import { accountRoute, addItem } from '../accounts/account-route.ts'
import { ChangeMenu, MainAction } from './change-actions.tsx'
import { ChangeProgress } from './change-progress.tsx'
import { changeRoute } from './change-route.ts'
import { ChangeView } from './change-view.tsx'
import { kindWords, sayCounts, titleOf } from './change-words.ts'
import { changesOf } from './changes.ts'
import styles from './changes.module.css'

/** What was changed at this webhook from here; `item` is the number of the one that is open. */
export function ChangesTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const list = changesOf(webhook.network)
  const state = useResource(list)
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The changes could not be listed"
        why={state.error.message}
        onRetry={() => void list.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={6} label="Loading the changes" />
  const changes = state.value.filter(({ webhooks }) => webhooks.some(({ id }) => id === webhook.id))
  if (item === '') return <Changes webhook={webhook} changes={changes} />
  const leave = () => navigate({ ...webhookRoute(webhook.id, 'changes'), network: webhook.network })
  const open = changes.find(({ id }) => String(id) === item)
  if (open !== undefined) return <ChangeView key={open.id} change={open} onLeave={leave} />
  return (
    <EmptyState title="There is no such change" detail="Its report was removed, or never was here.">
      <Button onClick={leave}>Show all changes</Button>
    </EmptyState>
  )
}

const head = [
  { name: 'Change' },
  { name: 'State', className: styles['state'] },
  { name: 'Steps', className: styles['progress'] },
  { name: 'Begun', className: styles['begun'] },
  { name: 'Actions', hideName: true, className: styles['buttons'] },
]

function Changes({ webhook, changes }: { webhook: Webhook; changes: readonly Change[] }) {
  if (changes.length === 0) {
    return (
      <EmptyState
        title="Nothing was changed from here yet"
        detail="Adding and removing accounts and applying a file are listed here, each with what it did to every account, and can be undone."
      >
        <Button icon="plus" onClick={() => navigate(accountRoute(webhook, addItem))}>
          Add accounts
        </Button>
      </EmptyState>
    )
  }
  return (
    <JobsTable
      jobs={changes}
      head={head}
      className={styles['table']}
      keys={{ group: 'Changes', thing: 'change' }}
    >
      {(change) => <ChangeRow key={change.id} webhook={webhook} change={change} />}
    </JobsTable>
  )
}

function ChangeRow({ webhook, change }: { webhook: Webhook; change: Change }) {
  const { kind, createdAt, undoneBy } = change
  return (
    <JobRow
      job={change}
      title={titleOf(change)}
      route={changeRoute(change, webhook.id)}
      note={
        <span className={styles['kind']}>
          {undoneBy === null ? kindWords[kind] : `${kindWords[kind]}, undone since`}
        </span>
      }
      createdAt={fromMs(createdAt)}
      actions={
        <>
          <MainAction change={change} />
          <ChangeMenu change={change} />
        </>
      }
    >
      <td>{isOver(change) ? sayCounts(change) : <ChangeProgress change={change} />}</td>
    </JobRow>
  )
}
