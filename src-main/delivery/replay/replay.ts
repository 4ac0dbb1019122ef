/** Captures sent again: drafts of edits, jobs, what was answered, and comparing. */
import type { Comparable, ReplayOrder, ReplayEdit } from '../../../src-preload/contract/replay.ts'
import { replayCodes, captureCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers, Output } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { type ComparedSide, compareSides, statusLine, compareExactly } from './compare.ts'
import { type ReadEdit, draftOf, readEdit } from './edit.ts'
import { type ReplayJobsDeps, createRunningReplays } from './jobs.ts'
import { readReplayId, replayId } from './request.ts'
import { type Sendable, toSendable } from './sendable.ts'
import { toReplaySending } from './sending-view.ts'
import { maskHeader, maskTarget } from '../../captures/mask.ts'

export type ReplayDeps = Omit<ReplayJobsDeps, 'readEdit'> & {
  /** The newest try of a forwarded delivery; null where there is none. */
  readonly forwardAnswer: (deliveryId: string) => ComparedSide | null
}

type ReplayHandlers = Omit<
  Pick<Handlers, Extract<keyof Handlers, `replay.${string}`>>,
  'replay.ofCapture'
>

export type Replay = {
  /** But for `replay.ofCapture`, which is read by key wherever it is asked. */
  readonly handlers: ReplayHandlers
  /** Goes on with the jobs that ran when the app ended. */
  resumeAll(): void
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

export function createReplay(deps: ReplayDeps): Replay {
  const { captures, sendings, subpathOf } = deps

  async function sendable(id: number): Promise<Sendable> {
    return toSendable(existing(id), subpathOf)
  }

  function existing(id: number) {
    const capture = captures.get(id)
    if (capture !== null) return capture
    throw new AppError(
      captureCodes.notFound,
      `Capture ${id} is not there any more: it was deleted, or it was older than the retention allows.`,
    )
  }

  async function readOrder({ subject, edit }: ReplayOrder): Promise<ReadEdit | null> {
    const id = subject.kind === 'captures' ? subject.ids[0] : undefined
    if (edit === null || id === undefined) return null
    return readEdit(edit, await sendable(id))
  }

  const jobs = createRunningReplays({ ...deps, readEdit: readOrder })

  function sideOf(asked: Comparable): ComparedSide {
    switch (asked.kind) {
      case 'capture':
        return captureSide(asked.id)
      case 'replay':
        return replaySide(asked.replayId)
      case 'forward': {
        const side = deps.forwardAnswer(asked.deliveryId)
        if (side !== null) return side
        throw new AppError(
          replayCodes.unknown,
          'There is no answer to that delivery yet, or it is not kept any more.',
        )
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
      throw new AppError(
        replayCodes.unknown,
        'There is no such replay, or its answer is not kept any more.',
      )
    }
    const { job, index, capture, at, answer } = sending
    return {
      kind: 'answer',
      title: `Replay ${replayId(job, index)} of capture ${capture}`,
      at,
      firstLine: statusLine(answer.status, answer.problem),
      headers: answer.headers,
      body: answer.body,
      bodyBytes: answer.bodyBytes,
    }
  }

  return {
    resumeAll: () => jobs.resumeAll(),
    stop: () => jobs.stop(),
    handlers: {
      ...jobs.handlers,
      'replay.sendings'({ id, onlyFailed, after, limit }) {
        const job = jobs.find(id)
        const page = sendings.list(id, { onlyFailed, after, limit })
        const shown = page.sendings.map((sending) => toReplaySending(sending, job))
        return { sendings: shown, nextAfter: page.nextAfter }
      },
      'replay.draft': async ({ id, reveal }) => draftOf(await sendable(id), reveal),
      'replay.diff': async ({ id, edit }) => diffEdit(edit, await sendable(id)),
      async 'replay.compare'({ left, right }) {
        const [one, other] = [sideOf(left), sideOf(right)]
        if (one.kind !== other.kind) {
          throw new AppError(
            replayCodes.unlike,
            'A request cannot be compared with an answer: choose two captures, or two answers.',
          )
        }
        const compared = await compareSides(one, other)
        return { left: sideView(one), right: sideView(other), ...compared }
      },
    },
  }
}

function sideView({ title, at, bodyBytes }: ComparedSide) {
  return { title, at, bodyBytes }
}

/**
 * An edit against the capture, without what is made anew for each connection. What was left of the
 * capture's secrets is masked on both sides; what a person has typed is shown as typed.
 * @throws AppError REPLAY_BAD_EDIT
 */
export function diffEdit(edit: ReplayEdit, capture: Sendable): Output<'replay.diff'> {
  const { request, body } = readEdit(edit, capture)
  const known = new Map(
    capture.headers.map(([name, value]) => [value, maskHeader([name, value])[1]]),
  )
  const line = (method: string, subpath: string) => `${method} ${subpath === '' ? '/' : subpath}`
  const isSamePath = request.subpath === capture.subpath
  const subpath = isSamePath ? maskTarget(capture.subpath) : edit.subpath
  const left = [
    line(capture.method, maskTarget(capture.subpath)),
    ...capture.headers.map(([name, value]) => maskHeader([name, value]).join(': ')),
  ]
  const right = [
    line(request.method, subpath),
    ...request.headers.map(([name, value]) => `${name}: ${known.get(value) ?? value}`),
  ]
  const compared = compareExactly(
    { head: left, bytes: capture.body, cut: null },
    { head: right, bytes: body, cut: null },
  )
  return { head: compared.head, body: compared.body, isSame: compared.isSame }
}
