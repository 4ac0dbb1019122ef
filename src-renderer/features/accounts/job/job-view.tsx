import { useEffect, useRef } from 'react'
import type { LookupJob, LookupRow } from '../../../../src-preload/contract/lookup.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { accountsHome } from '../../../chain-route.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { useResource } from '../../../resource.ts'
import { navigate, parseRoute } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { friendlyAddress } from '../../../friendly-address.ts'
import { copyAddress, useAddressForm } from '../../address.tsx'
import { accountHref } from '../../chain/chain-links.ts'
import { OfNetwork } from '../../chain/of-network.tsx'
import { lookups } from '../lookups.ts'
import { useNetwork } from '../../network-tag.tsx'
import { useGridKeys } from '../../list/use-grid-keys.ts'
import { useLookAgain } from '../../list/use-look-again.ts'
import { rowAt } from '../../list/windows.ts'
import { FilterBar } from './filter-bar.tsx'
import { JobFigures, JobHead, JobProgress } from './job-head.tsx'
import { JobRows } from './job-rows.tsx'
import { isContract } from './row-words.ts'
import { noteAnswers, openRows, rows, showNews, useRows } from './rows.ts'

/** One lookup, found by its number in the address. */
export function JobView({ id }: { id: number }) {
  const state = useResource(lookups)
  if (state.status === 'idle' || state.status === 'loading') return <Skeleton rows={12} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The lookup could not be read"
        why={state.error.message}
        onRetry={() => void lookups.reload()}
      />
    )
  }
  const job = state.value.find((each) => each.id === id)
  if (job !== undefined) return <Job key={id} job={job} />
  return (
    <EmptyState title="There is no such lookup" detail="It was removed, or never was here.">
      <Button onClick={() => navigate(accountsHome)}>Show all lookups</Button>
    </EmptyState>
  )
}

function Job({ job }: { job: LookupJob }) {
  const network = useNetwork(job.network)
  const field = useRef<HTMLInputElement>(null)
  const open = (row: LookupRow) => {
    if (row.address !== null) navigate(parseRoute(accountHref(row.address, job.network)))
  }
  useEffect(() => openRows(job.id), [job.id])
  useLookAgain(`${job.answered} ${job.failed} ${job.state}`, noteAnswers)
  useRowKeys(network, field, open)
  return (
    <OfNetwork network={network}>
      <div className={pane['pane']}>
        <div>
          <JobHead job={job} />
          <JobProgress job={job} />
          <JobFigures job={job} />
          <FilterBar job={job} field={field} />
        </div>
        <JobRows job={job} onOpen={open} />
      </div>
    </OfNetwork>
  )
}

const group = 'Lookup'

/** As it is shown: in the form that was chosen, or as it stood in the list. */
function addressOf(row: LookupRow, { testOnly }: Network): string {
  const { address, text } = row
  if (address === null || useAddressForm.getState().form === 'raw') return address ?? text
  return friendlyAddress(address, { bounceable: isContract(row), testOnly }) ?? address
}

function useRowKeys(
  network: Network,
  field: { current: HTMLInputElement | null },
  open: (row: LookupRow) => void,
): void {
  const cursor = useRows((state) => state.cursor)
  const state = rows.store()
  const row = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
  useGridKeys({
    group,
    count: state.status === 'ready' ? state.total : 0,
    cursor,
    onCursor: (index) => useRows.setState({ cursor: index }),
  })
  useShortcuts([
    { keys: ['Enter'], label: 'Open the account', group, run: () => row !== null && open(row) },
    {
      keys: ['c'],
      label: 'Copy the address',
      group,
      run: () => {
        if (row !== null) void copyAddress(addressOf(row, network))
      },
    },
    { keys: ['.'], label: 'Show new answers', group, run: showNews },
    {
      keys: ['Escape'],
      label: 'Put the selection away',
      group,
      run: () => useRows.setState({ cursor: null }),
    },
    {
      keys: ['/'],
      label: 'Search the rows',
      group,
      run: () => {
        field.current?.focus()
        field.current?.select()
      },
    },
  ])
}
