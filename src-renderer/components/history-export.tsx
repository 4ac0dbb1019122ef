/** Exports of an account's history: their jobs, and the dialog that starts one. */
import { useState } from 'react'
import type { HistoryView } from '../../src-preload/contract/chain/account.ts'
import type { HistoryExport } from '../../src-preload/contract/history-export.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { request, useData } from '../app/bridge.ts'
import { type ExplorerRoute, explorerHome } from '../app/chain-route.ts'
import { navigate } from '../app/route.ts'
import { useForm } from '../app/use-form.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog, RadioList, type RadioOption, TextField } from '../ui/form.tsx'
import { Hint } from '../ui/layout.tsx'
import { nameAccount } from './chain/account-link.tsx'
import { formatCount, fromMs, parseDateField, shorten } from '../ui/format.ts'
import { createJobs } from './jobs/job-kind.tsx'

const historyExportRoute = ({ id }: Pick<HistoryExport, 'id'>): ExplorerRoute => ({
  ...explorerHome,
  view: 'exports',
  id,
})

export const historyExportsHome: ExplorerRoute = { ...explorerHome, view: 'exports', id: null }

const titleOf = (job: HistoryExport) =>
  `History of ${nameAccount(job.network, { address: job.address, label: job.label }, shorten)}`

const rowsOf = ({ rows }: HistoryExport) => formatCount(rows, 'row')

function outcomeOf(job: HistoryExport): string | null {
  const { state, problem } = job
  if (state === 'paused') return problem === null ? null : `Paused: ${problem}`
  if (state === 'failed') return `Failed: ${problem ?? 'the network does not respond.'}`
  if (state !== 'done') return null
  return problem ?? `Done: ${rowsOf(job)}`
}

export const historyExports = createJobs<HistoryExport>({
  kind: 'historyExport',
  thing: 'history export',
  titleOf,
  routeOf: historyExportRoute,
  homeOf: () => historyExportsHome,
  startedAt: ({ createdAt }) => fromMs(createdAt),
  counts: 'Contracts',
  progressOf: (job) => ({ done: job.contractsRead, total: job.contracts, more: rowsOf(job) }),
  resultOf: rowsOf,
  cancelDetail: (job) =>
    `${formatCount(job.transactions, job.view === 'events' ? 'event' : 'transaction')} were read, and their rows stay. To continue later, pause the export instead.`,
  removeDetail: (job) =>
    `Its ${rowsOf(job)} are deleted from this computer. Files that you saved stay.`,
  canRemoveRunning: true,
  outcomeOf,
  isBad: ({ problem }) => problem !== null,
  isInSight: (job, route) =>
    route.page === 'explorer' &&
    route.view === 'exports' &&
    (route.id === null || route.id === job.id),
})

/** Renders the button on an account's page, and the dialog that it opens. */
export function ExportHistoryButton({ network, address }: { network: NetworkId; address: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        Export history…
      </Button>
      {isOpen && (
        <ExportHistory network={network} address={address} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

const views: readonly RadioOption<HistoryView>[] = [
  {
    value: 'transactions',
    label: 'Transactions',
    why: 'A row for each message of the account and each transfer of its jettons. For exact bookkeeping.',
  },
  {
    value: 'events',
    label: 'Events',
    why: 'A row for each action that the gateway recognized, such as a swap or a purchase, with a sentence. Fewer requests.',
  },
]

function ExportHistory({
  network,
  address,
  onClose,
}: {
  network: NetworkId
  address: string
  onClose: () => void
}) {
  const [view, setView] = useState<HistoryView>('transactions')
  const fiat = useData('settings.get').data?.reports.fiatCurrency ?? null
  const form = useForm({ first: '', last: '' }, async ({ first, last }) => {
    if (first !== '' && last !== '' && first > last) {
      return { last: 'The last day is before the first day.' }
    }
    const from = parseDateField(first, 'begin')
    const to = parseDateField(last, 'end')
    const job = await request('historyExport.start', { network, address, view, from, to })
    onClose()
    historyExports.begun(job)
    navigate(historyExportRoute(job))
  })
  return (
    <FormDialog
      title="Export the history"
      detail="Tondesk reads the whole history, and compares the sum of the rows with the balances. You choose the file format afterwards."
      label="Export the history"
      action="Start export"
      form={form}
      onClose={onClose}
    >
      <RadioList label="Rows" value={view} options={views} onChange={setView} />
      <TextField
        label="First day"
        type="date"
        hint="Leave it empty to begin with the oldest entry."
        {...form.field('first')}
      />
      <TextField
        label="Last day"
        type="date"
        hint="Leave it empty to end with the latest entry."
        {...form.field('last')}
      />
      <Hint>
        {fiat === null
          ? 'To have values in a fiat currency in the files, choose one in Settings › Reports first.'
          : `The files have values in ${fiat} at the time of each row (Settings › Reports).`}
      </Hint>
    </FormDialog>
  )
}
