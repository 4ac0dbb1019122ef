import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { App } from '../app/create-app.ts'
import { type LocalSocketClient, connectLocalSocket } from './local-socket-client.ts'
import { localSocketPath } from './local-socket.ts'

/** A process that holds the lock but has no socket is still starting or closing, or serves one call. */
const startMs = 120_000
const pollMs = 100

/**
 * Connects to the running app or creates one. Another process may start or end meanwhile, so both
 * are tried until one succeeds.
 */
export async function findOrCreate(
  dataDirectory: string,
  create: () => Promise<App>,
  maxWaitMs = startMs,
): Promise<{ client: LocalSocketClient } | { app: App }> {
  const path = localSocketPath(dataDirectory)
  const deadline = Date.now() + maxWaitMs
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
