import type { SandboxState } from '../../src-preload/contract/sandbox.ts'
import { attempt } from './attempt.ts'
import { request } from './bridge.ts'
import { watch } from './queries.ts'
import { resourceOf } from './resource.ts'
import { announce } from '../ui/live-region.tsx'
import { showToast } from '../ui/toast.tsx'

/** The sandbox's process, its addresses and how far its chains are. */
export const sandbox = resourceOf('sandbox.state')

watch('sandbox.state', (now, before) => {
  if (now.status !== before.status) announce(describe(now))
})

const words: Record<SandboxState['status'], string> = {
  stopped: 'stopped',
  starting: 'starting',
  running: 'running',
  failed: 'failed',
}

/** In one word. */
export function statusWord({ status }: SandboxState): string {
  return words[status]
}

function describe(state: SandboxState): string {
  return state.status === 'failed'
    ? 'The sandbox has failed'
    : `The sandbox is ${statusWord(state)}`
}

/** Deliveries that have failed and wait for another attempt, on both networks. */
export function countFailing(state: SandboxState | null): number {
  return state?.heads.reduce((sum, { failing }) => sum + failing, 0) ?? 0
}

export async function startSandbox(): Promise<void> {
  const state = await attempt('Could not start the sandbox', () => request('sandbox.start'))
  if (state !== undefined) sandbox.set(state)
}

export async function restartSandbox(): Promise<void> {
  const state = await attempt('Could not restart the sandbox', () => request('sandbox.restart'))
  if (state !== undefined) sandbox.set(state)
}

export async function stopSandbox(): Promise<void> {
  const state = await attempt('Could not stop the sandbox', () => request('sandbox.stop'))
  if (state === undefined) return
  sandbox.set(state)
  showToast({
    title: 'The sandbox has stopped',
    detail: 'Its chains and what waits for delivery are kept as they are.',
    action: { label: 'Start again', run: () => void startSandbox() },
  })
}
