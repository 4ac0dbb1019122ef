import type { Handlers } from '../src-preload/contract/index.ts'
import { notBuilt } from './not-built.ts'

/**
 * What is done with captures once they are on disk: their meaning, queries, forwarding, replay,
 * answers, tunnels and exchange, wired to each other as `compose.ts` wires the rooms.
 */
export function createWorkbench() {
  const handlers: Pick<Handlers, keyof typeof notBuilt> = { ...notBuilt }
  return {
    handlers,
    start(): void {},
    async stop(): Promise<void> {},
  }
}
