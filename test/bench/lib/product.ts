/** Starts the product as it is shipped: the built entry of browser mode in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import { residentBytes } from './processes.ts'

export type Product = {
  readonly appUrl: string
  readonly receiverUrl: string
  readonly pid: number
  /** Returns the present resident memory in bytes. */
  residentBytes(): number
  request<T>(name: string, input?: unknown): Promise<T>
  kill(): Promise<void>
  stop(): Promise<void>
}

type Ready = { event: 'ready'; appUrl: string; receiverUrl: string }

/** The flags with which build/lib/runtime.mjs starts the app. */
export const appNodeFlags = ['--max-semi-space-size=4']

export async function startProduct(
  dataDirectory: string,
  { sandbox = false }: { readonly sandbox?: boolean } = {},
): Promise<Product> {
  const withSandbox = sandbox ? ['--sandbox-port', '0'] : ['--without-sandbox']
  const child = spawn(
    process.execPath,
    // prettier-ignore
    [...appNodeFlags, 'out/main/serve.js', '--no-open', '--json', '--port', '0', '--receiver-port', '0', ...withSandbox, '--data-dir', dataDirectory],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    exited.then(() => {
      throw new Error('the product ended before it was ready')
    }),
  ])) as [string]
  const ready = JSON.parse(line) as Ready
  const client = await connectLocalSocket(localSocketPath(dataDirectory))
  if (client === null) throw new Error('the local socket does not answer')
  const pid = child.pid ?? 0

  return {
    appUrl: ready.appUrl,
    receiverUrl: ready.receiverUrl,
    pid,
    residentBytes: () => residentBytes(pid),
    async request<T>(name: string, input?: unknown) {
      const envelope = await client.request(name, input)
      if (!envelope.ok) throw new Error(`${name}: ${envelope.error.message}`)
      return envelope.data as T
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Waits until every capture is indexed, so that a search scans no unindexed captures. */
export async function untilIndexed(product: Product): Promise<void> {
  for (;;) {
    const page = await product.request<{ rows: { kind: string | null }[] }>('capture.list', {
      limit: 1,
    })
    if (page.rows.every((row) => row.kind !== null)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
