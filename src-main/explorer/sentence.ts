/** What a trace did, in one plain sentence. What is not known is said to be unknown. */
import type { AccountRef, Asset, SentencePart } from '../../src-preload/contract/index.ts'
import type { AccountAddress } from '../gateway/query-answers.ts'
import type { DecodedBody } from '../ton/decode-body.ts'
import { decodeBody } from '../ton/decode-body.ts'
import type { Naming } from './account-refs.ts'
import { isReturned } from './exit-words.ts'
import type { AssetOf } from './jetton-movement.ts'
import type { ReadMessage } from './read-message.ts'
import type { ReadNode } from './read-trace.ts'

export type Telling = {
  readonly name: Naming
  readonly assetOf: AssetOf
  /** It is told of what would happen. */
  readonly isEmulated: boolean
}

export const tonAsset: Asset = { jetton: null, symbol: 'TON', decimals: 9 }

/** What one message did. Without a node it has not arrived yet. */
type Deed = { readonly message: ReadMessage; readonly node: ReadNode | null }

/** More are counted. */
const mostTold = 4

/** @param nodes of one trace, the root first */
export function tellTrace(nodes: readonly ReadNode[], telling: Telling): SentencePart[] {
  const [root] = nodes
  if (root === undefined) return []
  const told = [...tellRoot(root, telling), ...tellLaterFailures(nodes, root)]
  return joinWords([...told, words('.')])
}

function tellRoot(root: ReadNode, telling: Telling): SentencePart[] {
  const { transaction, message, failure } = root
  const subject = account(telling.name(transaction.account))
  const deeds = deedsOf(root)
  if (message === null) {
    const what =
      transaction.transaction_type === 'TransTickTock' ? 'ran by the clock' : 'ran by itself'
    const outcome = failure === null ? [] : [words(`, but it failed (${failure})`)]
    return [subject, words(` ${what}`), ...outcome, ...afterwards(deeds, telling)]
  }
  const { source } = message.answer
  if (message.answer.msg_type === 'int_msg' && source) {
    return [
      account(telling.name(source)),
      words(' '),
      ...tellDeed({ message, node: root }, telling),
    ]
  }
  if (failure !== null) {
    const verb = telling.isEmulated ? ' would take' : ' took'
    const sent = deeds.length === 0 ? ' and nothing was sent' : ''
    return [
      subject,
      words(`${verb} a message from outside, but it failed (${failure})${sent}`),
      ...afterwards(deeds, telling),
    ]
  }
  const own = isDeployed(root)
    ? [[words(telling.isEmulated ? 'would be deployed' : 'was deployed')]]
    : []
  const clauses = [...own, ...tellDeeds(deeds, telling)]
  if (clauses.length === 0) {
    const did = telling.isEmulated
      ? 'would take a message from outside and send'
      : 'took a message from outside and sent'
    return [subject, words(` ${did} nothing`)]
  }
  return [subject, words(' '), ...enumerate(clauses)]
}

function deedsOf(node: ReadNode): Deed[] {
  const arrived = node.children.flatMap((child): Deed[] =>
    child.message === null ? [] : [{ message: child.message, node: child }],
  )
  return [...arrived, ...node.underWay.map((message): Deed => ({ message, node: null }))]
}

function afterwards(deeds: readonly Deed[], telling: Telling): SentencePart[] {
  return deeds.length === 0 ? [] : [words(' and '), ...enumerate(tellDeeds(deeds, telling))]
}

function tellDeeds(deeds: readonly Deed[], telling: Telling): SentencePart[][] {
  const told = deeds.slice(0, mostTold).map((deed) => tellDeed(deed, telling))
  const more = deeds.length - told.length
  const verb = telling.isEmulated ? 'would send' : 'sent'
  return more === 0 ? told : [...told, [words(`${verb} ${count(more, 'more message')}`)]]
}

/** Begins with its verb. */
function tellDeed(deed: Deed, telling: Telling): SentencePart[] {
  return [...tellAct(deed, telling), ...tellOutcome(deed.node)]
}

