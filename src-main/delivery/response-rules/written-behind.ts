import type { Answered, AnswerRuleUse } from '../../threads/writer-messages.ts'

type WrittenBehindDeps = {
  readonly write: (answered: Answered) => Promise<unknown>
  /** These statuses are on disk. */
  readonly onStatuses: (captures: number[]) => Promise<void>
  readonly onBug: (error: unknown) => void
}

/** What is learnt of answers once they are given, written a few times a second. */
type WrittenBehind = {
  status(capture: number, status: number | null): void
  /** `use` is asked when it is written: the last word counts. */
  use(id: number, use: () => AnswerRuleUse | null): void
  /** Writes what waits; from now on at once. */
  stop(): Promise<void>
}

const everyMs = 250

export function createWrittenBehind(deps: WrittenBehindDeps): WrittenBehind {
  let statuses = new Map<number, number | null>()
  let uses = new Map<number, () => AnswerRuleUse | null>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const known = [...statuses].map(([capture, status]) => ({ capture, status }))
    const counted = [...uses.values()].map((use) => use()).filter((use) => use !== null)
    statuses = new Map()
    uses = new Map()
    if (known.length + counted.length === 0) return
    try {
      await deps.write({ statuses: known, uses: counted })
      if (known.length > 0) await deps.onStatuses(known.map(({ capture }) => capture))
    } catch (error) {
      // A full disk is told of by whoever writes captures; a count is not worth more.
      if (!isStopped) deps.onBug(error)
    }
  }

  function later(): void {
    if (isStopped) void flush()
    else timer ??= setTimeout(() => void flush(), everyMs)
  }

  return {
    status(capture, status) {
      statuses.set(capture, status)
      later()
    },
    use(id, use) {
      uses.set(id, use)
      later()
    },
    async stop() {
      isStopped = true
      await flush()
    },
  }
}
