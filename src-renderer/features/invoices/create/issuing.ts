/**
 * The dialog of a new invoice: its typed values and the progress of its request. A running request
 * is kept when the dialog is closed; the typed values are discarded.
 */
import { create } from 'zustand'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { type Currency, decimalsOf } from '../../../../src-preload/domain/amount.ts'
import { formatEntry, readAmount } from '../../../../src-preload/domain/written-amount.ts'
import { AppError, bridgeCodes } from '../../../../src-preload/domain/app-error.ts'
import { request, toAppError, peek } from '../../../app/bridge.ts'
import { jobListInput } from '../../../components/jobs/job-kind.tsx'
import { confirmDiscard } from '../../../ui/form.tsx'
import { announce } from '../../../ui/toast.tsx'
import { invoiceJobs, useJobInDialog } from '../jobs/invoice-jobs.tsx'
import {
  type TypedLifetime,
  lifetimeOf,
  presets,
  splitLifetime,
  typedLifetime,
} from './typed-invoice.ts'

type Described = {
  readonly amount: string
  readonly currency: Currency
  readonly description: string
  readonly orderReference: string
  /** The invoice whose rest is requested. */
  readonly restOf?: string | null
}

/** The values of an invoice that is issued again; the amount is in minimal units. */
type Prefill = Described & { readonly lifeTimeSeconds: number }

/** The values of the form as the user typed them. */
type Form = Required<Described> & TypedLifetime

export type Stage =
  | { readonly at: 'form'; readonly problem: AppError | null }
  | { readonly at: 'sending'; readonly network: NetworkId }
  /** The response to the start was lost. Only the same draft is started again, never another one. */
  | {
      readonly at: 'lost'
      readonly network: NetworkId
      readonly draft: string
      readonly why: string
    }
  | {
      readonly at: 'job'
      readonly network: NetworkId
      readonly job: InvoiceJob
      readonly item: InvoiceJobItem | null
    }

type Issuing = {
  readonly isOpen: boolean
  readonly form: Form
  readonly stage: Stage
}

const emptyForm: Form = {
  amount: '',
  currency: 'TON',
  ...typedLifetime,
  description: '',
  orderReference: '',
  restOf: null,
}

const fresh: Stage = { at: 'form', problem: null }

export const useIssuing = create<Issuing>(() => ({ isOpen: false, form: emptyForm, stage: fresh }))

useIssuing.subscribe(({ isOpen, stage }) =>
  useJobInDialog.setState({ id: isOpen && stage.at === 'job' ? stage.job.id : null }),
)

/**
 * Opens the dialog. If an invoice is being created, that is displayed first, so that the user does
 * not create it twice.
 */
export function openCreate(prefill: Prefill | null = null): void {
  useIssuing.setState(({ form, stage }) => {
    if (isUnderWay(stage)) return { isOpen: true }
    return { isOpen: true, stage: fresh, form: prefill === null ? blank(form) : formOf(prefill) }
  })
}

/** Closes the dialog. The typed values are discarded, except the currency and the lifetime. */
export function closeCreate(): void {
  useIssuing.setState(({ form, stage }) => ({
    isOpen: false,
    ...(stage.at === 'form' && { form: blank(form), stage: fresh }),
  }))
}

/** Handles Escape and a press outside: typed text is discarded only if the user confirms it. */
export async function leaveCreate(): Promise<void> {
  const { form, stage } = useIssuing.getState()
  const isTyped = [form.amount, form.description, form.orderReference].some((text) => text !== '')
  if (stage.at !== 'form' || !isTyped || (await confirmDiscard())) closeCreate()
}

export function createAnother(): void {
  useIssuing.setState(({ form }) => ({ stage: fresh, form: blank(form) }))
}

/** Shows the typed values again after the invoice was not created. */
export const backToForm = (): void => useIssuing.setState({ stage: fresh })

export function changeForm(part: Partial<Form>): void {
  useIssuing.setState(({ form, stage }) => ({
    form: { ...form, ...part },
    ...(stage.at === 'form' && stage.problem !== null && { stage: fresh }),
  }))
}

/** Empties the form, except for the currency and the lifetime. */
function blank(form: Form): Form {
  return { ...form, amount: '', description: '', orderReference: '', restOf: null }
}

