/** An app in its own process, to be killed, with a sandbox that survives it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Envelope, AppError } from '../../../src-preload/domain/app-error.ts'
import type {
  EventMessage,
  Input,
  Output,
  RouteName,
} from '../../../src-preload/contract/routes.ts'
import type { ReadyLine } from '../../../src-main/sandbox/sandbox.ts'

export type BenchRequest = { readonly id: number; readonly name: string; readonly input: unknown }
type Said =
  | { readonly event: 'ready' }
  | { readonly events: readonly EventMessage[] }
  | { readonly id: number; readonly envelope: Envelope<unknown> }

export type BorrowingApp = {
  request<N extends RouteName>(name: N, input: Input<N>): Promise<Output<N>>
  onEvents(listener: (events: readonly EventMessage[]) => void): void
  /** Ends the app as a power cut would. */
  kill(): Promise<void>
}

const program = fileURLToPath(new URL('./borrowing-app-program.ts', import.meta.url))

/** @param sandbox the sandbox's ready line; its URLs may lead through a proxy */
export async function startBorrowingApp(
  dataDirectory: string,
  sandbox: ReadyLine,
): Promise<BorrowingApp> {
  const child = fork(program, [dataDirectory], { execArgv: [] })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<undefined>()
  const asked = new Map<number, (envelope: Envelope<unknown>) => void>()
  let listener: (events: readonly EventMessage[]) => void = () => undefined
  let lastId = 0
  child.on('message', (said: Said) => {
    if ('event' in said) ready.resolve(undefined)
    else if ('events' in said) listener(said.events)
    else asked.get(said.id)?.(said.envelope)
  })
  child.send(sandbox)
  await Promise.race([
    ready.promise,
    exited.then(() => Promise.reject(new Error('The app ended before it was ready.'))),
  ])
  return {
    onEvents: (heard) => (listener = heard),
    async request(name, input) {
      lastId += 1
      const id = lastId
      const answer = Promise.withResolvers<Envelope<unknown>>()
      asked.set(id, answer.resolve)
      child.send({ id, name, input } satisfies BenchRequest)
      const envelope = await answer.promise
      asked.delete(id)
      if (!envelope.ok) throw AppError.fromBody(envelope.error)
      return envelope.data as Output<typeof name>
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
