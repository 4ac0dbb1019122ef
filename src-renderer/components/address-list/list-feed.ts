import { type ErrorBody, AppError } from '../../../src-preload/domain/app-error.ts'
import type { Input, Output, RouteName } from '../../../src-preload/contract/routes.ts'
import type { LookupDraft } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { toAppError } from '../../app/bridge.ts'
import { type GivenFile, type ReadPiece, readPieces } from '../files/given-file.ts'
import { type ListStore, type Reading, emptyList } from './list-state.ts'

export type ListFeedDeps = {
  readonly store: ListStore
  readonly ask: <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>
  readonly readPiece: ReadPiece
  /** Calls `work` after `ms`; returns the way to call it off. */
  readonly later: (ms: number, work: () => void) => () => void
}

/** Typing rests this long before it is understood. */
const restMs = 250
/** Longer texts are held as a file is: a field of megabytes would freeze the window. */
export const mostTyped = 200_000

type Step = { readonly draft: LookupDraft; readonly done: number }

/**
 * Hands a list to the main process, piece by piece, and keeps what it understood. Only the newest
 * text counts: what was under way for the one before stops at its next piece.
 */
export function createListFeed({ store, ask, readPiece, later }: ListFeedDeps) {
  let network: NetworkId | null = null
  let run = 0
  /** The main process forgets it when the next one begins. */
  let lastId: string | null = null
  let cancelRest: (() => void) | null = null

  async function* read(id: string): AsyncGenerator<Step> {
    const { typed, file } = store.getState()
    if (file === null) {
      const piece = { text: typed }
      const draft = await ask('lookup.append', { draft: id, piece, isLast: true })
      yield { draft, done: typed.length }
      return
    }
    const { size } = file.blob
    for await (const { base64, to } of readPieces(file, readPiece)) {
      const isLast = to === size
      const draft = await ask('lookup.append', { draft: id, piece: { base64 }, isLast })
      yield { draft, done: draft.isFull ? size : to }
      if (draft.isFull) return
    }
  }

  function totalOf(): number {
    const { typed, file } = store.getState()
    return file === null ? typed.length : file.blob.size
  }

  function isEmpty(): boolean {
    const { typed, file } = store.getState()
    return file === null && typed.trim() === ''
  }

  /** From its beginning. Resolves when all is understood, or another text has taken its place. */
  async function understand(): Promise<void> {
    cancelRest?.()
    cancelRest = null
    run += 1
    const mine = run
    if (network === null || isEmpty()) {
      store.setState({ draft: null, reading: null, problem: null })
      return
    }
    const total = totalOf()
    const isNewest = () => mine === run
    const show = (draft: LookupDraft, done: number) => {
      const reading: Reading | null = done < total ? { done, total } : null
      store.setState({ draft, reading, problem: null })
    }
    store.setState({ reading: { done: 0, total }, problem: null })
    try {
      const begun = await ask('lookup.begin', { network, replaces: lastId })
      lastId = begun.id
      if (!isNewest()) return
      for await (const { draft, done } of read(begun.id)) {
        if (!isNewest()) return
        show(draft, done)
      }
    } catch (error) {
      if (isNewest()) fail(error)
    }
  }

  function fail(error: unknown): void {
    const problem: ErrorBody = toAppError(error).toBody()
    store.setState({ problem, reading: null, draft: null })
  }

  function open(file: GivenFile): Promise<void> {
    store.setState({ file, draft: null, shown: null })
    return understand()
  }

  return {
    /** Understood once typing rests. */
    type(typed: string): void {
      if (typed.length > mostTyped) {
        store.setState({ typed: '' })
        void open({ name: 'Pasted text', blob: new Blob([typed]) })
        return
      }
      store.setState({ typed, reading: { done: 0, total: typed.length } })
      run += 1
      cancelRest?.()
      cancelRest = later(restMs, () => void understand())
    },
    open,
    /** Puts the file away; what had been typed before is there again. */
    closeFile(): void {
      store.setState({ file: null, draft: null, shown: null })
      void understand()
    },
    again: understand,
    /** Which addresses are of the wrong network depends on it. */
    useNetwork(next: NetworkId): void {
      if (next === network) return
      network = next
      store.setState({ draft: null })
      void understand()
    },
    clear(): void {
      store.setState({ typed: '', file: null, draft: null, shown: null })
      void understand()
    },
    /** Does something with what is valid in it; the draft is then used up. @throws AppError */
    async hand<T>(to: (draft: string) => Promise<T>): Promise<T> {
      // What is understood so far may be the text before: typing goes on until the last of it is.
      while (cancelRest !== null || store.getState().reading !== null) await understand()
      const { draft } = store.getState()
      if (draft === null) throw new AppError('LIST_EMPTY', 'There is no list yet.')
      const taken = await to(draft.id)
      run += 1
      lastId = null
      store.setState(emptyList)
      return taken
    },
  }
}
