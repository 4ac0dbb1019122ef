/**
 * The app as a command sees it: the one that holds the data directory, spoken to through its local
 * socket, or else one of the command's own.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Envelope, AppError } from '../../src-preload/domain/app-error.ts'
import type { EventMessage, Input, Output, RouteName } from '../../src-preload/contract/routes.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { type LocalSocketClient, connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import type { AppConfig } from '../app/context.ts'
import type { App } from '../app/create-app.ts'
import { appVersion } from '../app/version.ts'

type Arguments<N extends RouteName> = Input<N> extends undefined ? [] : [input: Input<N>]

export type Session = {
  /** The process that holds the directory; null when it is this one. */
  readonly holder: number | null
  /** @throws AppError */
  call<N extends RouteName>(name: N, ...input: Arguments<N>): Promise<Output<N>>
  /** Resolves once listening. `onEnd` is called when the app at the other end has gone. */
  on(listener: (messages: readonly EventMessage[]) => void, onEnd?: () => void): Promise<() => void>
  dispose(): Promise<void>
}

/** A holder that has the lock but no socket yet is only starting. */
const startMs = 5000
const pollMs = 100

type SessionOptions = Pick<AppConfig, 'dataDirectory' | 'receive' | 'receiverPort' | 'worksOn'>

/** @throws AppError DATA_DIRECTORY_HELD when its holder does not answer */
export async function openSession(options: SessionOptions): Promise<Session> {
  const found = await findOrCreate(options.dataDirectory, async () => {
    // Loaded only here: most commands speak to an app that is running, or need none.
    const { createApp } = await import('../app/create-app.ts')
    return createApp({ ...options, host: 'cli', version: appVersion })
  })
  return 'client' in found ? throughSocket(found.client) : ofOurOwn(found.app)
}

/**
 * The client of the app that runs, or else a new one. Between the two looks another may start or
 * end, so both are tried until one succeeds.
 */
export async function findOrCreate(
  dataDirectory: string,
  create: () => Promise<App>,
): Promise<{ client: LocalSocketClient } | { app: App }> {
  const path = localSocketPath(dataDirectory)
  const deadline = Date.now() + startMs
  for (;;) {
    const client = await connectLocalSocket(path)
    if (client) return { client }
    try {
      return { app: await create() }
    } catch (error) {
      const isHeld = error instanceof AppError && error.code === appCodes.dataDirectoryHeld
      if (!isHeld || Date.now() > deadline) throw error
    }
    await wait(pollMs)
  }
}

function throughSocket(client: LocalSocketClient): Session {
  return {
    holder: client.processId,
    call: caller((name, input) => client.request(name, input)),
    on: (listener, onEnd) => client.on(listener, onEnd),
    dispose() {
      client.dispose()
      return Promise.resolve()
    },
  }
}

function ofOurOwn(app: App): Session {
  return {
    holder: null,
    call: caller((name, input) => app.dispatch(name, input)),
    on: (listener) => Promise.resolve(app.events.subscribe(listener)),
    dispose: () => app.dispose(),
  }
}

/** The typed face of an untyped request: what comes back is what the route's handler returned. */
export function caller(
  request: (name: string, input: unknown) => Promise<Envelope<unknown>>,
): Session['call'] {
  return async <N extends RouteName>(name: N, ...input: Arguments<N>) => {
    const envelope = await request(name, input[0])
    if (!envelope.ok) throw AppError.fromBody(envelope.error)
    return envelope.data as Output<N>
  }
}
