import type { CommonMessageInfoInternal } from '@ton/core'
import { decodeBody, readOperation, type DecodedBody } from '../../ton/decode-body.ts'
import { type PayloadContent, decodePayload } from '../../ton/payload.ts'
import { opcodes, formatOpcode } from '../../ton/opcodes.ts'
import { walletInterface, walletVersionOf } from '../../ton/wallet.ts'
import type { TraceNode } from '../chain/chain.ts'
import type { AccountBook, Contracts } from './accounts.ts'
import { type Action, type ActionDetails, noAddress, subjectsOf } from './actions.ts'
import { isBouncing, isSuccess, isWithoutState } from './transaction-json.ts'
import { unmetOrders } from './unmet-orders.ts'

type ActionsDeps = { readonly contracts: Contracts; readonly book: AccountBook }

/**
 * In order of occurrence, deployments after their cause. Orders that a wallet could not execute
 * come last, as in the service's open edition.
 */
export async function findActions(root: TraceNode, deps: ActionsDeps): Promise<Action[]> {
  const { contracts, book } = deps
  const actions: Action[] = []

  async function walk(node: TraceNode, parent: TraceNode | null): Promise<void> {
    const found = (await jettonAction(node, parent)) ?? plainAction(node)
    const taken = found?.taken ?? [node]
    if (found !== null) actions.push(toAction(found.isOk, found.details, taken))
    for (const each of taken) {
      for (const child of each.children) {
        if (!taken.includes(child)) await walk(child, each)
      }
    }
    for (const each of taken) {
      if (each.transaction.deployed) actions.push(deployment(each))
    }
  }

  function plainAction(node: TraceNode): Found | null {
    const { transaction, body, info } = read(node)
    if (info === null || body === null) return null
    const isBack = isBouncing(transaction)
    const taken = isBack ? [node, ...node.children.filter(isBounce)] : [node]
    const sender = info.src.toRawString()
    const recipient = transaction.account
    const amount = info.value.coins
    const operation = readOperation(body)
    const isCall =
      operation !== null &&
      operation !== opcodes.textComment &&
      operation !== opcodes.encryptedComment &&
      !isWithoutState(transaction) &&
      !isWallet(node) &&
      amount !== 0n
    if (isCall) {
      const isOk = isSuccess(transaction.transaction.description) && !isBack
      const name = callName(decodeBody(body)) ?? formatOpcode(operation)
      return {
        isOk,
        taken,
        details: {
          type: 'SmartContractExec',
          executor: sender,
          contract: recipient,
          amount,
          operation: name,
        },
      }
    }
    const content: PayloadContent = decodePayload(body)
    return {
      isOk: !isBack,
      taken,
      details: { type: 'TonTransfer', sender, recipient, amount, content: textOnly(content) },
    }
  }

  async function jettonAction(node: TraceNode, parent: TraceNode | null): Promise<Found | null> {
    const { body, info } = read(node)
    if (body === null || info === null) return null
    const decoded = decodeBody(body)
    if (decoded?.name === 'jetton_transfer') return jettonTransfer(node, info, decoded)
    if (decoded?.name === 'jetton_internal_transfer') {
      return jettonMint(node, parent, info, decoded)
    }
    return decoded?.name === 'jetton_burn' ? jettonBurn(node, info, decoded) : null
  }

  async function jettonTransfer(
    node: TraceNode,
    info: CommonMessageInfoInternal,
    body: Named<'jetton_transfer'>,
  ): Promise<Found | null> {
    const wallet = await contracts.jettonWallet(node.transaction.account)
    if (wallet === null) return null
    const arrival = node.children.find((child) => isNamed(child, 'jetton_internal_transfer'))
    const received = arrival === undefined ? [] : arrival.children.filter(isAftermath)
    const returned = [node, ...(arrival === undefined ? [] : [arrival])].flatMap((each) =>
      each.children.filter(isBounce),
    )
    return {
      isOk: arrival !== undefined && isOkay(node) && isOkay(arrival),
      taken: [node, ...(arrival === undefined ? [] : [arrival]), ...received, ...returned],
      details: {
        type: 'JettonTransfer',
        master: wallet.master,
        sender: info.src.toRawString(),
        recipient: body.destination?.toRawString() ?? null,
        sendersWallet: node.transaction.account,
        recipientsWallet: arrival?.transaction.account ?? noAddress,
        amount: body.amount,
        content: body.forwardPayload.content,
      },
    }
  }

  async function jettonMint(
    node: TraceNode,
    parent: TraceNode | null,
    info: CommonMessageInfoInternal,
    body: Named<'jetton_internal_transfer'>,
  ): Promise<Found | null> {
    const master = info.src.toRawString()
    if (!(await contracts.isJettonMaster(master))) return null
    const wallet = await contracts.jettonWallet(node.transaction.account)
    const aftermath = node.children.filter(isAftermath)
    const notified = aftermath.find((child) => isNamed(child, 'jetton_notify'))
    const order = parent === null ? null : decodedOf(parent)
    const ordered = order?.name === 'jetton_mint' ? order.toAddress?.toRawString() : undefined
    return {
      isOk: isOkay(node),
      taken: [node, ...aftermath, ...node.children.filter(isBounce)],
      details: {
        type: 'JettonMint',
        master,
        recipient:
          wallet?.owner ?? notified?.transaction.account ?? ordered ?? node.transaction.account,
        recipientsWallet: node.transaction.account,
        amount: body.amount,
      },
    }
  }

  async function jettonBurn(
    node: TraceNode,
    info: CommonMessageInfoInternal,
    body: Named<'jetton_burn'>,
  ): Promise<Found | null> {
    const wallet = await contracts.jettonWallet(node.transaction.account)
    if (wallet === null) return null
    const told = node.children.find((child) => isNamed(child, 'jetton_burn_notification'))
    const below = [node, ...(told === undefined ? [] : [told])].flatMap((each) =>
      each.children.filter((child) => isAftermath(child) || isBounce(child)),
    )
    return {
      isOk: told !== undefined && isOkay(node) && isOkay(told),
      taken: [node, ...(told === undefined ? [] : [told]), ...below],
      details: {
        type: 'JettonBurn',
        master: wallet.master,
        sender: info.src.toRawString(),
        sendersWallet: node.transaction.account,
        amount: body.amount,
      },
    }
  }

  /** The chain does not know accounts that exist in an emulation only. */
  function isWallet({ transaction }: TraceNode): boolean {
    const code = transaction.transaction.inMessage?.init?.code
    if (code && walletVersionOf(code.hash().toString('hex')) !== null) return true
    return book.isWallet(transaction.account)
  }

  await walk(root, null)
  actions.push(...(await unmetOrders(root, deps)))
  return actions
}

