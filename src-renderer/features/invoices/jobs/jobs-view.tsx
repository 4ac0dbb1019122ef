import { useEffect, useState } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt, confirmAndRun, request } from '../../../app/bridge.ts'
import { useCurrentNetwork } from '../../../app/networks.ts'
import { invoiceRoute, invoicesHome, invoicesOf } from '../../../app/invoices-route.ts'
import { navigate, routeHref, useRoute } from '../../../app/route.ts'
import { untrustedColumn } from '../../../components/body/untrusted-text.tsx'
import {
  amountColumn,
  InvoiceAmount,
  InvoiceLink,
} from '../../../components/invoices/invoice-cells.tsx'
import { OneJob, hasJobEnded, useJobs } from '../../../components/jobs/job-kind.tsx'
import { type Choice, ActionButton, Button, Choices } from '../../../ui/button.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { type Tone, Hint, Note, Pane, Row, Section, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { countSettled, describeItemState, invoiceJobs, saveLinks } from './invoice-jobs.tsx'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { InvoiceIdForm } from '../payments/payments-view.tsx'

const home = { page: 'jobs' } as const

/**
 * True if a job is listed. A job of one invoice is listed only if it needs attention, because the
 * invoice itself shows how the job ended.
 */
export function isJobListed({ total, state, failed, unclear }: InvoiceJob): boolean {
  return total > 1 || state !== 'done' || failed + unclear > 0
}

/** Shows one job with the outcome of each invoice. */
export function JobView() {
  const network = useShownNetwork()
  const id = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'jobs' ? route.job : 0,
  )
  return (
    <OneJob
      query={useJobs('invoiceJob', network.id)}
      id={id}
      thing="job"
      onAll={() => navigate(home)}
    >
      {(job) => <Job job={job} />}
    </OneJob>
  )
}

/** Lists the jobs of the chosen network on the page of jobs. */
export function Jobs() {
  const network = useCurrentNetwork()
  return network === null ? null : <JobsOf network={network} />
}

function JobsOf({ network: { id, name } }: { network: Network }) {
  return (
    <Section
      level={2}
      title={`Invoices of ${name}`}
      detail="A job issues up to 1 000 invoices from a CSV file, or cancels many invoices at once, and records the result of each invoice."
      end={
        <Button
          icon="plus"
          onClick={() => navigate({ ...invoicesHome, view: 'issue', draft: null })}
        >
          Issue invoices from a file
        </Button>
      }
    >
      <Loaded query={useJobs('invoiceJob', id)} of="the jobs">
        {(jobs) => {
          const listed = jobs.filter(isJobListed)
          return listed.length > 0 && <invoiceJobs.JobTable jobs={listed} of="Jobs" />
        }}
      </Loaded>
    </Section>
  )
}

type ItemState = InvoiceJobItem['state']

const items = createLiveList({
  load: async (question: { id: number; state: ItemState | null }, offset, limit) => {
    const page = await request('invoiceJob.items', { ...question, offset, limit })
    return { total: page.total, rows: page.items, extra: null }
  },
  idOf: ({ index }: InvoiceJobItem) => index,
})

function Job({ job }: { job: InvoiceJob }) {
  const { id, kind } = job
  const [shown, setShown] = useState<ItemState | null>(null)
  const [unclear, setUnclear] = useState<InvoiceJobItem | null>(null)
  const canSave = kind === 'issue' && job.done > 0
  useEffect(() => items.open({ id, state: shown }, { keep: shown !== null }), [id, shown])
  useEffect(() => items.note(), [job.done, job.failed, job.unclear, job.state])
  const key = shortcutsOf('Job')
  useShortcuts([key(['e'], 'Save payment links as CSV', () => canSave && saveLinks(job))])
  const open = (item: InvoiceJobItem) => {
    if (canDecide(job, item)) setUnclear(item)
    else if (item.invoice !== null) {
      navigate({ ...invoiceRoute(item.invoice), network: job.network })
    }
  }
  return (
    <Pane>
      <invoiceJobs.Head job={job} back={{ label: 'Jobs', run: () => navigate(home) }}>
        {canSave && (
          <Button icon="download" onClick={() => saveLinks(job)}>
            Save payment links
          </Button>
        )}
      </invoiceJobs.Head>
      <invoiceJobs.Standing job={job}>
        {job.unclear > 0 && (
          <Hint>
            {kind === 'issue'
              ? 'The gateway did not confirm whether it created the unclear invoices. Tondesk does not repeat these requests: decide for each invoice.'
              : 'The gateway did not confirm whether it cancelled the unclear invoices. The next sync shows their state.'}
          </Hint>
        )}
        {job.failed > 0 && hasJobEnded(job) && (
          <Hint>
            {kind === 'issue' ? (
              <>
                Invoices that were not issued do not exist at the gateway. Correct their lines and
                issue these again:{' '}
                <a href={routeHref({ ...invoicesHome, view: 'issue', draft: null })}>
                  Issue invoices from a file
                </a>
              </>
            ) : (
              'Invoices that were not cancelled keep their state. Paid and expired invoices cannot be cancelled.'
            )}
          </Hint>
        )}
      </invoiceJobs.Standing>
      <Row pad="m" line="below">
        <Choices<ItemState | null>
          label="Invoices to show"
          value={shown}
          options={choicesOf(job)}
          onChange={setShown}
        />
      </Row>
      <DataList
        list={items}
        columns={columnsOf(job, setUnclear)}
        of="invoices of this job"
        thing="invoice"
        group="Job"
        onOpen={open}
        onLeave={() => navigate(home)}
        empty={<EmptyState title="No invoice in this job has this state" />}
      />
      <Dialog
        open={unclear !== null}
        onClose={() => setUnclear(null)}
        wide
        title={`Was invoice no. ${formatNumber((unclear?.index ?? 0) + 1)} created?`}
      >
        {unclear !== null && (
          <UnclearChoices
            job={job}
            item={unclear}
            onChanged={() => {
              setUnclear(null)
              items.refresh()
            }}
          />
        )}
      </Dialog>
    </Pane>
  )
}

