import { create } from 'zustand'
import type { ErrorBody, LineStatus, LookupDraft } from '../../../../src-preload/contract/index.ts'

/** A file, or a text too long for a field: read in pieces, never as a whole. */
export type DraftFile = { readonly name: string; readonly blob: Blob }

export type Reading = { readonly done: number; readonly total: number }

export const currencies = [
  { value: 'none', label: 'None' },
  { value: 'usd', label: 'USD' },
  { value: 'eur', label: 'EUR' },
  { value: 'gbp', label: 'GBP' },
  { value: 'cny', label: 'CNY' },
  { value: 'rub', label: 'RUB' },
  { value: 'btc', label: 'BTC' },
  { value: 'eth', label: 'ETH' },
] as const
export type Currency = (typeof currencies)[number]['value']

export type DraftState = {
  readonly typed: string
  /** Stands in for what is typed while it is there. */
  readonly file: DraftFile | null
  /** How far it is understood; null when all of it is, or nothing is there. */
  readonly reading: Reading | null
  readonly draft: LookupDraft | null
  readonly problem: ErrorBody | null
  readonly name: string
  readonly currency: Currency
  /** Whose lines are listed; null for all. */
  readonly shown: LineStatus | null
}

export const emptyDraft: DraftState = {
  typed: '',
  file: null,
  reading: null,
  draft: null,
  problem: null,
  name: '',
  currency: 'none',
  shown: null,
}

export function createDraftStore() {
  return create<DraftState>(() => emptyDraft)
}
export type DraftStore = ReturnType<typeof createDraftStore>
