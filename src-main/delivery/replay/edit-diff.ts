import type { Output } from '../../../src-preload/contract/routes.ts'
import type { ReplayEdit } from '../../../src-preload/contract/replay.ts'
import { maskHeader, maskTarget } from '../../captures/mask.ts'
import { compareExactly } from './compare.ts'
import { readEdit } from './edit.ts'
import type { Sendable } from './sendable.ts'

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
