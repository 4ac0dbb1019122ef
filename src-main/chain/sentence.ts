import type { Asset } from '../../src-preload/contract/chain/references.ts'
import type { SentencePart } from '../../src-preload/contract/chain/transaction.ts'
import {
  type ReadNode,
  type AssetOf,
  type ReadMessage,
  valueOf,
  assetOfExtra,
  tonAsset,
  isJettonMessage,
  isNftTransfer,
} from './read-trace.ts'
import { accountPart, amount, countNoun, enumerateClauses, compose } from './compose-sentence.ts'
import type { Address } from '@ton/core'
import { type DecodedBody, decodeBody } from '../ton/decode-body.ts'
import { opcodes, readOpcode } from '../ton/opcodes.ts'
import type { Naming } from './addresses.ts'
import { isBounced } from './failure.ts'

const maxClauses = 4

export function describeTrace(
  nodes: readonly ReadNode[],
  context: SentenceContext,
): SentencePart[] {
  const [root] = nodes
  if (root === undefined) return []
  const skipped = describeSkipped(root)
  const failures = describeLaterFailures(nodes, root, context)
  return compose`${describeRoot(root, context)}${skipped}${failures}.`
}

function describeRoot(root: ReadNode, context: SentenceContext): SentencePart[] {
  const { transaction, message, failure } = root
  const subject = accountPart(context.name(transaction.account))
  const actions = actionsOf(root)
  const clauses = describeActions(actions, context)
  const afterwards = clauses.length === 0 ? [] : compose` and ${enumerateClauses(clauses)}`
  if (message === null) {
    const cause = transaction.transaction_type === 'TransTickTock' ? 'the clock' : 'itself'
    const outcome = failure === null ? '' : `, but it failed (${failure})`
    return compose`${subject} ran by ${cause}${outcome}${afterwards}`
  }
  const { source } = message.answer
  if (message.answer.msg_type === 'int_msg' && source) {
    const action = describeAction({ message, node: root }, context)
    return compose`${accountPart(context.name(source))} ${action}`
  }
  const took = `${context.isEmulated ? 'would take' : 'took'} a message from outside`
  if (failure !== null) {
    const sent = actions.length === 0 ? ' and nothing was sent' : ''
    return compose`${subject} ${took}, but it failed (${failure})${sent}${afterwards}`
  }
  if (isDeployed(root))
    clauses.unshift(compose`${context.isEmulated ? 'would be' : 'was'} deployed`)
  if (clauses.length > 0) return compose`${subject} ${enumerateClauses(clauses)}`
  return compose`${subject} ${took} and ${context.isEmulated ? 'send' : 'sent'} nothing`
}

function actionsOf(node: ReadNode): Action[] {
  const arrived = node.children.flatMap((child): Action[] =>
    child.message === null ? [] : [{ message: child.message, node: child }],
  )
  return [...arrived, ...node.underWay.map((message): Action => ({ message, node: null }))]
}

function describeActions(actions: readonly Action[], context: SentenceContext): SentencePart[][] {
  const groups = new Map<string, { clause: SentencePart[]; items: Action[] }>()
  const more: Action[] = []
  for (const action of actions) {
    const clause = describeAction(action, context)
    const key = JSON.stringify(clause)
    const group = groups.get(key)
    if (group !== undefined) group.items.push(action)
    else if (groups.size < maxClauses) groups.set(key, { clause, items: [action] })
    else more.push(action)
  }
  const clauses = [...groups.values()].map(({ clause, items: { length } }) =>
    length === 1 ? clause : compose`${String(length)} times ${clause}`,
  )
  return more.length === 0 ? clauses : [...clauses, compose`${describeMore(more, context)}`]
}

function describeMore(actions: readonly Action[], { isEmulated }: SentenceContext): string {
  const sent = `${isEmulated ? 'would send' : 'sent'} ${countNoun(actions.length, 'more message')}`
  const failed = actions.filter(
    ({ node }) => node !== null && failedStep(node) !== undefined,
  ).length
  if (failed === 0) return sent
  return `${sent}, of which ${failed} ${isEmulated ? 'would fail' : 'failed'}`
}

