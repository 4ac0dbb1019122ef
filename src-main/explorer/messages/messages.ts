import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import type { TransactionResponse } from '../../gateway/query-responses.ts'
import type { QueryClient } from '../../gateway/query.ts'
import { type ExplorerContext, isNotFound, isRefusal } from '../../chain/access.ts'
import type { Dictionaries } from '../contracts/dictionaries.ts'
import { viewOfEvent } from '../transactions/events.ts'
import { type TraceJettons, assetOfJetton } from '../../chain/jetton-wallets.ts'
import { failureOf, describeExitOf } from '../../chain/failure.ts'
import { type Message, loadMessage } from '@ton/core'
import type { Emulation } from '../../../src-preload/contract/message.ts'
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import { readTrace, type ReadNode } from '../../chain/read-trace.ts'
import { showTrace } from '../transactions/trace-view.ts'
import { coinName, formatAssetAmount } from '../../../src-preload/domain/amount.ts'
import {
  type WalletOrders,
  decodeWalletOrders,
  walletVersionAmong,
  walletVersionOf,
} from '../../ton/wallet.ts'
import { formatCell } from '../../ton/boc.ts'
import { messageHash, normalizedMessageHash } from '../../ton/hash.ts'
import { requireAddress } from '../../chain/addresses.ts'
import { buildMessage } from './build-message.ts'
import { badBoc, requireBoc } from '../../chain/cell-tree.ts'

type MessageHandlers = Pick<Handlers, Extract<keyof Handlers, `message.${string}`>>

const maxRemembered = 200

/** A block of the last valid second may become visible a little later. */
const expiryMarginMs = 60_000

