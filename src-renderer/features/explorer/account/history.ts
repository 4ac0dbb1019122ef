import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { HistoryFilter, HistoryPage } from '../../../../src-preload/contract/chain.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { type HistoryPages, firstPage, showWaiting, withNewer, withOlder } from './history-pages.ts'

export type HistoryState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | {
      readonly status: 'ready'
      readonly pages: HistoryPages
      /** Why the next older page could not be had. */
      readonly olderProblem: AppError | null
      /** Why newer ones could not be asked for. */
      readonly newerProblem: AppError | null
    }

type HistoryQuestion = {
  readonly network: NetworkId
  readonly address: string
  readonly filter: HistoryFilter
}

type Ask = (place: {
  before?: string | undefined
  after?: string | undefined
}) => Promise<HistoryPage>

export type History = {
  readonly store: UseBoundStore<StoreApi<HistoryState>>
  readonly question: HistoryQuestion
  load(): Promise<void>
  loadOlder(): Promise<void>
  /** Asks for newer ones; `show` puts them into the list at once. */
  poll(show: () => boolean): Promise<void>
  showNew(): void
}

/** Newer pages asked for in a row: more than that waits for the next time. */
const mostNewerPages = 5

/** One account's history under one filter. Each kind of question is asked one at a time. */
export function createHistory(question: HistoryQuestion, ask: Ask = asker(question)): History {
  const store = create<HistoryState>(() => ({ status: 'loading' }))
  const busy = { load: false, older: false, newer: false }

  function change(by: (pages: HistoryPages) => HistoryPages): void {
    const state = store.getState()
    if (state.status === 'ready') store.setState({ ...state, pages: by(state.pages) }, true)
  }

  function note(problem: { olderProblem: AppError | null } | { newerProblem: AppError | null }) {
    const state = store.getState()
    if (state.status === 'ready') store.setState({ ...state, ...problem }, true)
  }

  /** True when there may be still newer ones. */
  async function pollOnce(show: () => boolean): Promise<boolean> {
    const state = store.getState()
    if (state.status !== 'ready') return false
    const { newer } = state.pages
    if (newer === null) {
      // Nothing was there before: whatever there is now is the whole of it.
      const page = await ask({})
      change((pages) => (pages.rows.length === 0 ? firstPage(page) : pages))
      return false
    }
    const page = await ask({ after: newer })
    change((pages) => withNewer(pages, page, show()))
    return page.rows.length > 0 && page.newer !== null && page.newer !== newer
  }

  return {
    store,
    question,
    async load() {
      if (busy.load) return
      busy.load = true
      store.setState({ status: 'loading' }, true)
      try {
        const pages = firstPage(await ask({}))
        store.setState({ status: 'ready', pages, olderProblem: null, newerProblem: null }, true)
      } catch (error) {
        store.setState({ status: 'failed', error: toAppError(error) }, true)
      }
      busy.load = false
    },
    async loadOlder() {
      const state = store.getState()
      if (busy.older || state.status !== 'ready' || state.pages.older === null) return
      const before = state.pages.older
      busy.older = true
      try {
        const page = await ask({ before })
        // Loaded anew meanwhile, the list ends elsewhere: this page would leave a gap.
        change((pages) => (pages.older === before ? withOlder(pages, page) : pages))
        note({ olderProblem: null })
      } catch (error) {
        note({ olderProblem: toAppError(error) })
      }
      busy.older = false
    },
    async poll(show) {
      if (busy.newer) return
      busy.newer = true
      try {
        for (let page = 0; page < mostNewerPages; page += 1) if (!(await pollOnce(show))) break
        note({ newerProblem: null })
      } catch (error) {
        note({ newerProblem: toAppError(error) })
      }
      busy.newer = false
    },
    showNew: () => change(showWaiting),
  }
}

function asker(question: HistoryQuestion): Ask {
  return ({ before, after }) =>
    request('account.history', { ...question, before: before ?? null, after: after ?? null })
}