/** Describes failed actions that the contract marked as skippable: mostly messages without enough TON. */
function describeSkipped({ transaction }: ReadNode): string {
  const skipped = transaction.action_phase?.skipped_actions ?? 0
  return skipped === 0
    ? ''
    : `; ${countNoun(skipped, 'action')} failed and ${skipped === 1 ? 'was' : 'were'} skipped`
}

function describeLaterFailures(
  nodes: readonly ReadNode[],
  root: ReadNode,
  { isEmulated }: SentenceContext,
): string {
  // The sentence covers the root and, unless an internal message began the trace, its children.
  const isSingleAction = root.message?.answer.msg_type === 'int_msg'
  const covered = new Set((isSingleAction ? [root] : [root, ...root.children]).flatMap(stepsOf))
  const failures = nodes.filter((node) => node.failure !== null && !covered.has(node)).length
  if (failures === 0) return ''
  return `; later in the trace, ${countNoun(failures, 'transaction')} ${isEmulated ? 'would fail' : 'failed'}`
}

type SentenceContext = {
  readonly name: Naming
  readonly assetOf: AssetOf
  /** True for an emulated trace, whose sentence uses the conditional. */
  readonly isEmulated: boolean
}

/** The node is null until the message arrives. */
type Action = { readonly message: ReadMessage; readonly node: ReadNode | null }

const describeAction = (action: Action, context: SentenceContext): SentencePart[] =>
  compose`${describeAct(action, context)}${describeOutcome(action.node)}`

function describeAct({ message, node }: Action, context: SentenceContext): SentencePart[] {
  const { answer, body } = message
  const { destination } = answer
  const to = destination ? accountPart(context.name(destination)) : 'no account'
  const comment = withComment(message)
  const verb = (past: Verb) => (context.isEmulated ? `would ${infinitives[past]}` : past)
  const moved = (units: bigint) => jettons(units, context.assetOf(destination?.address ?? ''))
  const isJetton = isJettonAction({ message, node }, context)
  if (isJetton && body?.name === 'jetton_transfer') {
    const owner = named(body.destination, context)
    return compose`${verb('sent')} ${moved(body.amount)} to ${owner}${comment}`
  }
  if (isJetton && body?.name === 'jetton_internal_transfer') {
    return compose`${verb('sent')} ${moved(body.amount)} to the jetton wallet ${to}${comment}`
  }
  if (isJetton && body?.name === 'jetton_burn')
    return compose`${verb('burned')} ${moved(body.amount)}`
  if (isJetton && body?.name === 'jetton_mint') {
    const owner = named(body.toAddress, context)
    return compose`${verb('minted')} ${minted(body, node, context)} for ${owner}`
  }
  if (body?.name === 'nft_transfer' && isNftTransfer(node)) {
    return compose`${verb('sent')} the NFT ${to} to ${named(body.newOwner, context)}${comment}`
  }
  const value = amountOf(message)
  if (node !== null && isDeployed(node)) {
    const isFree = valueOf(answer) === 0n && answer.value_extra.length === 0
    return compose`${verb('deployed')} ${to}${isFree ? '' : compose` with ${value}`}${comment}`
  }
  if (isCall(message, node)) {
    const operation = message.operation === null ? '' : `${message.operation}, `
    const call = `${operation}opcode ${message.opcode ?? 'unknown'}`
    return compose`${verb('called')} ${to} (${call}), attaching ${value}`
  }
  // A comment and an excess explain themselves; any other opcode means nothing to a wallet.
  const isNamed = message.opcode !== null && !isSelfDescribing(message)
  const opcode = isNamed ? ` with the opcode ${message.operation ?? message.opcode ?? ''}` : ''
  return compose`${verb('sent')} ${value} to ${to}${opcode === '' ? comment : opcode}`
}

