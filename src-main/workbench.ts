import type { EventName, Events } from '../src-preload/contract/index.ts'
import { createSending } from './inspector/send/sending.ts'
import { createTargetHandlers } from './inspector/send/target-handlers.ts'
import { notBuilt } from './not-built.ts'
import type { OwnPlaces } from './send-messages.ts'
import { sendThread } from './threads.ts'

export type WorkbenchDeps = {
  readonly paths: { readonly database: string; readonly index: string }
  /** Where this app itself listens: nothing is sent there. */
  readonly own: () => OwnPlaces
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
  /** Something in a thread of the workbench went wrong. */
  readonly onTrouble: (what: string, message: string, damage: boolean) => void
}

/**
 * What is done with captures once they are on disk: their meaning, queries, forwarding, replay,
 * answers, tunnels and exchange, wired to each other as `compose.ts` wires the rooms.
 */
export function createWorkbench(deps: WorkbenchDeps) {
  const sending = createSending(deps.paths, sendThread, {
    onEvent: ({ name, payload }) => deps.emit(name, payload),
    onTrouble: (message, damage) => deps.onTrouble('sending stopped', message, damage),
  })
  sending.setOwn(deps.own())

  const handlers = {
    ...notBuilt,
    ...createTargetHandlers(sending),
  }
  return {
    handlers,
    /** Captures up to this id have been classified. */
    classified: (upTo: number) => sending.indexed(upTo),
    /** Captures were deleted, and the index has followed. */
    deleted: () => sending.deleted(),
    /** What `own` says may have changed. */
    ownChanged: () => sending.setOwn(deps.own()),
    start(): void {
      sending.start(false)
    },
    async stop(): Promise<void> {
      await sending.close()
    },
  }
}
