import type { SentencePart, Asset } from '../../src-preload/contract/chain.ts'
import {
  type ReadNode,
  type AssetOf,
  type ReadMessage,
  valueOf,
  assetOfExtra,
  tonAsset,
} from './read-trace.ts'
import { account, count, enumerate, joinWords, words, amount } from './sentence-parts.ts'
import type { AccountAddress } from '../gateway/query-answers.ts'
import { type DecodedBody, decodeBody } from '../ton/decode-body.ts'
import { opcodes, readOpcode } from '../ton/opcodes.ts'
import type { Naming } from './addresses.ts'
import { isReturned } from './failure.ts'

const maxClauses = 4

export function describeTrace(
  nodes: readonly ReadNode[],
  context: SentenceContext,
): SentencePart[] {
  const [root] = nodes
  if (root === undefined) return []
  return joinWords([
    ...describeRoot(root, context),
    ...describeSkipped(root),
    ...describeLaterFailures(nodes, root, context),
    words('.'),
  ])
}

function describeRoot(root: ReadNode, context: SentenceContext): SentencePart[] {
  const { transaction, message, failure } = root
  const subject = account(context.name(transaction.account))
  const actions = actionsOf(root)
  if (message === null) {
    const what =
      transaction.transaction_type === 'TransTickTock' ? 'ran by the clock' : 'ran by itself'
    const outcome = failure === null ? [] : [words(`, but it failed (${failure})`)]
    return [subject, words(` ${what}`), ...outcome, ...afterwards(actions, context)]
  }
  const { source } = message.answer
  if (message.answer.msg_type === 'int_msg' && source) {
    return [
      account(context.name(source)),
      words(' '),
      ...describeAction({ message, node: root }, context),
    ]
  }
  if (failure !== null) {
    const verb = context.isEmulated ? ' would take' : ' took'
    const sent = actions.length === 0 ? ' and nothing was sent' : ''
    return [
      subject,
      words(`${verb} a message from outside, but it failed (${failure})${sent}`),
      ...afterwards(actions, context),
    ]
  }
  const own = isDeployed(root)
    ? [[words(context.isEmulated ? 'would be deployed' : 'was deployed')]]
    : []
  const clauses = [...own, ...describeActions(actions, context)]
  if (clauses.length === 0) {
    const did = context.isEmulated
      ? 'would take a message from outside and send'
      : 'took a message from outside and sent'
    return [subject, words(` ${did} nothing`)]
  }
  return [subject, words(' '), ...enumerate(clauses)]
}

function actionsOf(node: ReadNode): Action[] {
  const arrived = node.children.flatMap((child): Action[] =>
    child.message === null ? [] : [{ message: child.message, node: child }],
  )
  return [...arrived, ...node.underWay.map((message): Action => ({ message, node: null }))]
}

function afterwards(actions: readonly Action[], context: SentenceContext): SentencePart[] {
  return actions.length === 0
    ? []
    : [words(' and '), ...enumerate(describeActions(actions, context))]
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
    length === 1 ? clause : [words(`${length} times `), ...clause],
  )
  return more.length === 0 ? clauses : [...clauses, [words(describeMore(more, context))]]
}

function describeMore(actions: readonly Action[], { isEmulated }: SentenceContext): string {
  const sent = `${isEmulated ? 'would send' : 'sent'} ${count(actions.length, 'more message')}`
  const failed = actions.filter(
    ({ node }) => node !== null && failedStep(node) !== undefined,
  ).length
  if (failed === 0) return sent
  return `${sent}, of which ${failed} ${isEmulated ? 'would fail' : 'failed'}`
}

/** Failed actions that the contract marked as skippable: mostly messages without enough TON. */
function describeSkipped({ transaction }: ReadNode): SentencePart[] {
  const skipped = transaction.action_phase?.skipped_actions ?? 0
  return skipped === 0 ? [] : [words(`; ${count(skipped, 'action')} could not be carried out`)]
}

function describeLaterFailures(
  nodes: readonly ReadNode[],
  root: ReadNode,
  { isEmulated }: SentenceContext,
): SentencePart[] {
  // The sentence covers the root and, unless an internal message began the trace, its children.
  const isSingleAction = root.message?.answer.msg_type === 'int_msg'
  const covered = new Set((isSingleAction ? [root] : [root, ...root.children]).flatMap(stepsOf))
  const failures = nodes.filter((node) => node.failure !== null && !covered.has(node)).length
  if (failures === 0) return []
  const verb = isEmulated ? 'would fail' : 'failed'
  return [words(`; further on, ${count(failures, 'transaction')} ${verb}`)]
}

type SentenceContext = {
  readonly name: Naming
  readonly assetOf: AssetOf
  /** True for an emulated trace, whose sentence uses the conditional. */
  readonly isEmulated: boolean
}

/** The node is null before the message arrives. */
type Action = { readonly message: ReadMessage; readonly node: ReadNode | null }

function describeAction(action: Action, context: SentenceContext): SentencePart[] {
  return [...describeAct(action, context), ...describeOutcome(action.node)]
}

