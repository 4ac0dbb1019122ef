/** Invoices read from a file: drafts of the main process, until they are issued. */
import { create } from 'zustand'
import type { IssueDraft } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Currency } from '../../../../src-preload/domain/amount.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { attempt, request, patch } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { readText } from '../../../components/files/read-file.ts'
import { confirm } from '../../../ui/dialog.tsx'
import { formatCount } from '../../../ui/format.ts'
import { type TypedLifetime, defaultLifetime, lifetimeOf, typedLifetime } from './typed-invoice.ts'

/** For lines without a value of their own. */
type Defaults = {
  readonly currency: Currency
  /** The meaning of `1,234`. */
  readonly comma: 'ask' | 'fraction' | 'thousands'
} & TypedLifetime

export const useDefaults = create<Defaults>(() => ({
  currency: 'TON',
  comma: 'ask',
  ...typedLifetime,
}))

export type Source = { readonly name: string; readonly text: string }

/** The sources of this session's drafts, and the defaults by which they were read. */
const sources = new Map<string, { readonly source: Source; readonly defaults: string }>()

/** Null for a draft of an earlier session, whose source is not stored. */
export function sourceOf(draft: string): Source | null {
  return sources.get(draft)?.source ?? null
}

/** Whether its lines mean something else by the current defaults, where these are valid. */
export function isOutdated(draft: string, defaults: Defaults): boolean {
  const known = sources.get(draft)
  const { seconds } = lifetimeOf(defaults)
  return known !== undefined && seconds !== null && known.defaults !== keyOf(defaults)
}

function keyOf(defaults: Defaults): string {
  return `${defaults.currency} ${defaults.comma} ${lifetimeOf(defaults).seconds ?? ''}`
}

/** The limit of the main process. */
const maxCharacters = 2_000_000

/** @throws AppError if the file is not text or too large */
export async function readSource(file: File): Promise<Source> {
  const text = await readText(file, maxCharacters)
  if (text === null) {
    throw new AppError(
      'FILE_TOO_LARGE',
      `“${file.name}” is too large: the limit is 2 million characters. Split the file, or remove columns.`,
    )
  }
  if (text.includes('\u0000')) {
    throw new AppError(
      'FILE_NO_TEXT',
      `“${file.name}” is not a text file. Save the table as CSV and open that file.`,
    )
  }
  return { name: file.name, text }
}

/**
 * Reads lines into a draft and shows it.
 * @param replaced the draft that it replaces
 * @throws AppError
 */
export async function makeDraft(
  network: NetworkId,
  source: Source,
  replaced: string | null = null,
): Promise<void> {
  const defaults = useDefaults.getState()
  const draft = await request('invoiceIssue.draftFile', {
    network,
    text: source.text,
    currency: defaults.currency,
    lifeTimeSeconds: lifetimeOf(defaults).seconds ?? defaultLifetime,
    comma: defaults.comma,
  })
  sources.set(draft.id, { source, defaults: keyOf(defaults) })
  patch('invoiceIssue.drafts', { network }, (known) => [draft, ...known])
  navigate(
    { ...invoicesHome, network, view: 'issue', draft: draft.id },
    { replace: replaced !== null },
  )
  if (replaced === null) return
  forgetDraft(network, replaced)
  await request('invoiceIssue.discard', { draft: replaced }).catch(() => undefined)
}

/** It was issued or discarded. */
export function forgetDraft(network: NetworkId, draft: string): void {
  sources.delete(draft)
  patch('invoiceIssue.drafts', { network }, (known) => known.filter(({ id }) => id !== draft))
}

/** Asks first. Resolves to whether it was discarded. */
export async function discardDraft({ id, network, lines }: IssueDraft): Promise<boolean> {
  const yes = await confirm({
    title: `Discard this draft of ${formatCount(lines, 'line')}?`,
    detail: 'No invoice was requested from the gateway.',
    action: 'Discard',
    destructive: true,
  })
  if (!yes) return false
  const done = await attempt('Could not discard the draft', () =>
    request('invoiceIssue.discard', { draft: id }),
  )
  if (done === undefined) return false
  forgetDraft(network, id)
  return true
}

/** The columns go by their header; a line may leave out values that have a default. */
export const template = [
  'amount,currency,description,lifetime',
  '12.5,TON,order-4711,24 h',
  '4.20,USDT,"order-4712, two of it",7 d',
  '1284.75,,order-4713,',
  '',
].join('\r\n')
