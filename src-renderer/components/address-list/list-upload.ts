import { create } from 'zustand'
import { type ErrorBody, AppError } from '../../../src-preload/domain/app-error.ts'
import type { Input, Output, RouteName } from '../../../src-preload/contract/routes.ts'
import type { LineStatus, LookupDraft } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { toAppError } from '../../app/bridge.ts'
import type { InputFile } from '../../app/input-file.ts'
import { type ReadPiece, readPieces } from '../files/read-file.ts'

type Reading = { readonly done: number; readonly total: number }

type AddressListState = {
  readonly typed: string
  /** A file replaces the entered text. */
  readonly file: InputFile | null
  /** The progress of parsing the list; null if it is parsed or empty. */
  readonly reading: Reading | null
  readonly draft: LookupDraft | null
  readonly problem: ErrorBody | null
  /** The status of the displayed lines; null for all lines. */
  readonly shown: LineStatus | null
}

const emptyList: AddressListState = {
  typed: '',
  file: null,
  reading: null,
  draft: null,
  problem: null,
  shown: null,
}

export const createListStore = () => create<AddressListState>(() => emptyList)
type ListStore = ReturnType<typeof createListStore>

export type ListUploadDeps = {
  readonly store: ListStore
  readonly ask: <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>
  readonly readPiece: ReadPiece
  /** Calls `work` after `ms`; returns a function that cancels it. */
  readonly later: (ms: number, work: () => void) => () => void
}

/** The entered text is parsed after a pause of this length. */
const restMs = 250
/** A longer text is treated as a file, because a field with megabytes of text would freeze the window. */
export const maxTyped = 200_000

/** Sends the entered text or the file, and yields the progress after each piece. */
async function* sendPieces({ store, ask, readPiece }: ListUploadDeps, draft: string) {
  const { typed, file } = store.getState()
  if (file === null) {
    const parsed = await ask('lookup.append', { draft, piece: { text: typed }, isLast: true })
    yield { draft: parsed, done: typed.length }
    return
  }
  const { size } = file.blob
  for await (const { base64, to } of readPieces(file, readPiece)) {
    const parsed = await ask('lookup.append', { draft, piece: { base64 }, isLast: to === size })
    yield { draft: parsed, done: parsed.isFull ? size : to }
    if (parsed.isFull) return
  }
}

/**
 * Sends a list to the main process in pieces and stores the result. Only the newest text counts:
 * processing an earlier one stops at its next piece.
 */
export function createListUpload(deps: ListUploadDeps) {
  const { store, ask, later } = deps
  let network: NetworkId | null = null
  let run = 0
  /** The main process discards this draft when the next one begins. */
  let lastId: string | null = null
  let cancelRest: (() => void) | null = null

  /**
   * Parses the list from its beginning. Resolves when everything is parsed, or when another text
   * has replaced it.
   */
  async function parse(): Promise<void> {
    cancelRest?.()
    cancelRest = null
    run += 1
    const mine = run
    const { typed, file } = store.getState()
    if (network === null || (file === null && typed.trim() === '')) {
      store.setState({ draft: null, reading: null, problem: null })
      return
    }
    const total = file === null ? typed.length : file.blob.size
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
      for await (const { draft, done } of sendPieces(deps, begun.id)) {
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

  function open(file: InputFile): Promise<void> {
    store.setState({ file, draft: null, shown: null })
    return parse()
  }

  return {
    /** Call this when the user types; the text is parsed after a pause. */
    type(typed: string): void {
      if (typed.length > maxTyped) {
        store.setState({ typed: '' })
        void open({ name: 'Pasted text', blob: new Blob([typed]) })
        return
      }
      store.setState({ typed, reading: { done: 0, total: typed.length } })
      run += 1
      cancelRest?.()
      cancelRest = later(restMs, () => void parse())
    },
    open,
    openFile: (file: InputFile) => void open(file),
    /** Removes the file, so that the previously entered text is used again. */
    closeFile(): void {
      store.setState({ file: null, draft: null, shown: null })
      void parse()
    },
    again: parse,
    /** The network determines which addresses belong to another one. */
    useNetwork(next: NetworkId): void {
      if (next === network) return
      network = next
      store.setState({ draft: null })
      void parse()
    },
    clear(): void {
      store.setState({ typed: '', file: null, draft: null, shown: null })
      void parse()
    },
    /** Passes the valid addresses on as a draft, which can be used only once. @throws AppError */
    async hand<T>(to: (draft: string) => Promise<T>): Promise<T> {
      // The present result may belong to an earlier text.
      while (cancelRest !== null || store.getState().reading !== null) await parse()
      const { draft } = store.getState()
      if (draft === null) throw new AppError('LIST_EMPTY', 'Enter a list of addresses first.')
      const taken = await to(draft.id)
      run += 1
      lastId = null
      store.setState(emptyList)
      return taken
    },
  }
}
