import type { Network } from '../../src-preload/contract/network.ts'
import { networkCodes, appCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { CommandOption, Invocation } from './command.ts'
import { findNetwork } from './networks.ts'
import { type Session, openSession } from './session.ts'

export const networkOption: CommandOption = {
  type: 'string',
  value: 'NETWORK',
  description: 'sandbox, testnet, mainnet, or the name of one that was added',
}

/**
 * Does work on a network that can be reached, through the app that runs or one of its own.
 * @param wanted id or name; null for the one that is chosen in the app
 * @param wayOn what to do when the app ends meanwhile, as a sentence
 * @throws AppError none with a code that ends in `held`: commands give that exit code another meaning
 */
export function onNetwork<T>(
  invocation: Invocation,
  wanted: string | null,
  wayOn: string,
  work: NetworkWork<T>,
): Promise<T> {
  return within(invocation, wayOn, async (session) => {
    // An app of our own has only just been made, and has not heard from the keychain yet.
    if (session.holder === null) await session.call('secrets.retryKeychain')
    const network = await find(session, wanted)
    requireReachable(network)
    return work(session, network)
  })
}

/** The same of what is kept here: nothing is asked of the network, so it need not be reached. */
export function onStored<T>(
  invocation: Invocation,
  wanted: string | null,
  wayOn: string,
  work: NetworkWork<T>,
): Promise<T> {
  return within(invocation, wayOn, async (session) => work(session, await find(session, wanted)))
}

async function find(session: Session, wanted: string | null): Promise<Network> {
  return findNetwork(session, wanted ?? (await session.call('network.list')).current)
}

type NetworkWork<T> = (session: Session, network: Network) => Promise<T>

async function within<T>(
  { dataDirectory }: Invocation,
  wayOn: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await open(dataDirectory)
  try {
    return await work(session)
  } catch (error) {
    const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
    throw isLost ? new AppError('APP_ENDED', `Tondesk has ended. ${wayOn}`) : error
  } finally {
    await session.dispose()
  }
}

async function open(dataDirectory: string): Promise<Session> {
  try {
    return await openSession({ dataDirectory, receive: false })
  } catch (error) {
    // Their usual exit code has another meaning here.
    const codes: readonly string[] = [appCodes.dataDirectoryHeld, bridgeCodes.disconnected]
    const isHeld = error instanceof AppError && codes.includes(error.code)
    throw isHeld ? new AppError('APP_HELD', error.message) : error
  }
}

function requireReachable({ kind, problem }: Network): void {
  if (problem === null) return
  const wayOut =
    kind === 'sandbox'
      ? ' A command does not do that: open the app, or run `tondesk serve`, on this data directory.'
      : ''
  throw new AppError(networkCodes.unavailable, problem + wayOut)
}
