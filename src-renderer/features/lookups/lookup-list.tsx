import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { accountsHome } from '../../app/chain-route.ts'
import { useData } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Kbd } from '../../ui/layout.tsx'
import { lookupJobs } from './lookups.tsx'

/** The lookups of all networks. */
export function LookupList() {
  return (
    <Loaded query={useData('lookup.list')} of="the lookups">
      {(jobs) => (jobs.length === 0 ? <FirstLookup /> : <Lookups jobs={jobs} />)}
    </Loaded>
  )
}

function FirstLookup() {
  return (
    <EmptyState
      title="Look up many accounts at once"
      detail="Paste or drop a list of addresses in any form. Tondesk reads status, balance, wallet type and last activity of each account; sort, filter and export the results. Run the lookup again later to see what changed."
    >
      <Button kind="main" icon="plus" onClick={() => navigate({ ...accountsHome, view: 'new' })}>
        New lookup <Kbd>n</Kbd>
      </Button>
    </EmptyState>
  )
}

function Lookups({ jobs }: { jobs: readonly LookupJob[] }) {
  return (
    <lookupJobs.JobTable
      jobs={jobs}
      of="Lookups"
      group="Accounts"
      columns={[
        { name: 'Network', width: 120, cell: ({ network }) => <NetworkTag id={network} /> },
        { name: 'Not looked up', look: 'number', cell: sayLeftOut },
      ]}
    />
  )
}

function sayLeftOut({ counts: { duplicate, wrongNetwork, invalid } }: LookupJob): string {
  const left = duplicate + wrongNetwork + invalid
  return left > 0 ? formatNumber(left) : ''
}
