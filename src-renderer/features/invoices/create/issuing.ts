/** One invoice on its way: what was typed, and how far it has come. It stays while the dialog is away. */
import { create } from 'zustand'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { AppError, bridgeCodes } from '../../../../src-preload/domain/app-error.ts'
import { decimalsOf, type Currency, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { valueOf } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import { followJob, invoiceJobsOf } from '../jobs/jobs.ts'
import {
  type ReadLifetime,
  presets,
  readLifetime,
  splitLifetime,
  usualSeconds,
} from './lifetime.ts'
import type { TypedLifetime } from './lifetime-field.tsx'
import { readTypedAmount } from './typed-amount.ts'

/** What the form can begin with. */
type Prefill = {
  /** Minimal units. */
  readonly amount?: string | undefined
  readonly currency?: Currency | undefined
  readonly lifeTimeSeconds?: number | undefined
  readonly description?: string | undefined
}

/** As it is typed. */
export type Form = {
  readonly amount: string
  readonly currency: Currency
  readonly description: string
} & TypedLifetime

export type Stage =
  | { readonly at: 'form'; readonly problem: AppError | null }
  | { readonly at: 'asking'; readonly network: NetworkId }
  /** Whether it was begun is not known: the same draft is asked for again, never another. */
  | {
      readonly at: 'lost'
      readonly network: NetworkId
      readonly draft: string
      readonly why: string
    }
  /** `item` as it was last read. */
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
  preset: usualSeconds,
  life: '3',
  lifeUnit: 'd',
  description: '',
}

const fresh: Stage = { at: 'form', problem: null }

export const useIssuing = create<Issuing>(() => ({
  isOpen: false,
  form: emptyForm,
  stage: fresh,
}))

/**
 * Opens the dialog. One that is on its way is shown first, whatever is asked for: so that nobody makes
 * a second for want of seeing the first.
 */
export function openCreate(prefill: Prefill = {}): void {
  useIssuing.setState(({ form, stage }) => {
    if (isUnderWay(stage)) return { isOpen: true }
    return { isOpen: true, stage: fresh, form: formWith(stage.at === 'job' ? null : form, prefill) }
  })
}

/** What it shows stays while it fades away; the next opening looks what is still to be shown. */
export function closeCreate(): void {
  useIssuing.setState({ isOpen: false })
}

export function createAnother(): void {
  useIssuing.setState(({ form }) => ({ stage: fresh, form: blank(form) }))
}

/** Back to what was typed, to be mended: it was not created. */
export function backToForm(): void {
  useIssuing.setState({ stage: fresh })
}

export function changeForm(part: Partial<Form>): void {
  useIssuing.setState(({ form, stage }) => ({
    form: { ...form, ...part },
    ...(stage.at === 'form' && stage.problem !== null && { stage: fresh }),
  }))
}

/** The dialog shows it: it need not be told elsewhere. */
export function isInSight({ id }: InvoiceJob): boolean {
  const { isOpen, stage } = useIssuing.getState()
  return isOpen && stage.at === 'job' && stage.job.id === id
}

/** Currency and lifetime are most often the same again. */
function blank(form: Form): Form {
  return { ...form, amount: '', description: '' }
}

function formWith(typed: Form | null, prefill: Prefill): Form {
  const { amount, currency, lifeTimeSeconds, description } = prefill
  const isGiven = Object.values(prefill).some((value) => value !== undefined)
  const before = typed ?? blank(useIssuing.getState().form)
  if (!isGiven) return before
  const unit = currency ?? before.currency
  return {
    ...before,
    amount: amount === undefined ? '' : formatAmount(BigInt(amount), decimalsOf[unit]),
    currency: unit,
    description: description ?? '',
    ...(lifeTimeSeconds !== undefined && lifeOf(lifeTimeSeconds)),
  }
}

function lifeOf(seconds: number): TypedLifetime {
  const { amount, unit } = splitLifetime(seconds)
  const preset = presets.find((each) => each.seconds === seconds)?.seconds ?? null
  return { preset, life: amount, lifeUnit: unit }
}

