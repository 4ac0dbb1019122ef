import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import {
  emulateMessage,
  explainRefusal,
  type ExternalMessage,
  ordersOf,
  readExternalMessage,
  validUntilOf,
} from './emulate-message.ts'
import { type ExplorerContext, isNotFound } from './chain-access.ts'
import type { TraceJettons } from './jetton-wallets.ts'
import { failureOf } from './failure.ts'

type MessageHandlers = Pick<Handlers, Extract<keyof Handlers, `message.${string}`>>

const maxRemembered = 200

/** A block of the last valid second is found a little later. */
const expiryMarginMs = 60_000

export function createMessages(context: ExplorerContext, jettons: TraceJettons): MessageHandlers {
  const { access } = context
  const seen = new LimitedMap<string, { ownHash: string; validUntil: number | null }>(maxRemembered)

  return {
    async 'message.emulate'({ network, boc }) {
      const message = readExternalMessage(boc)
      const emulation = await emulateMessage(network, message, context, jettons)
      const { ownHash } = message
      seen.set(message.hash, { ownHash, validUntil: emulation.validUntil })
      return emulation
    },
    async 'message.send'({ network, boc }) {
      const message = readExternalMessage(boc)
      const query = access.query(network)
      const isUncertain = await send(query, message.base64)
      const remembered = seen.get(message.hash)
      const validUntil =
        remembered === undefined ? await fetchValidUntil(query, message) : remembered.validUntil
      const { hash: messageHash, ownHash } = message
      seen.set(messageHash, { ownHash, validUntil })
      return { network, messageHash, validUntil, isUncertain }
    },
    async 'message.follow'({ network, messageHash, validUntil }) {
      const query = access.query(network)
      const signal = access.interest(network)
      const hashes = new Set([messageHash, seen.get(messageHash)?.ownHash ?? messageHash])
      let found = await findTransaction(query, hashes, signal)
      // The network's time is used, which may differ from this computer's.
      const now = async () => (await query.masterchainHead({ signal })).gen_utime * 1000
      const isExpired =
        found === null && validUntil !== null && (await now()) > validUntil + expiryMarginMs
      // The message may have been accepted between the two requests.
      if (isExpired) found = await findTransaction(query, hashes, signal)
      return {
        network,
        messageHash,
        state: found !== null ? 'found' : isExpired ? 'expired' : 'waiting',
        transactionHash: found?.hash ?? null,
        transactionSuccess: found === null ? null : failureOf(found) === null,
      }
    },
  }
}

/**
 * Sends exactly once, since the wallet's owner agreed once. Choosing another network does not abort
 * the request, which may have arrived.
 * @returns true if it is unknown whether the message was sent
 * @throws AppError if the message was certainly not sent
 */
async function send(query: QueryClient, boc: string): Promise<boolean> {
  try {
    await query.sendMessage(boc)
    return false
  } catch (error) {
    if (isUnclear(error)) return true
    throw explainRefusal(error)
  }
}

function isUnclear(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status, isPassing } = (error.data ?? {}) as {
    readonly status?: number
    readonly isPassing?: boolean
  }
  if (error.code === gatewayCodes.timeout || error.code === gatewayCodes.badAnswer) return true
  // The connection broke after the request had started.
  if (error.code === gatewayCodes.unreachable) return isPassing === true
  // A proxy or content delivery network in front of the gateway cannot know the result.
  return status === 502 || status === 504 || (status !== undefined && status >= 520)
}

/** Reading the order needs the wallet's version. If that is unknown, the message is sent anyway. */
async function fetchValidUntil(
  query: QueryClient,
  message: ExternalMessage,
): Promise<number | null> {
  const orders = ordersOf(message, [])
  if (orders !== null) return validUntilOf(orders)
  try {
    const { interfaces } = await query.account(message.destination)
    return validUntilOf(ordersOf(message, interfaces))
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

async function findTransaction(
  query: QueryClient,
  hashes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<TransactionAnswer | null> {
  for (const hash of hashes) {
    try {
      return await query.transactionByMessage(hash, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return null
}
