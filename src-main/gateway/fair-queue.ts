/** Who is sent next: interactive before jobs, and within each the owners in turn. */

export type Priority = 'interactive' | 'job'

type Queued = { readonly priority: Priority; readonly owner: string }

type FairQueue<T extends Queued> = {
  add(item: T): void
  /** Before all others of its owner, which is next: it had its turn, and has to have it again. */
  addFirst(item: T): void
  /** Undefined when nobody is there, or only jobs where none may go. */
  take(mayJobsGo: boolean): T | undefined
  remove(item: T): void
  all(): readonly T[]
  size(priority?: Priority): number
}

/** So many interactive ones in a row, then a job: a page that asks on and on must not end all jobs. */
const maxInARow = 10

export function createFairQueue<T extends Queued>(): FairQueue<T> {
  // The order of a map's keys is the order of the turns.
  const lines: Readonly<Record<Priority, Map<string, T[]>>> = {
    interactive: new Map(),
    job: new Map(),
  }
  let inARow = 0

  function takeFrom(line: Map<string, T[]>): T | undefined {
    for (const [owner, items] of line) {
      const item = items.shift()
      line.delete(owner)
      if (items.length > 0) line.set(owner, items)
      return item
    }
    return undefined
  }

  const all = (priority: Priority) => [...lines[priority].values()].flat()

  return {
    add(item) {
      const line = lines[item.priority]
      const items = line.get(item.owner)
      if (items === undefined) line.set(item.owner, [item])
      else items.push(item)
    },
    addFirst(item) {
      const line = lines[item.priority]
      const others = [...line].filter(([owner]) => owner !== item.owner)
      const items = [item, ...(line.get(item.owner) ?? [])]
      line.clear()
      line.set(item.owner, items)
      for (const [owner, its] of others) line.set(owner, its)
    },
    take(mayJobsGo) {
      const isJobsTurn = inARow >= maxInARow && lines.job.size > 0 && mayJobsGo
      const line = lines.interactive.size > 0 && !isJobsTurn ? lines.interactive : lines.job
      if (line === lines.job && !mayJobsGo) return undefined
      inARow = line === lines.interactive ? inARow + 1 : 0
      return takeFrom(line)
    },
    remove(item) {
      const line = lines[item.priority]
      const left = line.get(item.owner)?.filter((other) => other !== item) ?? []
      if (left.length > 0) line.set(item.owner, left)
      else line.delete(item.owner)
    },
    all: () => [...all('interactive'), ...all('job')],
    size: (priority) =>
      priority === undefined ? all('interactive').length + all('job').length : all(priority).length,
  }
}
