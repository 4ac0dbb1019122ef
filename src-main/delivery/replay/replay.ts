import { createJobs } from '../../jobs/jobs.ts'
import { createJobRoutes } from '../../jobs/routes.ts'
import type { Comparable, ReplayJob, ReplayOrder } from '../../../src-preload/contract/replay.ts'
import { appCodes, replayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureGone } from '../../captures/store/captures.ts'
import { subpathOf } from '../../captures/hook-path.ts'
import type { ReplayOptions, ReplayRecord } from '../store/replay-jobs.ts'
import { type ComparedSide, compareSides, statusLine } from './compare.ts'
import { type ReadEdit, diffEdit, draftOf, readEdit } from './edit.ts'
import { checkReplaySubject, readReplaySubject, totalOf, warningsOf } from './preview.ts'
import { readReplayId, replayId, toSendable } from './request.ts'
import { type ReplayContext, createReplayWork } from './run.ts'
import { toReplaySending } from './sending-view.ts'

export function createReplay(context: ReplayContext) {
  const { captures, plans, sendings, jobs: stored } = context
  const resources = new AsyncDisposableStack()
  const engine = createJobs({ ...context, resources })
  const jobs = engine.add('replay', {
    noun: 'replay',
    unknownCode: replayCodes.unknown,
    table: {
      ...stored,
      // The job engine's clock is monotonic; stored times are microseconds since the epoch.
      setState: (id, { finishedAt, ...change }) =>
        stored.setState(id, { ...change, finishedAt: finishedAt === null ? null : context.unix() }),
    },
    items: {
      orphans: () => sendings.jobs().filter((id) => stored.get(id) === null),
      removeSome: (id) => sendings.removeSome(id),
    },
    work: (job, control) => createReplayWork(job, control, context),
    left: ({ total, delivered, failed }) => Math.max(0, total - delivered - failed),
    show: toReplayJob,
    onRemoved: (id) => plans.remove(id),
    beforeResume: ({ state }) => state !== 'done',
  })

  const sendable = async (id: number) => toSendable(existing(id))

  function existing(id: number) {
    const capture = captures.get(id)
    if (capture === null) throw captureGone(id)
    if (capture.change !== null) throw new AppError(appCodes.dataDamaged, capture.change)
    return capture
  }

  /** @throws AppError CAPTURE_NOT_FOUND, REPLAY_BAD_EDIT */
  async function readOrder({ subject, edit }: ReplayOrder): Promise<ReadEdit | null> {
    const id = subject.kind === 'captures' ? subject.ids[0] : undefined
    if (edit === null || id === undefined) return null
    return readEdit(edit, await sendable(id))
  }

  return {
    jobs: engine,
    stop: () => resources.disposeAsync(),
    handlers: {
      ...createJobRoutes(engine),
      async 'replay.preview'(order) {
        const edit = await readOrder(order)
        const subject = await readReplaySubject(order, context)
        checkReplaySubject(order, subject, sendings.most)
        const verdict = await context.guard.verdict(order.target)
        const warnings = warningsOf(order, subject, verdict, edit?.warnings ?? [])
        return { total: totalOf(order, subject.captures), warnings }
      },
      async 'replay.start'(order) {
        const newestId = captures.newestId()
        const edit = await readOrder(order)
        await context.guard.demand(order.target)
        const subject = await readReplaySubject(order, context)
        checkReplaySubject(order, subject, sendings.most)
        const id = stored.add({
          target: order.target,
          subject: subject.words,
          options: optionsOf(order),
          newestId,
          createdAt: context.unix(),
          total: totalOf(order, subject.captures),
          request: edit?.request ?? null,
        })
        if (order.subject.kind === 'captures') {
          plans.add(id, captures.existing([...new Set(order.subject.ids)]))
        }
        const started = await jobs.begin(id)
        for (const old of stored.surplus()) await jobs.remove(old)
        return started
      },
      'replay.sendings'({ id, onlyFailed, after, limit }) {
        const job = jobs.find(id)
        const page = sendings.list(id, { onlyFailed, after, limit })
        const shown = page.sendings.map((sending) => toReplaySending(sending, job))
        return { sendings: shown, nextAfter: page.nextAfter }
      },
      'replay.draft': async ({ id, reveal }) => draftOf(await sendable(id), reveal),
      'replay.diff': async ({ id, edit }) => diffEdit(edit, await sendable(id)),
      'replay.compare': createComparison(context, existing),
      // All routes except `replay.ofCapture` need the send thread.
    } satisfies Omit<
      Pick<Handlers, Extract<keyof Handlers, `replay.${string}`>>,
      'replay.ofCapture'
    >,
  }
}

function toReplayJob({
  options,
  newestId,
  cursor,
  begun,
  planned,
  ...job
}: ReplayRecord & Pick<ReplayJob, 'rate' | 'secondsLeft'>): ReplayJob {
  const { isEdited: edited, remarks, total, ...shown } = job
  const sent = job.delivered + job.failed
  return {
    ...shown,
    total: Math.max(total, sent),
    sent,
    edited,
    order: options.order,
    remarks: [...remarks],
  }
}

type SentRequest = NonNullable<ReturnType<ReplayContext['captures']['get']>>

function createComparison(
  { sendings, forwardAnswer }: Pick<ReplayContext, 'sendings' | 'forwardAnswer'>,
  existing: (capture: number) => SentRequest,
): Handlers['replay.compare'] {
  function sideOf(requested: Comparable): ComparedSide {
    switch (requested.kind) {
      case 'capture':
        return captureSide(requested.id)
      case 'replay':
        return replaySide(requested.replayId)
      case 'forward': {
        const side = forwardAnswer(requested.deliveryId)
        if (side !== null) return side
        throw unknown('There is no response to this delivery yet, or it is no longer stored.')
      }
    }
  }

  function captureSide(id: number): ComparedSide {
    const { receivedAt, method, target, headers, body } = existing(id)
    const subpath = subpathOf(target)
    return {
      kind: 'request',
      title: `Capture ${id}`,
      at: receivedAt,
      firstLine: `${method} ${subpath === '' ? '/' : subpath}`,
      headers,
      body,
      bodyBytes: body.byteLength,
    }
  }

  function replaySide(text: string): ComparedSide {
    const id = readReplayId(text)
    const sending = id === null ? null : sendings.get(id.job, id.index)
    if (sending === null) {
      throw unknown('This replay no longer exists, or its response is no longer stored.')
    }
    const { job, index, capture, at, answer } = sending
    return {
      kind: 'answer',
      title: `Response to replay ${replayId(job, index)} of capture ${capture}`,
      at,
      firstLine: statusLine(answer.status, answer.problem),
      headers: answer.headers,
      body: answer.body,
      bodyBytes: answer.bodyBytes,
    }
  }

  return async ({ left, right }) => {
    const [one, other] = [sideOf(left), sideOf(right)]
    if (one.kind !== other.kind) {
      throw new AppError(
        replayCodes.unlike,
        'A request cannot be compared with a response. Choose two captures or two responses.',
      )
    }
    const compared = await compareSides(one, other)
    return { left: sideView(one), right: sideView(other), ...compared }
  }
}

const unknown = (message: string) => new AppError(replayCodes.unknown, message)

const sideView = ({ title, at, bodyBytes }: ComparedSide) => ({ title, at, bodyBytes })

const optionsOf = ({ subject, target, edit, ...options }: ReplayOrder): ReplayOptions => ({
  ...options,
  source: subject.kind === 'captures' ? { kind: 'captures' } : subject,
})
