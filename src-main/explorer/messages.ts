/** External messages: what would come of one, sending it, and what became of it. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { MessageState } from '../../src-preload/contract/message.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import { type EmulationDeps, emulateMessage, explainRefusal } from './emulate-message.ts'
import {
  type ExternalMessage,
  ordersOf,
  readExternalMessage,
  validUntilOf,
} from './external-message.ts'
import { failureOf } from './exit-words.ts'

type MessageHandlers = Pick<Handlers, Extract<keyof Handlers, `message.${string}`>>

/** Of messages this app has seen, by their normal hash. */
const maxRemembered = 200

/** A wallet's last moment may be a block's, which is found a little later. */
const expiryMarginMs = 60_000

export function createMessages(deps: EmulationDeps): MessageHandlers {
  const { networks } = deps
  const seen = new Map<string, { readonly ownHash: string; readonly validUntil: number | null }>()

  function remember({ hash, ownHash }: ExternalMessage, validUntil: number | null): void {
    seen.delete(hash)
    seen.set(hash, { ownHash, validUntil })
    const [oldest] = seen.keys()
    if (seen.size > maxRemembered && oldest !== undefined) seen.delete(oldest)
  }

  return {
    async 'message.emulate'({ network, boc }) {
      const message = readExternalMessage(boc)
      const emulation = await emulateMessage(network, message, deps)
      remember(message, emulation.validUntil)
      return emulation
    },
    async 'message.send'({ network, boc }) {
      const message = readExternalMessage(boc)
      const query = networks.query(network)
      const isUncertain = await send(query, message.base64)
      const known = seen.get(message.hash)
      const validUntil =
        known === undefined ? await askValidUntil(query, message) : known.validUntil
      remember(message, validUntil)
      return { network, messageHash: message.hash, validUntil, isUncertain }
    },
    async 'message.follow'({ network, messageHash, validUntil }) {
      const query = networks.query(network)
      const signal = networks.interest(network)
      const hashes = new Set([messageHash, seen.get(messageHash)?.ownHash ?? messageHash])
      const found = await findTransaction(query, hashes, signal)
      if (found !== null) return foundState(network, messageHash, found)
      if (validUntil === null || !(await isOver(query, validUntil, signal))) {
        return lookedFor(network, messageHash, 'waiting')
      }
      // It may have been taken between the two questions.
      const late = await findTransaction(query, hashes, signal)
      return late === null
        ? lookedFor(network, messageHash, 'expired')
        : foundState(network, messageHash, late)
    },
  }
}

/**
 * Once, whatever comes: the wallet's owner has agreed to it once. Not given up when another network
 * is chosen, either: it would be on its way all the same.
 * @returns true when nobody can tell whether it is on its way
 * @throws AppError when it is certain that it is not
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

/** The question was out, and what came back says nothing of it. */
function isUnclear(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status, isPassing } = (error.data ?? {}) as {
    readonly status?: number
    readonly isPassing?: boolean
  }
  switch (error.code) {
    case gatewayCodes.timeout:
    case gatewayCodes.badAnswer:
      return true
    case gatewayCodes.unreachable:
      // Broken off, rather than never begun.
      return isPassing === true
    default:
      // What stands in front of the gateway (a proxy, a content delivery network) does not know either.
      return status === 502 || status === 504 || (status !== undefined && status >= 520)
  }
}

/** The wallet's version is needed to read its order. Unknown is no reason to fail: it is sent. */
async function askValidUntil(query: QueryClient, message: ExternalMessage): Promise<number | null> {
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
      if (!(error instanceof AppError) || error.code !== gatewayCodes.notFound) throw error
    }
  }
  return null
}

/** By the network's own time: this computer's, or a sandbox's, may be another. */
async function isOver(query: QueryClient, validUntil: number, signal: AbortSignal) {
  const { gen_utime } = await query.masterchainHead({ signal })
  return gen_utime * 1000 > validUntil + expiryMarginMs
}

function foundState(
  network: NetworkId,
  messageHash: string,
  transaction: TransactionAnswer,
): MessageState {
  return {
    network,
    messageHash,
    state: 'found',
    transactionHash: transaction.hash,
    transactionSuccess: failureOf(transaction) === null,
  }
}

function lookedFor(
  network: NetworkId,
  messageHash: string,
  state: 'waiting' | 'expired',
): MessageState {
  return { network, messageHash, state, transactionHash: null, transactionSuccess: null }
}