const canDecide = ({ kind }: InvoiceJob, { state }: InvoiceJobItem) =>
  state === 'unclear' && kind === 'issue'

/** States without an invoice are left out, because most jobs have only some states. */
function choicesOf(job: InvoiceJob): Choice<ItemState | null>[] {
  const { kind, total, done, failed, unclear } = job
  const word = (state: ItemState) => {
    const text = describeItemState(kind, state)
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const choices: Choice<ItemState | null>[] = [
    { value: 'done', label: word('done'), count: done, tone: 'ok' },
    { value: 'failed', label: word('failed'), count: failed, tone: 'bad' },
    { value: 'unclear', label: word('unclear'), count: unclear, tone: 'warn' },
    { value: 'waiting', label: word('waiting'), count: total - countSettled(job) },
  ]
  return [
    { value: null, label: 'All', count: total },
    ...choices.filter(({ count = 0 }) => count > 0),
  ]
}

const itemTones: Record<ItemState, Tone> = {
  waiting: 'plain',
  asked: 'plain',
  done: 'ok',
  failed: 'bad',
  unclear: 'warn',
}

function columnsOf(
  job: InvoiceJob,
  onDecide: (item: InvoiceJobItem) => void,
): DataColumn<InvoiceJobItem>[] {
  return [
    {
      name: 'No.',
      width: 44,
      look: 'number',
      cell: ({ index }) => <Text tone="faint">{formatNumber(index + 1)}</Text>,
    },
    {
      name: 'State',
      width: 104,
      cell: ({ state }) => <Tag tone={itemTones[state]}>{describeItemState(job.kind, state)}</Tag>,
    },
    amountColumn({ name: 'Amount', width: 120 }, (item) => item),
    untrustedColumn({ name: 'Description', width: 90, grow: 1 }, ({ description }) => description),
    {
      name: 'Invoice',
      width: 96,
      cell: ({ invoice }) =>
        invoice !== null && <InvoiceLink id={invoice} network={job.network} tabIndex={-1} />,
    },
    {
      name: 'Payment link',
      width: 26,
      hideName: true,
      cell: ({ invoice, paymentLink }) =>
        paymentLink !== null &&
        paymentLink !== '' && (
          <CopyButton text={paymentLink} what={`Link of ${invoice ?? ''}`} iconOnly kind="quiet" />
        ),
    },
    {
      name: 'Reason',
      width: 120,
      grow: 1.4,
      look: 'dim',
      cell: (item) => (
        <>
          {canDecide(job, item) && (
            <Button kind="link" tabIndex={-1} onClick={() => onDecide(item)}>
              Resolve unclear invoices…
            </Button>
          )}{' '}
          {item.message}
        </>
      ),
      title: ({ message }) => message ?? undefined,
    },
  ]
}

type Decision = Input<'invoiceIssue.resolve'>['as']

/**
 * The choices for an unclear invoice. The gateway received a request, but no response showed
 * whether it created the invoice. Tondesk searches for the invoice and never repeats the request
 * automatically; the user decides if the search finds nothing.
 */
export function UnclearChoices({
  job,
  item,
  onChanged,
}: {
  job: InvoiceJob
  item: InvoiceJobItem
  onChanged: (item: InvoiceJobItem) => void
}) {
  const { index, amount, currency, description, message } = item
  const resolve = (as: Decision) => request('invoiceIssue.resolve', { id: job.id, index, as })
  const failure = 'Could not save your decision'
  const take = (changed: InvoiceJobItem | undefined) => changed !== undefined && onChanged(changed)
  const skip = async () => take(await attempt(failure, () => resolve({ left: true })))
  const requestAgain = async () => {
    const changed = await confirmAndRun({
      title: 'Send the request for this invoice again?',
      detail:
        'If the first request succeeded, there will be two invoices. Check the invoice list first.',
      action: 'Send request again',
      failure,
      run: () => resolve({ again: true }),
    })
    take(changed)
  }
  const exact = formatAmount(amount, decimalsOf[currency])
  const sameAmount = invoicesOf({ currencies: [currency], amountFrom: exact, amountTo: exact })
  return (
    <Stack as="section" aria-label={`Unclear whether invoice no. ${index + 1} was created`}>
      <p>
        Tondesk requested this invoice, but the gateway’s response was lost:{' '}
        <InvoiceAmount units={amount} currency={currency} />
        {description !== '' && ` (${description})`}. Tondesk searches the gateway’s list for the
        invoice, because a second request could create a duplicate.
      </p>
      {message !== null && <Note tone="warn">{message}</Note>}
      <InvoiceIdForm
        label="Id of the created invoice"
        action="Link this invoice"
        onSubmit={async (invoice) => onChanged(await resolve({ invoice }))}
      />
      <Row wrap>
        <a href={routeHref({ ...sameAmount, network: job.network })}>Invoices with this amount</a>
        <Row last>
          <ActionButton action={skip}>Skip this invoice</ActionButton>
          <ActionButton kind="danger" action={requestAgain}>
            Send request again…
          </ActionButton>
        </Row>
      </Row>
    </Stack>
  )
}