function describeAct({ message, node }: Action, context: SentenceContext): SentencePart[] {
  const { answer, body } = message
  const to = answer.destination ? account(context.name(answer.destination)) : words('nobody')
  const value = amountOf(message)
  const say = verbs(context)
  switch (body?.name) {
    case 'jetton_transfer':
      return [
        words(`${say('sent')} `),
        ...jettons(body.amount, context.assetOf(addressOf(answer.destination))),
        words(' to '),
        named(body.destination?.toRawString(), context),
        ...withComment(message),
      ]
    case 'jetton_internal_transfer':
      return [
        words(`${say('sent')} `),
        ...jettons(body.amount, context.assetOf(addressOf(answer.destination))),
        words(' to the jetton wallet '),
        to,
        ...withComment(message),
      ]
    case 'jetton_burn':
      return [
        words(`${say('burned')} `),
        ...jettons(body.amount, context.assetOf(addressOf(answer.destination))),
      ]
    case 'jetton_mint':
      return describeMint(body, node, context)
    case 'nft_transfer':
      return [
        words(`${say('sent')} the NFT `),
        to,
        words(' to '),
        named(body.newOwner?.toRawString(), context),
        ...withComment(message),
      ]
    case 'text_comment':
    case 'encrypted_text_comment':
    case 'excess':
    case 'bounce':
    case 'jetton_notify':
    case 'jetton_burn_notification':
    case 'nft_ownership_assigned':
    case undefined:
  }
  if (node !== null && isDeployed(node)) {
    const isFree = valueOf(answer) === 0n && answer.value_extra.length === 0
    const along = isFree ? [] : [words(' with '), ...value]
    return [words(`${say('deployed')} `), to, ...along, ...withComment(message)]
  }
  if (isCall(message, node)) {
    const named = message.operation === null ? '' : `${message.operation}, `
    return [
      words(`${say('called')} `),
      to,
      words(` (${named}opcode ${message.opcode ?? 'unknown'}), attaching `),
      ...value,
    ]
  }
  return [words(`${say('sent')} `), ...value, words(' to '), to, ...withComment(message)]
}

function amountOf({ answer }: ReadMessage): SentencePart[] {
  const extra = answer.value_extra.map((currency): SentencePart[] => [
    amount(currency.amount, assetOfExtra(currency)),
  ])
  const ton = valueOf(answer)
  const coins = ton === 0n && extra.length > 0 ? [] : [[amount(ton.toString(), tonAsset)]]
  return enumerate([...coins, ...extra])
}

function describeMint(
  body: Extract<DecodedBody, { name: 'jetton_mint' }>,
  node: ReadNode | null,
  context: SentenceContext,
): SentencePart[] {
  const order = decodeBody(body.masterMessage)
  const units = order !== null && 'amount' in order ? order.amount : null
  const wallet = node?.children.find(
    ({ message }) => message?.body?.name === 'jetton_internal_transfer',
  )
  const asset = wallet && context.assetOf(wallet.transaction.account.address)
  return [
    words(`${verbs(context)('minted')} `),
    ...(units === null ? [words('jettons')] : jettons(units, asset)),
    words(' for '),
    named(body.toAddress?.toRawString(), context),
  ]
}

function isCall({ opcode, body, answer }: ReadMessage, node: ReadNode | null): boolean {
  // Opcode 0 marks a comment, even one that cannot be decoded.
  if (opcode === null || readOpcode(opcode) === opcodes.textComment) return false
  if (body?.name === 'encrypted_text_comment' || body?.name === 'excess') return false
  const isWallet = answer.destination?.is_wallet === true
  const hasRun = node === null || node.transaction.compute_phase?.skipped === false
  return hasRun && !isWallet
}

function isDeployed({ transaction }: ReadNode): boolean {
  return transaction.orig_status !== 'active' && transaction.end_status === 'active'
}

function describeOutcome(node: ReadNode | null): SentencePart[] {
  if (node === null) return [words(' (on its way)')]
  const failed = failedStep(node)
  if (failed === undefined) return []
  const fate = isReturned(failed.transaction) ? 'it was returned' : 'it failed'
  return [words(`, but ${fate} (${failed.failure ?? ''})`)]
}

function failedStep(node: ReadNode): ReadNode | undefined {
  return stepsOf(node).find(({ failure }) => failure !== null)
}

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

type Verb = 'sent' | 'burned' | 'minted' | 'deployed' | 'called'

const infinitives: Readonly<Record<Verb, string>> = {
  sent: 'send',
  burned: 'burn',
  minted: 'mint',
  deployed: 'deploy',
  called: 'call',
}

function verbs({ isEmulated }: SentenceContext): (verb: Verb) => string {
  return (verb) => (isEmulated ? `would ${infinitives[verb]}` : verb)
}

function jettons(units: bigint, asset: Asset | null | undefined): SentencePart[] {
  if (asset) return [amount(units.toString(), asset)]
  return [words(`${units} units of an unknown jetton`)]
}

function withComment({ comment, body }: ReadMessage): SentencePart[] {
  if (comment !== null && comment !== '') {
    return [words(' with the comment '), { kind: 'quote', text: comment }]
  }
  return body?.name === 'encrypted_text_comment' ? [words(' with an encrypted comment')] : []
}

function named(address: string | undefined, { name }: SentenceContext): SentencePart {
  return address === undefined ? words('nobody') : account(name(address))
}

function addressOf(account: AccountAddress | null | undefined): string {
  return account?.address ?? ''
}
