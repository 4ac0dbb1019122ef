import { setTimeout as wait } from 'node:timers/promises'
import { coinOf, showCoinAs } from '../../src-preload/domain/amount.ts'
import type { CapturePage } from '../../src-preload/contract/capture.ts'
import type { Network } from '../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import {
  appCodes,
  captureQueryCodes,
  networkCodes,
  receiverCodes,
  targetCodes,
} from '../../src-preload/domain/error-codes.ts'
import type { AppConfig } from '../app/context.ts'
import { appVersion } from '../app/version.ts'
import { type Call, caller } from '../bridge/dispatch.ts'
import { findOrCreate } from '../bridge/find-or-create.ts'
import { type Invocation, usageError } from './command.ts'

export type Session = {
  readonly holder: number | null
  readonly call: Call
  /** Resolves once subscribed. `onEnd` is called when the app has ended. */
  on(listener: (messages: readonly EventMessage[]) => void, onEnd?: () => void): Promise<() => void>
  dispose(): Promise<void>
}

const pollMs = 100

type SessionOptions = Pick<
  AppConfig,
  'dataDirectory' | 'receive' | 'receiverPort' | 'worksOn' | 'forOneCall'
>

export async function openSession(options: SessionOptions): Promise<Session> {
  const found = await findOrCreate(options.dataDirectory, async () => {
    // The app is loaded on demand: most commands use a running app or need none.
    const { createApp } = await import('../app/create-app.ts')
    return createApp({ ...options, host: 'cli', version: appVersion })
  })
  if ('client' in found) {
    const { client } = found
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
  const { app } = found
  return {
    holder: null,
    call: caller(app.dispatch),
    on: (listener) => Promise.resolve(app.events.subscribe(listener)),
    dispose: () => app.dispose(),
  }
}

type SessionUse = Partial<Omit<SessionOptions, 'dataDirectory'>> & {
  readonly whenLost?: string
  /** True if the command has another meaning for the exit code of a directory in use. */
  readonly hasOwnExitCode?: boolean
}

export type Run = Invocation & { readonly session: Session }

/** Uses the running app or a new one, and closes the connection. @throws AppError */
export async function withSession<I extends Pick<Invocation, 'dataDirectory'>, T>(
  invocation: I,
  work: (run: I & Pick<Run, 'session'>) => Promise<T>,
  { whenLost, hasOwnExitCode = false, ...use }: SessionUse = {},
): Promise<T> {
  const { dataDirectory } = invocation
  const isOneOf = (error: unknown, codes: readonly string[]): error is AppError =>
    error instanceof AppError && codes.includes(error.code)
  const options = { dataDirectory, receive: false, ...use }
  const session = await openSession(options).catch((error: unknown) => {
    const isHeld = isOneOf(error, [appCodes.dataDirectoryHeld, bridgeCodes.disconnected])
    throw isHeld && hasOwnExitCode ? new AppError('APP_HELD', error.message) : error
  })
  try {
    return await work({ ...invocation, session })
  } catch (error) {
    const isLost = whenLost !== undefined && isOneOf(error, [bridgeCodes.disconnected])
    throw isLost ? new AppError('APP_ENDED', whenLost) : error
  } finally {
    await session.dispose()
  }
}

/**
 * Waits for a job and uses its result. If the process that runs the job ends meanwhile, the work
 * starts again in this process or in the next one that holds the data directory.
 * @param work continues the job unless it is done
 */
export async function finishJob<R extends Run, T>(
  run: R,
  work: (run: R) => Promise<T>,
): Promise<T> {
  const isLost = (error: unknown) =>
    error instanceof AppError && error.code === bridgeCodes.disconnected && !run.stop.aborted
  try {
    return await work(run)
  } catch (error) {
    if (!isLost(error) || run.session.holder === null) throw error
  }
  for (;;) {
    try {
      return await withSession(run, (again) => finishJob(again, work))
    } catch (error) {
      // The next process may end while this one connects to it.
      if (!isLost(error)) throw error
    }
    await wait(pollMs)
  }
}

/**
 * @param wanted id or name; undefined for the network chosen in the app
 * @param wayOn a sentence that says how to continue if the app ends
 * @param isStored true if no request is sent, so that the network need not be reachable
 * @throws AppError, but no code that ends in `held`, whose exit code has another meaning here
 */
export function onNetwork<T>(
  invocation: Invocation,
  wanted: string | undefined,
  wayOn: string,
  work: (run: NetworkRun) => Promise<T>,
  isStored = false,
): Promise<T> {
  return withSession(
    invocation,
    async (run) => {
      // The app may end right after the command has connected to it.
      const network = await finishJob(run, async ({ session }) => {
        // The command's own app has just started and has not read the keychain yet.
        if (!isStored && session.holder === null) await session.call('secrets.retryKeychain')
        return findNetwork(session, wanted)
      })
      if (!isStored) requireReachable(network)
      return work({ ...run, network })
    },
    { whenLost: `Tondesk has ended. ${wayOn}`, hasOwnExitCode: true },
  )
}

export type NetworkRun = Run & { readonly network: Network }

function requireReachable({ kind, problem }: Network): void {
  if (problem === null) return
  const wayOut =
    kind === 'sandbox'
      ? ' This command needs the app. Open the app or run `tondesk serve`, with this data directory.'
      : ''
  throw new AppError(networkCodes.unavailable, problem + wayOut)
}

/** Ignores case; without a name the chosen network is returned. @throws AppError USAGE */
export async function findNetwork(session: Session, wanted?: string): Promise<Network> {
  const { current, networks } = await session.call('network.list')
  const typed = wanted?.toLowerCase() ?? current
  const found =
    networks.find(({ id }) => id === typed) ??
    networks.find(({ name }) => name.toLowerCase() === typed)
  if (found === undefined) {
    throw usageError(`Unknown network "${wanted ?? current}". See \`tondesk networks\`.`)
  }
  const { appearance } = await session.call('settings.get')
  showCoinAs(coinOf(appearance, found.id))
  return found
}

export const receiverLost = 'Tondesk has ended, including its receiver.'

export async function requireListening(
  session: Session,
  onStarted: () => void = () => undefined,
): Promise<ReceiverState> {
  let receiver = await session.call('receiver.state')
  if (receiver.status !== 'listening') {
    receiver = await session.call('receiver.start')
    onStarted()
  }
  if (receiver.status === 'listening') return receiver
  const why = receiver.problem ?? 'The receiver did not start.'
  throw new AppError(receiverCodes.listenFailed, why)
}

/** Runs before any work: an invalid query is an error of the command line. @throws AppError USAGE */
export async function checkQuery(session: Session, text: string, option: string): Promise<void> {
  if (text.trim() === '') return
  await readingQuery(option, () => session.call('capture.list', { query: { text }, limit: 1 }))
}

export async function readingQuery<T>(option: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isQuery = error instanceof AppError && error.code === captureQueryCodes.invalid
    throw isQuery ? usageError(`${option}: ${error.message}`) : error
  }
}

