import { create } from 'zustand'
import type { ErrorBody } from '../../../src-preload/domain/app-error.ts'
import type { LineStatus, LookupDraft } from '../../../src-preload/contract/lookup.ts'
import type { GivenFile } from '../files/given-file.ts'

export type Reading = { readonly done: number; readonly total: number }

type AddressListState = {
  readonly typed: string
  /** Stands in for what is typed while it is there. */
  readonly file: GivenFile | null
  /** How far it is understood; null when all of it is, or nothing is there. */
  readonly reading: Reading | null
  readonly draft: LookupDraft | null
  readonly problem: ErrorBody | null
  /** Whose lines are listed; null for all. */
  readonly shown: LineStatus | null
}

export const emptyList: AddressListState = {
  typed: '',
  file: null,
  reading: null,
  draft: null,
  problem: null,
  shown: null,
}

export function createListStore() {
  return create<AddressListState>(() => emptyList)
}
export type ListStore = ReturnType<typeof createListStore>
