/** How far the person has read: everything newer counts as unread. */
type ReadMark = {
  unread(): number
  /** The log grew by this many. */
  grew(by: number): void
  /** Everything up to this id has been read. Never goes back. */
  advance(upTo: number): void
  /** Captures were deleted: counts anew. */
  recount(): void
}

type ReadMarkDeps = {
  readonly load: () => number
  readonly save: (upTo: number) => void
  /** Captures newer than this id. */
  readonly countAfter: (id: number) => number
}

export function createReadMark(deps: ReadMarkDeps): ReadMark {
  let readTo = deps.load()
  let unread = deps.countAfter(readTo)
  return {
    unread: () => unread,
    grew(by) {
      unread += by
    },
    advance(upTo) {
      if (upTo <= readTo) return
      readTo = upTo
      deps.save(readTo)
      unread = deps.countAfter(readTo)
    },
    recount() {
      unread = deps.countAfter(readTo)
    },
  }
}
