import { decodeBody, readOperation, type DecodedBody } from '../../ton/decode-body.ts'
import { opcodes } from '../../ton/opcodes.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import {
  type InternalOrder,
  decodeWalletChanges,
  decodeWalletOrders,
  matchOrders,
  walletInterface,
  walletVersionOf,
} from '../../ton/wallet.ts'
import type { TraceNode } from '../chain/chain.ts'
import type { AccountBook, Contracts } from './accounts.ts'
import { type Action, type ActionDetails, noAddress, textOf } from './actions.ts'
import { descriptionOf, isBouncing, isSuccess, isWithoutState } from './transaction-json.ts'

/**
 * Returns actions in order of occurrence, deployments after their cause. Orders that a wallet could
 * not execute come last, as in the service's open edition.
 */
export async function findActions(
  root: TraceNode,
  { contracts, book }: { readonly contracts: Contracts; readonly book: AccountBook },
): Promise<Action[]> {
  const actions: Action[] = []

  async function walk(node: TraceNode, parent: TraceNode | null): Promise<void> {
    const found = (await jettonAction(node, parent, contracts)) ?? plainAction(node, book)
    const taken = found?.taken ?? [node]
    actions.push(...(await walletChanges(node, contracts)))
    if (found !== null) actions.push(toAction(found))
    for (const each of taken) {
      for (const child of each.children) {
        if (!taken.includes(child)) await walk(child, each)
      }
    }
    for (const each of taken) {
      if (each.transaction.deployed) actions.push(deployment(each))
    }
  }

  await walk(root, null)
  actions.push(...(await unmetOrders(root, contracts)))
  return actions
}

function plainAction(node: TraceNode, book: AccountBook): Found | null {
  const { transaction, body, info } = read(node)
  if (info === null || body === null) return null
  const isBack = isBouncing(transaction)
  const taken = isBack ? [node, ...node.children.filter(isBounce)] : [node]
  const moved = {
    from: info.src.toRawString(),
    to: transaction.account,
    amount: info.value.coins,
  }
  const operation = readOperation(body)
  const isCall =
    operation !== null &&
    operation !== opcodes.textComment &&
    operation !== opcodes.encryptedTextComment &&
    !isWithoutState(transaction) &&
    !isWallet(node, book) &&
    moved.amount !== 0n
  if (isCall) {
    const isOk = isSuccess(transaction) && !isBack
    const name = callName(decodeBody(body)) ?? formatOpcode(operation)
    return { type: 'SmartContractExec', isOk, taken, ...moved, operation: name }
  }
  return { type: 'TonTransfer', isOk: !isBack, taken, ...moved, content: textOf(body) }
}

async function jettonAction(
  node: TraceNode,
  parent: TraceNode | null,
  contracts: Contracts,
): Promise<Found | null> {
  const { body, info } = read(node)
  if (body === null || info === null) return null
  const sender = info.src.toRawString()
  const decoded = decodeBody(body)
  if (decoded?.name === 'jetton_internal_transfer') {
    return jettonMint(node, parent, { master: sender, amount: decoded.amount }, contracts)
  }
  if (decoded?.name !== 'jetton_transfer' && decoded?.name !== 'jetton_burn') return null
  const sendersWallet = node.transaction.account
  const wallet = await contracts.jettonWallet(sendersWallet)
  if (wallet === null) return null
  const moved = { from: sender, amount: decoded.amount, master: wallet.master, sendersWallet }
  const isBurn = decoded.name === 'jetton_burn'
  const effect = isBurn ? 'jetton_burn_notification' : 'jetton_internal_transfer'
  const arrival = node.children.filter((child) => isNamed(child, effect)).slice(0, 1)
  const below = [node, ...arrival].flatMap(({ children }) => children)
  const last = isBurn ? below : arrival.flatMap(({ children }) => children)
  const found = {
    isOk: arrival.length > 0 && [node, ...arrival].every(isOkay),
    taken: [node, ...arrival, ...last.filter(isAftermath), ...below.filter(isBounce)],
  }
  if (isBurn) return { type: 'JettonBurn', ...found, ...moved, to: null }
  return {
    type: 'JettonTransfer',
    ...found,
    ...moved,
    to: decoded.destination?.toRawString() ?? null,
    recipientsWallet: arrival[0]?.transaction.account ?? noAddress,
    content: decoded.forwardPayload.content,
  }
}

async function jettonMint(
  node: TraceNode,
  parent: TraceNode | null,
  { master, amount }: { readonly master: string; readonly amount: bigint },
  contracts: Contracts,
): Promise<Found | null> {
  if (!(await contracts.isJettonMaster(master))) return null
  const { account } = node.transaction
  const wallet = await contracts.jettonWallet(account)
  const aftermath = node.children.filter(isAftermath)
  const notified = aftermath.find((child) => isNamed(child, 'jetton_notify'))
  const order = parent === null ? null : decodedOf(parent)
  const ordered = order?.name === 'jetton_mint' ? order.toAddress?.toRawString() : undefined
  return {
    type: 'JettonMint',
    isOk: isOkay(node),
    taken: [node, ...aftermath, ...node.children.filter(isBounce)],
    from: null,
    to: wallet?.owner ?? notified?.transaction.account ?? ordered ?? account,
    amount,
    master,
    recipientsWallet: account,
  }
}

