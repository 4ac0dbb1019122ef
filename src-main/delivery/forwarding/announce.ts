import type { ForwardRule } from '../../../src-preload/contract/forward.ts'

type AnnounceDeps = {
  readonly rules: () => ForwardRule[]
  readonly onRules: (rules: readonly ForwardRule[]) => void
  /** Null: of many. */
  readonly onCaptures: (captures: readonly number[] | null) => void
}

const everyMs = 250
/** More than these are told as many. */
const maxNamed = 200

/** Tells of changes, at most four times a second however many there are. */
export function createAnnounce({ rules, onRules, onCaptures }: AnnounceDeps) {
  let captures: Set<number> | null = new Set()
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    timer = undefined
    const changed = captures
    captures = new Set()
    if (changed === null || changed.size > 0) onCaptures(changed === null ? null : [...changed])
    onRules(rules())
  }

  return {
    changed(capture: number | null): void {
      if (capture === null || captures === null) captures = null
      else if (captures.size < maxNamed) captures.add(capture)
      else captures = null
      timer ??= setTimeout(tell, everyMs)
    },
    stop(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
