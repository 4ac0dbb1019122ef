import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { LookupDraft } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type AddressList, createAddressList } from './address-list.ts'
import { type Encoding, createPieceDecoder } from '../exports/text-decoder.ts'

type TakenDraft = { readonly network: NetworkId; readonly list: AddressList }

export type Drafts = {
  readonly handlers: Pick<Handlers, 'lookup.begin' | 'lookup.append' | 'lookup.draftLines'>
  /** The list as it stands, its last line ended. It stays until forgotten. @throws AppError LOOKUP_DRAFT_UNKNOWN */
  take(id: string): Promise<TakenDraft>
  /** @throws AppError LOOKUP_DRAFT_UNKNOWN when it is forgotten already */
  forget(id: string): void
}

type Draft = TakenDraft & {
  readonly id: string
  readonly decoder: ReturnType<typeof createPieceDecoder>
  /** Pieces are understood one after another, though each lets others have their turn. */
  last: Promise<void>
  isEnded: boolean
}

/** Windows that were closed leave theirs behind; the oldest go first. */
const maxDrafts = 4
const problemsShown = 100

/** Lists that are being typed or read, in memory only. */
export function createDrafts(deps: {
  /** @throws AppError NETWORK_UNKNOWN */
  readonly isTestOnly: (network: NetworkId) => boolean
}): Drafts {
  const drafts = new LimitedMap<string, Draft>(maxDrafts)

  function find(id: string): Draft {
    const draft = drafts.get(id)
    if (draft !== undefined) return draft
    throw new AppError(
      lookupCodes.draftUnknown,
      'This list is no longer held in memory. Paste or open it once more.',
    )
  }

  async function settle(draft: Draft, begin: () => Iterator<void, void>): Promise<void> {
    draft.last = draft.last.then(async () => {
      const steps = begin()
      while (steps.next().done !== true) await breathe()
    })
    await draft.last
  }

  function* understand(draft: Draft, text: string, isLast: boolean): Generator<void, void> {
    const { list } = draft
    if (!draft.isEnded && !list.isFull()) yield* list.take(text)
    if (!isLast || draft.isEnded) return
    draft.isEnded = true
    if (!list.isFull()) yield* list.take(draft.decoder.end())
    yield* list.end()
  }

  return {
    handlers: {
      'lookup.begin'({ network, replaces }) {
        const list = createAddressList(deps.isTestOnly(network))
        if (replaces !== null) drafts.delete(replaces)
        const id = randomUUID()
        const draft: Draft = {
          id,
          network,
          list,
          decoder: createPieceDecoder(),
          last: Promise.resolve(),
          isEnded: false,
        }
        drafts.set(id, draft)
        return show(draft)
      },
      async 'lookup.append'({ draft: id, piece, isLast }) {
        const draft = find(id)
        const text =
          'text' in piece ? piece.text : draft.decoder.read(Buffer.from(piece.base64, 'base64'))
        await settle(draft, () => understand(draft, text, isLast))
        return show(draft)
      },
      'lookup.draftLines'({ draft: id, status, offset, limit }) {
        const { list } = find(id)
        return { total: list.total(status), lines: list.lines(status, offset, limit) }
      },
    },
    async take(id) {
      const draft = find(id)
      await settle(draft, () => understand(draft, '', true))
      return draft
    },
    forget: (id) => void drafts.delete(find(id).id),
  }
}

function show({ id, network, list, decoder }: Draft): LookupDraft {
  return {
    id,
    network,
    counts: list.counts(),
    problems: list.problems(problemsShown),
    isFull: list.isFull(),
    remarks: [...encodingRemark(decoder.encoding()), ...list.remarks()],
  }
}

function encodingRemark(encoding: Encoding | null): string[] {
  return encoding === null || encoding === 'UTF-8' ? [] : [`The file is ${encoding}.`]
}