async function walletChanges({ transaction }: TraceNode, contracts: Contracts): Promise<Action[]> {
  const { hash, account, transaction: executed } = transaction
  const changes = executed.inMessage ? decodeWalletChanges(executed.inMessage.body) : []
  const contract = changes.length === 0 ? null : await contracts.of(account)
  if (contract?.kind !== 'wallet' || contract.version !== 'v5R1') return []
  const { computePhase: compute } = descriptionOf(transaction)
  // The wallet commits its number first, so the transaction succeeds even if a change is refused.
  const isDone = compute.type === 'vm' && [0, 1].includes(compute.exitCode)
  const isOk = isSuccess(transaction) && isDone
  return changes.map((change) => ({
    from: account,
    amount: 0n,
    isOk,
    transactions: [hash],
    ...(change.kind === 'signature'
      ? { type: 'SetSignatureAllowedAction', to: null, isAllowed: change.allowed }
      : {
          type: change.kind === 'add' ? 'AddExtension' : 'RemoveExtension',
          to: change.extension,
        }),
    accounts: new Set([account, ...('extension' in change ? [change.extension] : [])]),
  }))
}

/** The chain does not know accounts that exist only in an emulation. */
function isWallet({ transaction }: TraceNode, book: AccountBook): boolean {
  const code = transaction.transaction.inMessage?.init?.code
  if (code && walletVersionOf(code.hash().toString('hex')) !== null) return true
  return book.describe(transaction.account).is_wallet
}

type Found = ActionDetails & Pick<Action, 'isOk'> & { readonly taken: readonly TraceNode[] }

function toAction({ taken, ...found }: Found): Action {
  const accounts = [...taken.flatMap(participants), found.from, found.to]
  return {
    ...found,
    transactions: taken.map(({ transaction }) => transaction.hash),
    accounts: new Set(accounts.filter((account) => account !== null)),
  }
}

function participants({ transaction }: TraceNode): string[] {
  const info = transaction.transaction.inMessage?.info
  return info?.type === 'internal'
    ? [transaction.account, info.src.toRawString()]
    : [transaction.account]
}

function deployment({ transaction }: TraceNode): Action {
  const code = transaction.transaction.inMessage?.init?.code
  const version = code ? walletVersionOf(code.hash().toString('hex')) : null
  return {
    type: 'ContractDeploy',
    isOk: true,
    from: null,
    to: transaction.account,
    amount: 0n,
    interfaces: version === null ? [] : [walletInterface(version)],
    transactions: [transaction.hash],
    accounts: new Set([transaction.account]),
  }
}

function read({ transaction }: TraceNode) {
  const message = transaction.transaction.inMessage ?? null
  const info = message?.info.type === 'internal' ? message.info : null
  return { transaction, info, body: info === null ? null : (message?.body ?? null) }
}

function decodedOf(node: TraceNode): DecodedBody | null {
  const { body } = read(node)
  return body === null ? null : decodeBody(body)
}

const isNamed = (node: TraceNode, name: DecodedBody['name']): boolean =>
  decodedOf(node)?.name === name

const isAftermath = (node: TraceNode): boolean =>
  isNamed(node, 'jetton_notify') || isNamed(node, 'excess')

const isBounce = (node: TraceNode): boolean => read(node).info?.bounced === true

const isOkay = ({ transaction }: TraceNode): boolean =>
  isSuccess(transaction) && !isBouncing(transaction)

function callName(body: DecodedBody | null): string | null {
  if (body === null) return null
  return body.name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/**
 * The orders in a wallet's external message that the wallet could not execute, for example for lack
 * of money. Such an order causes no transaction and becomes a failed action.
 */
async function unmetOrders({ transaction }: TraceNode, contracts: Contracts): Promise<Action[]> {
  const { inMessage, outMessages } = transaction.transaction
  if (inMessage?.info.type !== 'external-in') return []
  const contract = await contracts.of(transaction.account)
  if (contract.kind !== 'wallet') return []
  const orders = decodeWalletOrders(contract.version, inMessage.body)?.orders ?? []
  const actions: Action[] = []
  for (const { order, isSent } of matchOrders(orders, outMessages.values())) {
    if (order === null || isSent) continue
    actions.push({
      ...(await detailsOf(transaction.account, order, contracts)),
      isOk: false,
      transactions: [transaction.hash],
      accounts: new Set([transaction.account, order.info.dest.toRawString()]),
    })
  }
  return actions
}

async function detailsOf(
  from: string,
  { info, body }: InternalOrder,
  contracts: Contracts,
): Promise<ActionDetails> {
  const receiver = info.dest.toRawString()
  const decoded = decodeBody(body)
  const wallet = decoded?.name === 'jetton_transfer' ? await contracts.jettonWallet(receiver) : null
  if (decoded?.name !== 'jetton_transfer' || wallet === null) {
    const content = textOf(body)
    return { type: 'TonTransfer', from, to: receiver, amount: info.value.coins, content }
  }
  return {
    type: 'JettonTransfer',
    master: wallet.master,
    from,
    to: decoded.destination?.toRawString() ?? null,
    sendersWallet: receiver,
    recipientsWallet: noAddress,
    amount: decoded.amount,
    content: decoded.forwardPayload.content,
  }
}