export function createMessages(
  context: ExplorerContext,
  jettons: TraceJettons,
  dictionaries: Dictionaries,
): MessageHandlers {
  const { access, labelsOf, nameAccount } = context
  const seen = new LimitedMap<string, { ownHash: string; validUntil: number | null }>(maxRemembered)

  return {
    async 'message.build'({ network, order }) {
      const { testOnly } = access.info(network)
      const queryOptions = { signal: access.interest(network) }
      return buildMessage(order, {
        testOnly,
        query: access.query(network),
        asking: queryOptions,
        encode: dictionaries.encode,
      })
    },
    /** @throws AppError also if the contract would refuse the message */
    async 'message.emulate'({ network, boc, balances, isUnsigned }) {
      const message = readExternalMessage(boc)
      const { testOnly } = access.info(network)
      const assumed = balances.map(({ address, nanotons }) => ({
        address: requireAddress(address, testOnly),
        balance: BigInt(nanotons),
      }))
      const query = access.query(network)
      const signal = access.interest(network)
      const emulated = await emulate(query, message.base64, isUnsigned, {
        signal,
        balances: assumed,
      })
      const nodes = readTrace(emulated.trace)
      const { assets } = await jettons.find(network, nodes, {
        query,
        asking: { signal },
        actions: () => Promise.resolve(emulated.event?.actions ?? []),
      })
      const named = (addresses: readonly string[]) => labelsOf(network, addresses)
      const { trace, name } = showTrace(nodes, {
        assetOf: (wallet) => assets.get(wallet),
        labelsOf: named,
      })
      const actions = dictionaries.nameActions(network, emulated.event?.actions ?? [])
      const event = emulated.event && {
        ...emulated.event,
        event_id: message.hash,
        in_progress: false,
        // Emulated transactions have no page, so no action links to one.
        actions: actions.map((action) => ({ ...action, transactions: [] })),
      }
      const orders = ordersOf(message, emulated.trace[0]?.interfaces ?? [])
      const validUntil = validUntilOf(orders)
      const risk = emulated.risk && {
        ...emulated.risk,
        jettons: emulated.risk.jettons.map(({ quantity, jetton }) => ({
          asset: assetOfJetton(jetton),
          units: quantity,
        })),
      }
      seen.set(message.hash, { ownHash: message.ownHash, validUntil })
      return {
        network,
        messageHash: message.hash,
        destination: name(message.destination),
        validUntil,
        trace,
        event: event && viewOfEvent(event, named, trace),
        risk,
        warnings: warningsOf(access.info(network), nodes, orders, {
          risk,
          validUntil,
          nameOf: (account) => nameAccount(network, name(account)),
        }),
      }
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
    async 'message.watch'({ network, messageHash, validUntil }) {
      const query = access.query(network)
      const signal = access.interest(network)
      const hashes = new Set([messageHash, seen.get(messageHash)?.ownHash ?? messageHash])
      let found = await findTransaction(query, hashes, signal)
      // The network's time may differ from this computer's.
      const now = async () => (await query.masterchainHead({ signal })).gen_utime * 1000
      const isExpired =
        found === null && validUntil !== null && (await now()) > validUntil + expiryMarginMs
      // The network may have accepted the message between the two requests.
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
 * Sends exactly once, because the wallet's owner agreed once. Selecting another network does not
 * abort the request, which may have arrived.
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
  // The connection broke after the request began.
  if (error.code === gatewayCodes.unreachable) return isPassing === true
  // A proxy or content delivery network in front of the gateway cannot know whether the message was sent.
  return status === 502 || status === 504 || (status !== undefined && status >= 520)
}

/** Parsing the order needs the wallet's version. If the version is unknown, the message is sent anyway. */
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
): Promise<TransactionResponse | null> {
  for (const hash of hashes) {
    try {
      return await query.transactionByMessage(hash, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return null
}

async function emulate(
  query: QueryClient,
  boc: string,
  isUnsigned: boolean,
  { balances = [], ...queryOptions }: Parameters<QueryClient['emulateWallet']>[1] = {},
) {
  try {
    return await query.emulateWallet(boc, { ...queryOptions, balances })
  } catch (error) {
    const isNoWallet = error instanceof AppError && isRefusal(error)
    // The other emulation verifies the signature and cannot assume balances.
    if (!isNoWallet || isUnsigned || balances.length > 0) throw explainRefusal(error)
  }
  try {
    return { trace: await query.emulateTrace(boc, queryOptions), risk: null, event: null }
  } catch (error) {
    throw explainRefusal(error)
  }
}

type NameOf = (account: ReadNode['transaction']['account']) => string

function warningsOf(
  network: { readonly kind: NetworkKind; readonly name: string },
  nodes: readonly ReadNode[],
  orders: WalletOrders | null,
  {
    risk,
    validUntil,
    nameOf,
  }: Pick<Emulation, 'risk' | 'validUntil'> & { readonly nameOf: NameOf },
): string[] {
  const [root] = nodes
  // The network's time is used, because the sandbox's clock may be in another year.
  const isOver =
    validUntil !== null && root !== undefined && validUntil <= root.transaction.utime * 1000
  const skipped = root?.transaction.action_phase?.skipped_actions ?? 0
  const messages = skipped === 1 ? 'One message' : `${skipped} messages`
  const losses = risk === null ? [] : lossesOf(risk)
  const warnings: readonly (string | false)[] = [
    network.kind === 'mainnet' &&
      'This is Mainnet: the message moves real money, and this cannot be undone.',
    network.kind === 'custom' &&
      `${network.name} is a custom network: check whether the message moves real money.`,
    isOver && 'The order has expired, so the wallet will reject it. Sign a new one.',
    risk?.transfersAll === true &&
      `The wallet sends its complete ${coinName()} balance, not only the amounts in the order.`,
    losses.length > 0 && `The wallet may lose ${losses.join(' and ')}.`,
    ...nodes.map((node) => failureWarning(node, nameOf)),
    skipped > 0 && `${messages} would not be sent: the wallet does not have enough ${coinName()}.`,
    root !== undefined &&
      root.transaction.orig_status !== 'active' &&
      'The destination is not deployed yet: this message deploys its contract.',
    ...nodes.map(
      ({ index, transaction, failure }) =>
        index > 0 &&
        failure === null &&
        transaction.end_status !== 'active' &&
        `${nameOf(transaction.account)} has no contract yet: the amount stays there until the owner deploys one.`,
    ),
    orders === null &&
      'The destination is not a known wallet type, so the orders in the message cannot be decoded.',
  ]
  return warnings.filter((warning) => warning !== false)
}

function lossesOf({ jettons, nftCount }: NonNullable<Emulation['risk']>): string[] {
  const amounts = jettons.map(
    ({ asset, units }) => `${formatAssetAmount(BigInt(units), asset)} ${asset.symbol}`,
  )
  if (nftCount === 0) return amounts
  return [...amounts, nftCount === 1 ? 'an NFT' : `${nftCount} NFTs`]
}

function failureWarning({ failure, index, transaction }: ReadNode, nameOf: NameOf): string | false {
  const where =
    index === 0 ? 'The wallet’s own transaction' : `The call of ${nameOf(transaction.account)}`
  return failure !== null && `${where} would fail (${failure}).`
}

const usedSeqno = 'its sequence number is not the next one: this or another order was already sent'
const otherWallet = 'it is signed for another wallet of the same key'
const walletRefusals: Readonly<Record<number, string>> = {
  33: usedSeqno,
  34: otherWallet,
  35: 'its signature is wrong, or it has expired',
  36: 'it has expired',
  132: 'the wallet no longer accepts signed orders',
  133: usedSeqno,
  134: otherWallet,
  135: 'its signature is wrong',
  136: 'it has expired',
}

const exitCode = /exit[ _]?code[ :=]*(-?\d+)/i

/** Explains a refusal, and returns other errors unchanged. */
function explainRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message, data } = error
  const explained = (text: string) => new AppError(code, text, { data, cause: error })
  if (code === gatewayCodes.notAccepted) {
    const detail = describeExit(exitCode.exec(message)?.[1])
    const advice = 'If a wallet signed the message, sign a new one.'
    return explained(
      `The contract does not accept this message${detail}: sending it would have no effect. ${advice}`,
    )
  }
  if (!message.includes('duplicate message')) return error
  return explained(
    'The same message was sent less than a minute ago, and the gateway does not accept it twice. Watch that message instead.',
  )
}

function describeExit(code: string | undefined): string {
  if (code === undefined) return ''
  const why = walletRefusals[Number(code)] ?? describeExitOf(Number(code), null)
  return ` (exit code ${code}${why === null ? '' : `: ${why}`})`
}

type ExternalMessage = ReturnType<typeof readExternalMessage>

function readExternalMessage(text: string) {
  const cell = requireBoc(text)
  let message: Message
  try {
    message = loadMessage(cell.beginParse())
  } catch {
    throw badBoc('This BOC contains no message. Paste the complete signed message of the wallet.')
  }
  if (message.info.type !== 'external-in') {
    throw badBoc(
      'This is a message between contracts. Only external messages can be sent: a wallet creates one when it signs an order.',
    )
  }
  return {
    hash: normalizedMessageHash(message),
    // Some gateways know only the hash of this serialization.
    ownHash: messageHash(message),
    destination: message.info.dest.toRawString(),
    base64: Buffer.from(formatCell(cell), 'hex').toString('base64'),
    message,
  }
}

function ordersOf({ message }: ExternalMessage, interfaces: readonly string[]) {
  // The first message of a wallet contains its code.
  const code = message.init?.code
  const version =
    (code && walletVersionOf(code.hash().toString('hex'))) ?? walletVersionAmong(interfaces)
  return version === null ? null : decodeWalletOrders(version, message.body)
}

/** Unix ms; null for an order that never expires. */
function validUntilOf(orders: WalletOrders | null): number | null {
  const forever = 0xffffffff
  return orders === null || orders.validUntil >= forever ? null : orders.validUntil * 1000
}
