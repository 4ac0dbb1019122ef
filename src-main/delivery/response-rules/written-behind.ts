import type { Answered, AnswerRuleUse } from '../../threads/writer-messages.ts'

type WrittenBehindDeps = {
  readonly write: (answered: Answered) => Promise<unknown>
  readonly onStatuses: (captures: number[]) => Promise<void>
  readonly onBug: (error: unknown) => void
}

/** Writes statuses and uses of rules a few times a second instead of once per delivery. */
type WrittenBehind = {
  status(capture: number, status: number | null): void
  /** `use` runs at the time of writing, so that the latest state counts. */
  use(id: number, use: () => AnswerRuleUse | null): void
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
      // The capture writer already reports a full disk.
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
