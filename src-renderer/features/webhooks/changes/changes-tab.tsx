import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useData } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { accountRoute, addAccountsItem, webhookRoute } from '../../../app/webhooks-route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { ChangeView } from './change-view.tsx'
import { changeJobs } from './changes.ts'

/** The changes made at this webhook from here; `item` is the number of the one that is open. */
export function ChangesTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const { id, network } = webhook
  const leave = () => navigate({ ...webhookRoute(id, 'changes'), network })
  return (
    <Loaded query={useData('change.list', { network })} of="the changes">
      {(all) => {
        const changes = all.filter(({ webhooks }) => webhooks.some((each) => each.id === id))
        const open = changes.find((each) => String(each.id) === item)
        if (open !== undefined) return <ChangeView key={open.id} change={open} onLeave={leave} />
        if (item !== '') {
          return (
            <EmptyState title={`There is no change ${item}`} detail="It may have been removed.">
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
      detail="Every change you make here is listed with its result for each account, and can be undone: accounts added or removed, and files applied."
    >
      <Button icon="plus" onClick={() => navigate(accountRoute(webhook, addAccountsItem))}>
        Add accounts
      </Button>
    </EmptyState>
  )
}

/** Above the page of webhooks: the changes in progress. */
export function ChangeStrip({ network }: { network: NetworkId }) {
  const { data = [] } = useData('change.list', { network })
  return <changeJobs.Strip jobs={data} />
}