/**
 * Asks the user to confirm an irreversible action, unless --yes is set.
 * @param unasked the error's sentence without a terminal
 * @throws AppError NOT_CONFIRMED; USAGE without a terminal
 */
export async function confirm(
  question: string,
  unasked: string,
  { options, terminal }: Invocation,
): Promise<void> {
  if (options['yes'] === true) return
  const answer = await terminal.ask(question)
  if (answer === null) throw usageError(unasked)
  if (!answer) throw new AppError('NOT_CONFIRMED', 'Cancelled. Nothing was changed.')
}

/**
 * Sending to another computer needs the user's confirmation.
 * @throws AppError TARGET_REFUSED, NOT_CONFIRMED; USAGE without a terminal
 */
export async function confirmTargets(run: Run, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { kind, host, isConfirmed, problem } = await run.session.call('target.check', { url })
    if (kind === 'refused') {
      throw new AppError(
        targetCodes.refused,
        `${url}: ${problem ?? 'Tondesk blocks requests to this target.'}`,
      )
    }
    if (kind === 'loopback' || isConfirmed) continue
    const unasked = `${host} is another computer. Without a terminal, add --yes to send requests to it.`
    await confirm(`Send deliveries, with their tokens, to ${host}?`, unasked, run)
    await run.session.call('target.confirm', { host })
  }
}

const pageRows = 500

/** Yields captures, the newest first. @param options.max rows of all pages together */
export async function* capturePages(
  session: Session,
  options: { text: string; after?: number; before?: number; max?: number },
): AsyncGenerator<CapturePage> {
  const { text, after = 0, before, max = Infinity } = options
  let rows = 0
  for (let from: number | null | undefined = before; from !== null && rows < max;) {
    const page: CapturePage = await session.call('capture.list', {
      query: { text },
      ...(after > 0 ? { after } : {}),
      ...(from === undefined ? {} : { before: from }),
      limit: Math.min(pageRows, max - rows),
    })
    yield page
    rows += page.rows.length
    from = page.nextBefore !== null && page.nextBefore > after ? page.nextBefore : null
  }
}

export async function* itemsOf<T>(
  fetch: (page: { offset: number; limit: number }) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let offset = 0; ; offset += pageRows) {
    const items = await fetch({ offset, limit: pageRows })
    yield* items
    if (items.length < pageRows) return
  }
}
