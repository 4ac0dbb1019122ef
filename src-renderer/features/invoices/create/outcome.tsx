/** The dialog of a new invoice after the request was sent. */
import { type ReactNode, useEffect, useRef } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import { useData } from '../../../app/bridge.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { type Route, navigate } from '../../../app/route.ts'
import { InvoiceAmount } from '../../../components/invoices/invoice-cells.tsx'
import { actionsOf, useJobs } from '../../../components/jobs/job-kind.tsx'
import { useShownNetwork, TargetNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { Text, Note, Row, Stack, Hint } from '../../../ui/layout.tsx'
import { PaymentLink } from '../detail/invoice-detail.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'
import { UnclearChoices } from '../jobs/jobs-view.tsx'
import {
  backToForm,
  closeCreate,
  createAnother,
  readItem,
  startAgain,
  showIssuedItem,
} from './issuing.ts'

/** The bottom of the dialog, with the network on the left and the buttons on the right. */
function Foot({ children }: { children: ReactNode }) {
  return (
    <Row wrap>
      <TargetNetwork network={useShownNetwork()} />
      <Row last wrap>
        {children}
      </Row>
    </Row>
  )
}

function leaveTo(route: Route): void {
  closeCreate()
  navigate(route)
}

/** The link for the payer, as on the invoice's page. */
export function CreatedInvoice({ item }: { item: InvoiceJobItem }) {
  const { id: network } = useShownNetwork()
  const id = item.invoice ?? ''
  const { data: invoice } = useData('invoice.get', { network, id })
  const box = useRef<HTMLDivElement>(null)
  const isLoaded = invoice !== undefined
  useEffect(() => {
    const buttons = [...(box.current?.querySelectorAll('button') ?? [])]
    buttons.find(({ textContent }) => textContent === 'Copy link')?.focus()
  }, [isLoaded])
  return (
    <>
      <Stack ref={box}>
        <InvoiceAmount units={item.amount} currency={item.currency} />
        {isLoaded && <PaymentLink invoice={invoice} />}
      </Stack>
      <Foot>
        <Button onClick={createAnother}>Create another</Button>
        <Button onClick={() => leaveTo({ ...invoiceRoute(id), network })}>Show the invoice</Button>
        <Button onClick={closeCreate}>Close</Button>
      </Foot>
    </>
  )
}

const stageTexts: Record<InvoiceJob['state'], string> = {
  running: 'Requesting an invoice of',
  paused: 'Not requested yet:',
  failed: 'Not requested yet:',
  done: 'Loading the outcome of',
  cancelled: 'Stopped before it was requested:',
}

/** Shows a requested invoice that does not exist yet or will not exist. */
export function InvoiceProgress({
  job: started,
  item,
}: {
  job: InvoiceJob
  item: InvoiceJobItem | null
}) {
  const { data: jobs } = useJobs('invoiceJob', started.network)
  const job = jobs?.find(({ id }) => id === started.id) ?? started
  const { done, failed, unclear, state, problem } = job
  useEffect(() => {
    readItem(started).catch(() => undefined)
  }, [started, done, failed, unclear, state])
  if (item?.state === 'failed') {
    return (
      <Failure
        why={item.message ?? 'The gateway refused to create the invoice.'}
        hint="This invoice does not exist at the gateway. You can edit the invoice and try again."
      >
        <Button onClick={createAnother}>New invoice</Button>
        <Button kind="main" onClick={backToForm}>
          Edit the invoice
        </Button>
      </Failure>
    )
  }
  if (item?.state === 'unclear') {
    return (
      <>
        <UnclearChoices job={job} item={item} onChanged={(next) => showIssuedItem(job.id, next)} />
        <Foot>
          <Button onClick={createAnother}>Create another</Button>
          <Button onClick={closeCreate}>Decide later</Button>
        </Foot>
      </>
    )
  }
  const { canResume, canStop } = actionsOf(job)
  return (
    <>
      <Note role="status">
        {stageTexts[state]}{' '}
        {item !== null && <InvoiceAmount units={item.amount} currency={item.currency} />}
      </Note>
      {problem !== null && (
        <Text as="p" size="s" tone="bad" role="status">
          {problem}
        </Text>
      )}
      <Hint>
        {state === 'running'
          ? 'You can close this dialog. The request continues, and is listed on the page Jobs.'
          : 'The job is listed on the page Jobs.'}
      </Hint>
      <Foot>
        <Button onClick={() => leaveTo(jobRoute(job))}>Show the job</Button>
        {problem !== null && <Button onClick={createAnother}>Create another</Button>}
        {canStop && problem !== null && (
          <Button onClick={() => void invoiceJobs.cancel(job)}>Stop the job…</Button>
        )}
        {canResume && (
          <Button kind="main" onClick={() => void invoiceJobs.resume(job)}>
            Try again now
          </Button>
        )}
        {state === 'cancelled' && <Button onClick={backToForm}>Edit the invoice</Button>}
      </Foot>
    </>
  )
}

function Failure({ why, hint, children }: { why: string; hint: string; children: ReactNode }) {
  return (
    <>
      <Text as="p" tone="bad" role="alert">
        {why}
      </Text>
      <Hint>{hint}</Hint>
      <Foot>{children}</Foot>
    </>
  )
}

/** Explains that the response to the start was lost. */
export function LostResponse({ why }: { why: string }) {
  return (
    <Failure
      why={why}
      hint="Tondesk does not know yet whether the invoice was created. Checking again never creates a second invoice."
    >
      <Button onClick={() => leaveTo({ page: 'jobs' })}>Show the jobs</Button>
      <Button kind="main" onClick={() => void startAgain()}>
        Check again
      </Button>
    </Failure>
  )
}