function isJettonAction({ message, node }: Action, context: SentenceContext): boolean {
  if (message.body?.name !== 'jetton_mint') {
    return isJettonMessage(message, { node, parent: node?.parent ?? null }, context.assetOf)
  }
  if (node?.interfaces.includes('jetton_master') === true) return true
  return (node?.children ?? []).some(
    (child) =>
      child.message?.body?.name === 'jetton_internal_transfer' &&
      isJettonAction({ message: child.message, node: child }, context),
  )
}

function amountOf({ answer }: ReadMessage): SentencePart[] {
  const extra = answer.value_extra.map((currency): SentencePart[] => [
    amount(currency.amount, assetOfExtra(currency)),
  ])
  const ton = valueOf(answer)
  const coins = ton === 0n && extra.length > 0 ? [] : [[amount(ton.toString(), tonAsset)]]
  return enumerateClauses([...coins, ...extra])
}

function minted(
  body: Extract<DecodedBody, { name: 'jetton_mint' }>,
  node: ReadNode | null,
  context: SentenceContext,
): string | SentencePart {
  const order = decodeBody(body.masterMsg)
  if (order === null || !('amount' in order)) return 'jettons'
  const wallet = node?.children.find(
    ({ message }) => message?.body?.name === 'jetton_internal_transfer',
  )
  return jettons(order.amount, wallet && context.assetOf(wallet.transaction.account.address))
}

function isSelfDescribing({ opcode, body }: ReadMessage): boolean {
  // Opcode 0 marks a comment, even one that cannot be decoded.
  if (opcode !== null && readOpcode(opcode) === opcodes.textComment) return true
  return body?.name === 'encrypted_text_comment' || body?.name === 'excess'
}

function isCall(message: ReadMessage, node: ReadNode | null): boolean {
  if (message.opcode === null || isSelfDescribing(message)) return false
  const isWallet = message.answer.destination?.is_wallet === true
  const hasRun = node === null || node.transaction.compute_phase?.skipped === false
  return hasRun && !isWallet
}

const isDeployed = ({ transaction }: ReadNode): boolean =>
  transaction.orig_status !== 'active' && transaction.end_status === 'active'

function describeOutcome(node: ReadNode | null): string {
  if (node === null) return ' (on its way)'
  const failed = failedStep(node)
  if (failed === undefined) return ''
  const fate = isBounced(failed.transaction) ? 'it was returned' : 'it failed'
  return `, but ${fate} (${failed.failure ?? ''})`
}

const failedStep = (node: ReadNode): ReadNode | undefined =>
  stepsOf(node).find(({ failure }) => failure !== null)

function stepsOf(node: ReadNode): ReadNode[] {
  const isOrder = ['jetton_transfer', 'jetton_burn', 'jetton_mint'].includes(
    node.message?.body?.name ?? '',
  )
  const carriers = node.children.filter(({ message }) => {
    const name = message?.body?.name
    return name === 'jetton_internal_transfer' || name === 'jetton_burn_notification'
  })
  return isOrder ? [node, ...carriers] : [node]
}

const infinitives = {
  sent: 'send',
  burned: 'burn',
  minted: 'mint',
  deployed: 'deploy',
  called: 'call',
}
type Verb = keyof typeof infinitives

function jettons(units: bigint, asset: Asset | null | undefined): string | SentencePart {
  return asset ? amount(units.toString(), asset) : `${units} units of an unknown jetton`
}

function withComment({ comment, body }: ReadMessage): SentencePart[] {
  if (comment) return compose` with the comment ${{ kind: 'quote', text: comment }}`
  return body?.name === 'encrypted_text_comment' ? compose` with an encrypted comment` : []
}

const named = (address: Address | null, { name }: SentenceContext): string | SentencePart =>
  address === null ? 'no account' : accountPart(name(address.toRawString()))
