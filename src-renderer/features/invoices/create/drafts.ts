/** Many invoices that are being put together: kept by the main process until they are issued. */
import { create } from 'zustand'
import type { IssueDraft } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { Currency } from '../../../../src-preload/domain/amount.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { type Resource, createResource, valueOf } from '../../../app/resource.ts'
import { navigate } from '../../../app/route.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { readText } from '../../../components/files/read-text.ts'
import { lifetimeOf } from './issuing.ts'
import { usualSeconds } from './lifetime.ts'
import type { TypedLifetime } from './lifetime-field.tsx'

const lists = new Map<NetworkId, Resource<IssueDraft[]>>()

/** Those that were not issued, newest first. */
export function issueDraftsOf(network: NetworkId): Resource<IssueDraft[]> {
  const list =
    lists.get(network) ?? createResource(() => request('invoiceIssue.drafts', { network }))
  lists.set(network, list)
  return list
}

/** For lines of a file that have none of their own. */
export type Defaults = {
  readonly currency: Currency
  /** What `1,234` is. */
  readonly comma: 'ask' | 'fraction' | 'thousands'
} & TypedLifetime

export const useDefaults = create<Defaults>(() => ({
  currency: 'TON',
  comma: 'ask',
  preset: usualSeconds,
  life: '3',
  lifeUnit: 'd',
}))

export type Given = { readonly name: string; readonly text: string }

/** What drafts of this session were read from, and by which defaults. */
const given = new Map<string, { readonly source: Given; readonly by: string }>()

/** Null for a draft of an earlier session: what it was read from is not kept. */
export function givenOf(draft: string): Given | null {
  return given.get(draft)?.source ?? null
}

/** Its lines mean something else by the defaults of now; false while those are not to be read. */
export function isOutdated(draft: string, defaults: Defaults): boolean {
  const known = given.get(draft)
  const { seconds } = lifetimeOf(defaults)
  return known !== undefined && seconds !== null && known.by !== keyOf(defaults)
}

function keyOf(defaults: Defaults): string {
  return `${defaults.currency} ${defaults.comma} ${lifetimeOf(defaults).seconds ?? ''}`
}

/** As much as the main process takes. */
const mostCharacters = 2_000_000

/** @throws AppError when it is no text, or too much of it */
export async function readGiven(file: File): Promise<Given> {
  const text = await readText(file, mostCharacters)
  if (text === null) {
    throw new AppError(
      'FILE_TOO_LARGE',
      `“${file.name}” is too large: a thousand invoices need far less. Split it, or leave out columns.`,
    )
  }
  if (text.includes('\u0000')) {
    throw new AppError(
      'FILE_NO_TEXT',
      `“${file.name}” is no text. Save the table as CSV, and give that.`,
    )
  }
  return { name: file.name, text }
}

/**
 * Reads lines into a draft and shows it; `instead` is one that it takes the place of.
 * @throws AppError
 */
export async function makeDraft(
  network: NetworkId,
  source: Given,
  instead: string | null = null,
): Promise<void> {
  const defaults = useDefaults.getState()
  const draft = await request('invoiceIssue.draftFile', {
    network,
    text: source.text,
    currency: defaults.currency,
    lifeTimeSeconds: lifetimeOf(defaults).seconds ?? usualSeconds,
    comma: defaults.comma,
  })
  given.set(draft.id, { source, by: keyOf(defaults) })
  const list = issueDraftsOf(network)
  await list.reload()
  // The list may be a moment behind; the page would say that there is no such draft.
  const known = valueOf(list.store.getState()) ?? []
  if (!known.some(({ id }) => id === draft.id)) list.set([draft, ...known])
  navigate(
    { ...invoicesHome, network, view: 'issue', draft: draft.id },
    { replace: instead !== null },
  )
  if (instead !== null) await drop(network, instead)
}

/** Leaves it for good, if the person means it. Nothing of it is at the gateway. */
export async function discardDraft({ id, network, lines }: IssueDraft): Promise<boolean> {
  const yes = await confirm({
    title: `Discard this draft of ${formatCount(lines, 'line')}?`,
    detail: 'Nothing of it was asked for at the gateway.',
    action: 'Discard',
    destructive: true,
  })
  if (!yes) return false
  const done = await attempt('Could not discard it', () =>
    request('invoiceIssue.discard', { draft: id }),
  )
  if (done === undefined) return false
  given.delete(id)
  await issueDraftsOf(network).reload()
  return true
}

async function drop(network: NetworkId, id: string): Promise<void> {
  given.delete(id)
  await request('invoiceIssue.discard', { draft: id }).catch(() => undefined)
  await issueDraftsOf(network).reload()
}

/** The columns by their header, in any order; a line may leave out what has a default. */
export const template = [
  'amount,currency,description,lifetime',
  '12.5,TON,order-4711,24 h',
  '4.20,USDT,"order-4712, two of it",7 d',
  '1284.75,,order-4713,',
  '',
].join('\r\n')
