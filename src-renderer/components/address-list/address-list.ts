import type { LineStatus, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { createLiveList } from '../../ui/live-list.ts'
import { readBase64 } from '../files/read-file.ts'
import { createListUpload, createListStore } from './list-upload.ts'

/** `firstDraft` differs between lists. */
type Question = { readonly status: LineStatus | null; readonly firstDraft: string }

/** Manages a list of addresses that the user enters, and the result for each line. */
export function createAddressList() {
  const store = createListStore()
  const feed = createListUpload({
    store,
    ask: request as never,
    readPiece: readBase64,
    later: (ms, work) => {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  })
  const lines = createLiveList({
    // Each pause in typing creates a new draft, in which the displayed lines stay in place.
    load: async ({ status }: Question, offset, limit) => {
      const draft = store.getState().draft?.id
      if (draft === undefined) return { total: 0, rows: [], extra: null }
      try {
        const page = await request('lookup.draftLines', { draft, status, offset, limit })
        return { total: page.total, rows: page.lines, extra: null }
      } catch (error) {
        // The failed draft is ignored if another one has replaced it.
        if (store.getState().draft?.id === draft) {
          store.setState({ problem: toAppError(error).toBody() })
        }
        throw error
      }
    },
    idOf: ({ line }: LookupLine) => line,
  })
  return { store, feed, lines }
}
export type AddressList = ReturnType<typeof createAddressList>
