import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { LookupJob, LookupDraft } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { JobRecord, LookupJobs, NewJob } from './store/lookup-jobs.ts'
import { type LookupRunDeps, createLookupWork } from './lookup-run.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { type AddressList, createAddressList } from './address-list.ts'
import { type Encoding, createPieceDecoder } from '../exports/text-decoder.ts'

export type JobsDeps = LookupRunDeps & {
  readonly jobs: Jobs
  readonly stored: LookupJobs
  readonly drafts: Drafts
  readonly now: () => number
  /** The gateway accepts no requests until this moment (Unix ms); null when it does. */
  readonly pausedUntil: (network: NetworkId) => number | null
  readonly onChanged: (jobs: readonly LookupJob[]) => void
  readonly onRemoved: (id: number) => void
}

const linesPerStep = 2000

export function createRunningJobs(deps: JobsDeps) {
  const { stored, lines, drafts } = deps
  const jobs = deps.jobs.add({
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table: stored,
    items: lines,
    work: (job, control) => createLookupWork(job, control, deps),
    left: ({ counts, answered, failed }) => counts.valid - answered - failed,
    show(job, work): LookupJob {
      if (work === null) return job
      return { ...job, chunk: work.chunk(), problem: job.problem ?? describePause(job.network) }
    },
    onChanged: deps.onChanged,
    onRemoved: deps.onRemoved,
    beforeResume({ id, state, failed }) {
      if (state === 'done' || state === 'failed') lines.retry(id)
      return state !== 'done' || failed > 0
    },
    cancelGraceMs: 0,
  })

  function describePause(network: NetworkId): string | null {
    const seconds = Math.ceil(((deps.pausedUntil(network) ?? 0) - deps.now()) / 1000)
    if (seconds <= 0) return null
    return `The gateway was asked too often and wants a pause. The job goes on by itself in ${seconds} s.`
  }

  /** @param write writes the lines of a range of indexes */
  function begin(job: NewJob, write: (id: number, from: number, to: number) => void) {
    const { valid, duplicate, wrongNetwork, invalid } = job.counts
    const total = valid + duplicate + wrongNetwork + invalid
    const id = stored.add(job)
    function* writing(): Generator<void, void> {
      for (let from = 0; from < total; from += linesPerStep) {
        write(id, from, from + linesPerStep)
        yield
      }
      stored.finish(id)
    }
    return jobs.begin(id, writing())
  }

  return {
    find: (id: number): JobRecord => jobs.find(id),
    handlers: {
      ...jobs.routes('lookup', 'list', 'get', 'pause', 'resume', 'cancel', 'remove'),
      async 'lookup.start'({ draft, name, currency }) {
        const { network, list } = await drafts.take(draft)
        const counts = list.counts()
        const columns = list.columns()
        if (counts.valid === 0) {
          throw new AppError(
            lookupCodes.nothingValid,
            'There is no address to look up: none of the lines holds one that is valid.',
          )
        }
        // A second start of the same list fails here, so that one list is one job.
        drafts.forget(draft)
        const createdAt = deps.now()
        return begin(
          { network, name, createdAt, counts, currency, columns, comparedTo: null },
          (id, from) => lines.add(id, list.lines(null, from, linesPerStep)),
        )
      },
      'lookup.rerun'({ id: comparedTo }) {
        const { network, name, counts, currency, columns } = jobs.find(comparedTo)
        const createdAt = deps.now()
        return begin(
          { network, name, createdAt, counts, currency, columns, comparedTo },
          (id, from, to) => lines.copy(id, comparedTo, from, to),
        )
      },
    } satisfies Partial<Handlers>,
  }
}

type TakenDraft = { readonly network: NetworkId; readonly list: AddressList }

type Drafts = {
  readonly handlers: Pick<Handlers, 'lookup.begin' | 'lookup.append' | 'lookup.draftLines'>
  /**
   * The complete list, kept until forgotten.
   * @throws AppError LOOKUP_DRAFT_UNKNOWN
   */
  take(id: string): Promise<TakenDraft>
  /** @throws AppError LOOKUP_DRAFT_UNKNOWN */
  forget(id: string): void
}

type Draft = TakenDraft & {
  readonly id: string
  readonly decoder: ReturnType<typeof createPieceDecoder>
  /** Pieces are parsed in order, although each yields to the event loop. */
  last: Promise<void>
  isEnded: boolean
}

/** Closed windows leave their drafts behind; the oldest are dropped first. */
const maxDrafts = 4
const problemsShown = 100

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
