/** The dialog of a new invoice after the invoice was requested. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { useData } from '../../../app/bridge.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { type Route, navigate } from '../../../app/route.ts'
import { openSandboxAction } from '../../../app/sandbox-action.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { InvoiceAmount, InvoiceMoment } from '../../../components/invoices/invoice-cells.tsx'
import { actionsOf, useJobs } from '../../../components/jobs/job-kind.tsx'
import { useShownNetwork, TargetNetwork } from '../../../components/network-tag.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/form.tsx'
import { Text, Note, Row, Stack, Hint } from '../../../ui/layout.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'
import { UnclearChoices } from '../jobs/jobs-view.tsx'
import {
  backToForm,
  closeCreate,
  createAnother,
  readItem,
  startAgain,
  takeItem,
} from './issuing.ts'
import { formatShareText } from './typed-invoice.ts'

/** The network on the left, buttons on the right. */
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

/** The link for the payer, as text and as a picture. */
export function Created({ item }: { item: InvoiceJobItem }) {
  const network = useShownNetwork()
  const id = item.invoice ?? ''
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => first.current?.querySelector('button')?.focus(), [])
  const { data: known } = useData('invoice.get', { network: network.id, id })
  const expiresAt = known?.expiresAt ?? null
  // After a partial payment the link requests the rest.
  const link = known?.paymentLink ?? item.paymentLink ?? ''
  const due = known === undefined ? 0n : moneyOf(known).due
  const amount = due > 0n ? String(due) : item.amount
  const pay = () => {
    closeCreate()
    openSandboxAction('pay', { invoice: id })
  }
  return (
    <>
      <Row gap="xl" align="start">
        <QrCode text={link} title={`Payment link of invoice ${id}`} name={`invoice-${id}`} />
        <Stack gap="l" grow>
          <KeyValues
            pairs={[
              ['Invoice', <Text mono>{id}</Text>],
              ['Amount', <InvoiceAmount units={item.amount} currency={item.currency} />],
              ['Expires', expiresAt !== null && <InvoiceMoment at={expiresAt} />],
              [
                'Order reference',
                item.orderReference !== '' && <UntrustedText text={item.orderReference} />,
              ],
              ['Description', item.description !== '' && <UntrustedText text={item.description} />],
            ]}
          />
          <Row ref={first}>
            <Text as="code" over="cut" title={link}>
              {link}
            </Text>
            <CopyButton text={link} what="Payment link" label="Copy link" kind="main" />
          </Row>
          <ShareText
            key={`${expiresAt} ${amount}`}
            item={{ ...item, amount }}
            link={link}
            expiresAt={expiresAt}
          />
        </Stack>
      </Row>
      <Foot>
        {network.kind === 'sandbox' && <Button onClick={pay}>Pay on the sandbox</Button>}
        <Button onClick={createAnother}>Create another</Button>
        <Button onClick={() => leaveTo({ ...invoiceRoute(id), network: network.id })}>
          Show the invoice
        </Button>
        <Button onClick={closeCreate}>Close</Button>
      </Foot>
    </>
  )
}

/** Can be changed before it is copied: the description may be internal. */
function ShareText({
  item: { amount, currency, description },
  link,
  expiresAt,
}: {
  item: InvoiceJobItem
  link: string
  expiresAt: number | null
}) {
  const [text, setText] = useState(() =>
    formatShareText({ amount, currency, description, link, expiresAt }),
  )
  return (
    <Stack gap="s">
      <TextArea label="Text to share" rows={7} spellCheck={false} value={text} onChange={setText} />
      <Row>
        <CopyButton text={text} what="Share text" label="Copy text" />
      </Row>
    </Stack>
  )
}

const stageTexts: Record<InvoiceJob['state'], string> = {
  running: 'Requesting an invoice of',
  paused: 'Not requested yet:',
  failed: 'Not requested yet:',
  done: 'Loading the outcome of',
  cancelled: 'Stopped before it was requested:',
}

/** An invoice that was requested and does not exist yet, or will not. */
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
  if (item?.state === 'failed') return <Failed why={item.message} />
  if (item?.state === 'unclear') {
    return (
      <>
        <UnclearChoices job={job} item={item} onChanged={(next) => takeItem(job.id, next)} />
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
      <Note>
        <p role="status">
          {stageTexts[state]}{' '}
          {item !== null && <InvoiceAmount units={item.amount} currency={item.currency} />}
        </p>
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

function Failed({ why }: { why: string | null }) {
  return (
    <Failure
      why={why ?? 'The gateway refused to create the invoice.'}
      hint="This invoice does not exist at the gateway. You can edit the invoice and try again."
    >
      <Button onClick={createAnother}>New invoice</Button>
      <Button kind="main" onClick={backToForm}>
        Edit the invoice
      </Button>
    </Failure>
  )
}

/** The response to the start was lost. */
export function Lost({ why }: { why: string }) {
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