type Found = {
  readonly isOk: boolean
  readonly details: ActionDetails
  readonly taken: readonly TraceNode[]
}

type Named<Name extends DecodedBody['name']> = Extract<DecodedBody, { name: Name }>

function toAction(isOk: boolean, details: ActionDetails, taken: readonly TraceNode[]): Action {
  return {
    isOk,
    details,
    transactions: taken.map(({ transaction }) => transaction.hash),
    accounts: new Set([...taken.flatMap(participants), ...subjectsOf(details)].filter(isAccount)),
  }
}

function participants({ transaction }: TraceNode): string[] {
  const info = transaction.transaction.inMessage?.info
  return info?.type === 'internal'
    ? [transaction.account, info.src.toRawString()]
    : [transaction.account]
}

function isAccount(account: string | null): account is string {
  return account !== null
}

function deployment({ transaction }: TraceNode): Action {
  const code = transaction.transaction.inMessage?.init?.code
  const version = code ? walletVersionOf(code.hash().toString('hex')) : null
  return {
    isOk: true,
    details: {
      type: 'ContractDeploy',
      address: transaction.account,
      interfaces: version === null ? [] : [walletInterface(version)],
    },
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

function isNamed(node: TraceNode, name: DecodedBody['name']): boolean {
  return decodedOf(node)?.name === name
}

function isAftermath(node: TraceNode): boolean {
  return isNamed(node, 'jetton_notify') || isNamed(node, 'excess')
}

function isBounce(node: TraceNode): boolean {
  return read(node).info?.bounced === true
}

function isOkay({ transaction }: TraceNode): boolean {
  return isSuccess(transaction.transaction.description) && !isBouncing(transaction)
}

/** A payload that is not a comment belongs to another action. */
function textOnly(content: PayloadContent): PayloadContent {
  return content.kind === 'other' ? { kind: 'empty' } : content
}

function callName(body: DecodedBody | null): string | null {
  if (body === null) return null
  return body.name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