function tellAct({ message, node }: Deed, telling: Telling): SentencePart[] {
  const { answer, body } = message
  const to = answer.destination ? account(telling.name(answer.destination)) : words('nobody')
  const value = amount(answer.value, tonAsset)
  const say = verbs(telling)
  switch (body?.name) {
    case 'jetton_transfer':
      return [
        words(`${say('sent')} `),
        ...jettons(body.amount, telling.assetOf(addressOf(answer.destination))),
        words(' to '),
        named(body.destination?.toRawString(), telling),
        ...withComment(message),
      ]
    case 'jetton_internal_transfer':
      return [
        words(`${say('sent')} `),
        ...jettons(body.amount, telling.assetOf(addressOf(answer.destination))),
        words(' to the jetton wallet '),
        to,
        ...withComment(message),
      ]
    case 'jetton_burn':
      return [
        words(`${say('burned')} `),
        ...jettons(body.amount, telling.assetOf(addressOf(answer.destination))),
      ]
    case 'jetton_mint':
      return tellMint(body, node, telling)
    case 'nft_transfer':
      return [
        words(`${say('sent')} the NFT `),
        to,
        words(' to '),
        named(body.newOwner?.toRawString(), telling),
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
    const value = BigInt(answer.value) > 0n ? [words(' with '), amount(answer.value, tonAsset)] : []
    return [words(`${say('deployed')} `), to, ...value, ...withComment(message)]
  }
  if (isCall(message, node)) {
    const named = message.operation === null ? '' : `${message.operation}, `
    return [
      words(`${say('called')} `),
      to,
      words(` (${named}opcode ${message.opcode ?? 'unknown'}), attaching `),
      value,
    ]
  }
  return [words(`${say('sent')} `), value, words(' to '), to, ...withComment(message)]
}

function tellMint(
  body: Extract<DecodedBody, { name: 'jetton_mint' }>,
  node: ReadNode | null,
  telling: Telling,
): SentencePart[] {
  const order = decodeBody(body.masterMessage)
  const units = order !== null && 'amount' in order ? order.amount : null
  const wallet = node?.children.find(
    ({ message }) => message?.body?.name === 'jetton_internal_transfer',
  )
  const asset = wallet ? telling.assetOf(wallet.transaction.account.address) : null
  return [
    words(`${verbs(telling)('minted')} `),
    ...(units === null ? [words('jettons')] : jettons(units, asset)),
    words(' for '),
    named(body.toAddress?.toRawString(), telling),
  ]
}

/** A message whose first bits are an opcode, to what is a contract and no wallet. */
function isCall({ opcode, body, answer }: ReadMessage, node: ReadNode | null): boolean {
  if (opcode === null || body?.name === 'text_comment') return false
  if (body?.name === 'encrypted_text_comment' || body?.name === 'excess') return false
  const isWallet = answer.destination?.is_wallet === true
  const hasRun = node === null || node.transaction.compute_phase?.skipped === false
  return hasRun && !isWallet
}

function isDeployed({ transaction }: ReadNode): boolean {
  return transaction.orig_status !== 'active' && transaction.end_status === 'active'
}

/** Of the transaction itself, and of the one that carries its jettons on. */
function tellOutcome(node: ReadNode | null): SentencePart[] {
  if (node === null) return [words(' (on its way)')]
  const failed = stepsOf(node).find(({ failure }) => failure !== null)
  if (failed === undefined) return []
  const fate = isReturned(failed.transaction) ? 'it was returned' : 'it failed'
  return [words(`, but ${fate} (${failed.failure ?? ''})`)]
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

function tellLaterFailures(nodes: readonly ReadNode[], root: ReadNode): SentencePart[] {
  const told = new Set([root, ...root.children.slice(0, mostTold)].flatMap(stepsOf))
  if (root.message?.answer.msg_type === 'int_msg')
    root.children.forEach((child) => told.delete(child))
  const failures = nodes.filter((node) => node.failure !== null && !told.has(node)).length
  return failures === 0 ? [] : [words(`; further on, ${count(failures, 'transaction')} failed`)]
}

type Verb = 'sent' | 'burned' | 'minted' | 'deployed' | 'called'

const infinitives: Readonly<Record<Verb, string>> = {
  sent: 'send',
  burned: 'burn',
  minted: 'mint',
  deployed: 'deploy',
  called: 'call',
}

function verbs({ isEmulated }: Telling): (verb: Verb) => string {
  return (verb) => (isEmulated ? `would ${infinitives[verb]}` : verb)
}

function jettons(units: bigint, asset: Asset | null): SentencePart[] {
  if (asset !== null) return [amount(units.toString(), asset)]
  return [words(`${units} units of an unknown jetton`)]
}

function withComment({ comment, body }: ReadMessage): SentencePart[] {
  if (comment !== null && comment !== '') {
    return [words(' with the comment '), { kind: 'quote', text: comment }]
  }
  return body?.name === 'encrypted_text_comment' ? [words(' with an encrypted comment')] : []
}

function named(address: string | undefined, { name }: Telling): SentencePart {
  return address === undefined ? words('nobody') : account(name(address))
}

function addressOf(account: AccountAddress | null | undefined): string {
  return account?.address ?? ''
}

function account(ref: AccountRef): SentencePart {
  return { kind: 'account', account: ref }
}

function amount(units: string, asset: Asset): SentencePart {
  return { kind: 'amount', units, asset }
}

function words(text: string): SentencePart {
  return { kind: 'words', text }
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`
}

/** `a, b and c` */
function enumerate(clauses: readonly SentencePart[][]): SentencePart[] {
  return clauses.flatMap((clause, index) => {
    if (index === 0) return clause
    return [words(index === clauses.length - 1 ? ' and ' : ', '), ...clause]
  })
}

function joinWords(parts: readonly SentencePart[]): SentencePart[] {
  const joined: SentencePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'words' && last?.kind === 'words') {
      joined[joined.length - 1] = words(last.text + part.text)
    } else {
      joined.push(part)
    }
  }
  return joined
}
