import { create } from 'zustand'
import type { ReplaySending } from '../../../../src-preload/contract/replay.ts'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import { request, toAppError } from '../../../app/bridge.ts'

type Sendings =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | {
      readonly status: 'ready'
      readonly rows: readonly ReplaySending[]
      readonly nextAfter: number | null
      readonly isLoading: boolean
    }

const pageSize = 100

export type SendingList = ReturnType<typeof createSendingList>

/** What a replay sent, in its order, page by page. */
export function createSendingList(id: number, onlyFailed: boolean) {
  const store = create<Sendings>(() => ({ status: 'loading' }))
  let isAsking = false

  /** What follows the rows that are there: the next page, or what was sent meanwhile. */
  async function loadMore(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const now = store.getState()
    const held = now.status === 'ready' ? now.rows : []
    if (now.status === 'ready') store.setState({ ...now, isLoading: true }, true)
    try {
      const after = held.at(-1)?.index ?? -1
      const page = await request('replay.sendings', { id, onlyFailed, after, limit: pageSize })
      const rows = [...held, ...page.sendings]
      store.setState({ status: 'ready', rows, nextAfter: page.nextAfter, isLoading: false }, true)
    } catch (error) {
      if (now.status === 'ready') store.setState(now, true)
      else store.setState({ status: 'failed', error: toAppError(error) }, true)
      if (now.status === 'ready') throw error
    } finally {
      isAsking = false
    }
  }

  /** While it runs, a page that is not full yet fills up by itself. */
  function follow(): void {
    const now = store.getState()
    const isFull = now.status === 'ready' && now.nextAfter !== null
    if (!isFull) void loadMore().catch(() => undefined)
  }

  return { store, loadMore, follow }
}
