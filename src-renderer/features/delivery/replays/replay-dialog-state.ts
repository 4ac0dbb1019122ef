import { create } from 'zustand'
import type { ReplaySubject } from '../../../../src-preload/contract/replay.ts'

export type Asked = {
  readonly subject: ReplaySubject
  /** Where to, when it is known already: it was sent there before. */
  readonly target: string | null
  /** Opens on the editor. */
  readonly edited: boolean
}

export const useReplayDialog = create<{ readonly asked: Asked | null }>(() => ({ asked: null }))

/** Asks where to, how often and how fast; nothing is sent before. */
export function openReplay(
  subject: ReplaySubject,
  { target = null, edited = false }: Partial<Omit<Asked, 'subject'>> = {},
): void {
  if (subject.kind === 'captures' && subject.ids.length === 0) return
  useReplayDialog.setState({ asked: { subject, target, edited } })
}

export function setEdited(edited: boolean): void {
  useReplayDialog.setState(({ asked }) => ({ asked: asked && { ...asked, edited } }))
}

export function closeReplay(): void {
  useReplayDialog.setState({ asked: null })
}
