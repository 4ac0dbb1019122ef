import type { SandboxState } from '../../src-preload/contract/sandbox.ts'
import { attempt, request, createReloader, put, queries, watch } from './bridge.ts'
import { announce, showToast } from '../ui/toast.tsx'

watch('sandbox.state', (now, before) => {
  if (now.status !== before.status) announce(describe(now))
})

/** Routes whose responses depend on the sandbox's chains. */
const ofChains = ['sandbox.chain', 'sandbox.queue', 'sandbox.invoices', 'sandbox.steps'] as const

/** Reloads the displayed data of the sandbox's chains. */
export async function reloadChains(): Promise<void> {
  await Promise.all(ofChains.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

/** Reloads the data repeatedly while a busy chain changes. */
export const noteChains = createReloader(ofChains).call

function describe(state: SandboxState): string {
  return state.status === 'failed' ? 'The sandbox failed' : `The sandbox is ${state.status}`
}

const changes = {
  start: 'sandbox.start',
  restart: 'sandbox.restart',
  stop: 'sandbox.stop',
} as const

async function change(verb: keyof typeof changes): Promise<boolean> {
  const state = await attempt(`Could not ${verb} the sandbox`, () => request(changes[verb]))
  if (state !== undefined) put('sandbox.state', undefined, state)
  return state !== undefined
}

export const startSandbox = () => change('start')
export const restartSandbox = () => change('restart')

export async function stopSandbox(): Promise<void> {
  if (!(await change('stop'))) return
  showToast({
    title: 'Sandbox stopped',
    detail: 'The chains and the delivery queue of the sandbox are kept for the next start.',
    action: { label: 'Start sandbox', run: () => void startSandbox() },
  })
}