function formOf({ amount, lifeTimeSeconds, restOf = null, ...prefill }: Prefill): Form {
  const { amount: life, unit } = splitLifetime(lifeTimeSeconds)
  return {
    ...prefill,
    restOf,
    amount: formatEntry(BigInt(amount), decimalsOf[prefill.currency]),
    preset: presets.find(({ seconds }) => seconds === lifeTimeSeconds)?.seconds ?? null,
    life,
    lifeUnit: unit,
  }
}

/** True if the invoice's job is running. The job may have ended while the dialog was closed. */
function isUnderWay(stage: Stage): boolean {
  if (stage.at !== 'job') return stage.at !== 'form'
  const jobs = peek('job.list', jobListInput('invoiceJob', stage))
  const { state } = jobs?.find(({ id }) => id === stage.job.id) ?? stage.job
  return state === 'running' || state === 'paused' || state === 'failed'
}

/** Requests the typed invoice once. A second press does nothing while the request is running. */
export async function submit(network: Network): Promise<void> {
  const { form, stage } = useIssuing.getState()
  const { amount: units, problem } = readAmount(form.amount, form.currency)
  const { seconds } = lifetimeOf(form)
  if (stage.at !== 'form' || units === null || problem !== null || seconds === null) return
  useIssuing.setState({ stage: { at: 'sending', network: network.id } })
  let draft
  try {
    draft = await request('invoiceIssue.draft', {
      network: network.id,
      lines: [
        {
          amount: formatEntry(units, decimalsOf[form.currency]),
          currency: form.currency,
          lifeTimeSeconds: seconds,
          description: form.description,
          orderReference: form.orderReference,
          restOf: form.restOf,
        },
      ],
    })
    const [total] = draft.totals
    if (draft.valid !== 1 || total?.amount !== units.toString()) {
      refuse(await whyNot(draft.id))
      return
    }
  } catch (error) {
    // A draft alone sends no request to the gateway.
    refuse(toAppError(error))
    return
  }
  await begin(network.id, draft.id)
}

/** Starts the same draft again after the response to its start was lost. */
export async function startAgain(): Promise<void> {
  const { stage } = useIssuing.getState()
  if (stage.at !== 'lost') return
  useIssuing.setState({ stage: { at: 'sending', network: stage.network } })
  await begin(stage.network, stage.draft)
}

async function begin(network: NetworkId, draft: string): Promise<void> {
  try {
    const job = await request('invoiceIssue.start', { draft })
    useIssuing.setState({ stage: { at: 'job', network, job, item: null } })
    invoiceJobs.begun(job)
  } catch (error) {
    const known = toAppError(error)
    const isLost = known.code === bridgeCodes.disconnected || known.code === bridgeCodes.internal
    if (isLost) {
      useIssuing.setState({ stage: { at: 'lost', network, draft, why: known.message } })
      return
    }
    // The refused draft will never be issued, so it is removed from the drafts.
    request('invoiceIssue.discard', { draft }).catch(() => undefined)
    refuse(known)
  }
}

/** Returns the reason why the main process refused a draft, because it reads the amount as well and decides. */
async function whyNot(draft: string): Promise<AppError> {
  const { lines } = await request('invoiceIssue.lines', { draft, offset: 0, limit: 1 })
  request('invoiceIssue.discard', { draft }).catch(() => undefined)
  const why = lines[0]?.problem ?? 'The amount could not be read.'
  return new AppError('NOT_UNDERSTOOD', why)
}

function refuse(problem: AppError): void {
  useIssuing.setState({ stage: { at: 'form', problem } })
  announce('The invoice was not created')
}

/** Loads the outcome of a job that has only one invoice. */
export async function readItem({ id }: InvoiceJob): Promise<void> {
  const { items } = await request('invoiceJob.items', { id, offset: 0, limit: 1 })
  const [item] = items
  if (item !== undefined) showIssuedItem(id, item)
}

export function showIssuedItem(job: number, item: InvoiceJobItem): void {
  const { stage } = useIssuing.getState()
  if (stage.at !== 'job' || stage.job.id !== job) return
  if (item.state === 'done' && stage.item?.state !== 'done') announce('Invoice created')
  useIssuing.setState({ stage: { ...stage, item } })
}
