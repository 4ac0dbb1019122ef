import type { Gate } from './gate.ts'
import { HttpProblem } from './http.ts'
import type { Scheduler } from './scheduler.ts'
import { type Snapshot, type Snapshots, genesis } from './snapshots.ts'
import type { ControlStore } from './store/control.ts'
import type { SandboxClock } from './virtual-clock.ts'

/** The whole of what the sandbox knows, as one thing that can be kept and brought back. */
type State = {
  /** At a start, before anything happens: the first time, what a reset returns to is kept. */
  begin(): void
  list(): readonly Snapshot[]
  find(name: string): Snapshot | null
  /** One of the same name is replaced. */
  snapshot(name: string): Promise<Snapshot>
  revert(name: string): Promise<void>
  /** @throws HttpProblem 409 when the genesis was removed from the data directory */
  reset(): Promise<void>
  delete(name: string): void
}

/** What no revert takes back. */
const kept = ['port', 'hasBegun']

export function createState(deps: {
  readonly snapshots: Snapshots
  readonly store: ControlStore
  readonly clock: SandboxClock
  readonly gate: Gate
  readonly scheduler: Scheduler
  /** Height of the main network. */
  readonly head: () => number
  /** Ends the deliveries under way; none begins until `reload`. */
  readonly suspendDeliveries: () => Promise<void>
  /** Tells every module that the tables under it were replaced. */
  readonly reload: () => void
}): State {
  const { snapshots, store, clock, gate, scheduler } = deps

  const make = (name: string): Snapshot => {
    const snapshot = { name, createdAt: clock.now(), seqno: deps.head() }
    snapshots.make(snapshot)
    return snapshot
  }

  async function returnTo(name: string): Promise<void> {
    // What waits for an endpoint's answer need not be waited for: its outcome is of no use any more.
    scheduler.interrupt()
    await gate.alone(async () => {
      const snapshot = snapshots.find(name)
      if (snapshot === null) throw new HttpProblem(404, 'there is no snapshot of that name')
      try {
        await deps.suspendDeliveries()
        const values = kept.map((each) => [each, store.get(each)] as const)
        snapshots.revert(name)
        for (const [each, value] of values) if (value !== undefined) store.set(each, value)
        clock.returnTo(snapshot.createdAt)
      } finally {
        deps.reload()
      }
    })
    scheduler.poke()
  }

  return {
    begin() {
      if (store.get('hasBegun') === true) return
      if (snapshots.find(genesis) === null) make(genesis)
      store.set('hasBegun', true)
    },
    list: () => snapshots.list(),
    find: (name) => (name === genesis ? null : snapshots.find(name)),
    snapshot: (name) => gate.alone(() => make(name)),
    revert: returnTo,
    async reset() {
      if (snapshots.find(genesis) === null) {
        throw new HttpProblem(409, 'the genesis is gone from the data directory')
      }
      await returnTo(genesis)
    },
    delete: (name) => snapshots.delete(name),
  }
}
