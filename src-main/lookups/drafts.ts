import { randomUUID } from 'node:crypto'
import type { LookupDraft } from '../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { createPieceDecoder } from '../exports/text-decoder.ts'
import { runInSteps } from '../jobs/job-run.ts'
import { createAddressList } from './address-list.ts'

/** Closed windows leave their drafts behind; the oldest are dropped first. */
const maxDrafts = 4
const problemsShown = 100

type Draft = ReturnType<typeof createDraft>

function createDraft(network: NetworkId, isTestOnly: boolean) {
  return {
    id: randomUUID(),
    network,
    list: createAddressList(isTestOnly),
    decoder: createPieceDecoder(),
    /** Pieces are parsed in order, although each yields to the event loop. */
    inOrder: createMutex(),
    isEnded: false,
  }
}

/** @param isTestOnly throws AppError NETWORK_UNKNOWN */
export function createDrafts(isTestOnly: (network: NetworkId) => boolean) {
  const drafts = new LimitedMap<string, Draft>(maxDrafts)

  function find(id: string): Draft {
    const draft = drafts.get(id)
    if (draft !== undefined) return draft
    throw new AppError(
      lookupCodes.draftUnknown,
      'The list is no longer in memory. Paste or open it again.',
    )
  }

  async function append(draft: Draft, text: string, isLast: boolean): Promise<Draft> {
    await draft.inOrder.run(() => runInSteps(parse(draft, text, isLast)))
    return draft
  }

  return {
    handlers: {
      'lookup.begin'({ network, replaces }) {
        const draft = createDraft(network, isTestOnly(network))
        if (replaces !== null) drafts.delete(replaces)
        drafts.set(draft.id, draft)
        return show(draft)
      },
      async 'lookup.append'({ draft: id, piece, isLast }) {
        const draft = find(id)
        const text =
          'text' in piece ? piece.text : draft.decoder.read(Buffer.from(piece.base64, 'base64'))
        return show(await append(draft, text, isLast))
      },
      'lookup.draftLines'({ draft: id, status, offset, limit }) {
        const { list } = find(id)
        return { total: list.total(status), lines: list.lines(status, offset, limit) }
      },
    } satisfies Partial<Handlers>,
    /**
     * The complete list, kept until forgotten.
     * @throws AppError LOOKUP_DRAFT_UNKNOWN
     */
    take: async (id: string) => append(find(id), '', true),
    /** @throws AppError LOOKUP_DRAFT_UNKNOWN */
    forget: (id: string) => void drafts.delete(find(id).id),
  }
}

function* parse(draft: Draft, text: string, isLast: boolean): Generator<void, void> {
  const { list } = draft
  if (!draft.isEnded && !list.isFull()) yield* list.take(text)
  if (!isLast || draft.isEnded) return
  draft.isEnded = true
  if (!list.isFull()) yield* list.take(draft.decoder.end())
  yield* list.end()
}

function show({ id, network, list, decoder }: Draft): LookupDraft {
  const encoding = decoder.encoding()
  const isUtf8 = encoding === null || encoding === 'UTF-8'
  return {
    id,
    network,
    counts: list.counts(),
    problems: list.problems(problemsShown),
    isFull: list.isFull(),
    remarks: [...(isUtf8 ? [] : [`The file encoding is ${encoding}.`]), ...list.remarks()],
  }
}