export function lifetimeOf({ preset, life, lifeUnit }: TypedLifetime): ReadLifetime {
  return preset === null ? readLifetime(life, lifeUnit) : { seconds: preset }
}

/** By the job as it stands now: it may have ended while the dialog was away, and that was told. */
function isUnderWay(stage: Stage): boolean {
  if (stage.at !== 'job') return stage.at !== 'form'
  const jobs = valueOf(invoiceJobsOf(stage.network).store.getState())
  const { state } = jobs?.find(({ id }) => id === stage.job.id) ?? stage.job
  return state === 'running' || state === 'paused' || state === 'failed'
}

/**
 * Asks for what is typed, once: a second press finds it asked for already. The form is known to be
 * right; what the gateway will be asked for is what was shown.
 */
export async function submit(network: Network): Promise<void> {
  const { form, stage } = useIssuing.getState()
  const { units } = readTypedAmount(form.amount, form.currency)
  const { seconds } = lifetimeOf(form)
  if (stage.at !== 'form' || units === null || seconds === null) return
  useIssuing.setState({ stage: { at: 'asking', network: network.id } })
  let draft
  try {
    draft = await request('invoiceIssue.draft', {
      network: network.id,
      lines: [
        {
          amount: formatAmount(BigInt(units), decimalsOf[form.currency]),
          currency: form.currency,
          lifeTimeSeconds: seconds,
          description: form.description,
        },
      ],
    })
    const [total] = draft.totals
    if (draft.valid !== 1 || total?.amount !== units) {
      refuse(await whyNot(draft.id))
      return
    }
  } catch (error) {
    // Nothing was begun: a draft alone asks for nothing.
    refuse(toAppError(error))
    return
  }
  await begin(network.id, draft.id)
}

/** Asks again for the very draft of which no answer came. */
export async function askAgain(): Promise<void> {
  const { stage } = useIssuing.getState()
  if (stage.at !== 'lost') return
  useIssuing.setState({ stage: { at: 'asking', network: stage.network } })
  await begin(stage.network, stage.draft)
}

async function begin(network: NetworkId, draft: string): Promise<void> {
  try {
    const job = await request('invoiceIssue.start', { draft })
    useIssuing.setState({ stage: { at: 'job', network, job, item: null } })
    await followJob(job)
  } catch (error) {
    const known = toAppError(error)
    const isLost = known.code === bridgeCodes.disconnected || known.code === bridgeCodes.internal
    if (isLost) {
      useIssuing.setState({ stage: { at: 'lost', network, draft, why: known.message } })
      return
    }
    // It was refused, so it will never be issued: it is not to stand among the unfinished.
    request('invoiceIssue.discard', { draft }).catch(() => undefined)
    refuse(known)
  }
}

/** The main process reads amounts as well, and has the last word. */
async function whyNot(draft: string): Promise<AppError> {
  const { lines } = await request('invoiceIssue.lines', { draft, offset: 0, limit: 1 })
  request('invoiceIssue.discard', { draft }).catch(() => undefined)
  const why = lines[0]?.problem ?? 'It was not understood as it was shown.'
  return new AppError('NOT_UNDERSTOOD', why)
}

function refuse(problem: AppError): void {
  useIssuing.setState({ stage: { at: 'form', problem } })
  announce('The invoice was not created')
}

/** Reads what became of it, as often as its job tells of a change. */
export async function readItem({ id }: InvoiceJob): Promise<void> {
  const { items } = await request('invoiceJob.items', { id, offset: 0, limit: 1 })
  const [item] = items
  if (item !== undefined) takeItem(id, item)
}

export function takeItem(job: number, item: InvoiceJobItem): void {
  const { stage } = useIssuing.getState()
  if (stage.at !== 'job' || stage.job.id !== job) return
  if (item.state === 'done' && stage.item?.state !== 'done') announce('The invoice is created')
  useIssuing.setState({ stage: { ...stage, item } })
}
