/** What one message did, beginning with its verb. */
import type { Asset, SentencePart } from '../../src-preload/contract/chain.ts'
import type { AccountAddress } from '../gateway/query-answers.ts'
import { type DecodedBody, decodeBody } from '../ton/decode-body.ts'
import { opcodes, readOpcode } from '../ton/opcodes.ts'
import type { Naming } from './account-refs.ts'
import { isReturned } from './exit-words.ts'
import type { AssetOf } from './jetton-movement.ts'
import { type ReadMessage, valueOf } from './read-message.ts'
import type { ReadNode } from './read-trace.ts'
import { account, amount, enumerate, words } from './sentence-parts.ts'
import { assetOfExtra, tonAsset } from './ton-asset.ts'

export type Telling = {
  readonly name: Naming
  readonly assetOf: AssetOf
  /** It is told of what would happen. */
  readonly isEmulated: boolean
}

/** Without a node it has not arrived yet. */
export type Action = { readonly message: ReadMessage; readonly node: ReadNode | null }

export function describeDeed(action: Action, telling: Telling): SentencePart[] {
  return [...describeAct(action, telling), ...describeOutcome(action.node)]
}

function describeAct({ message, node }: Action, telling: Telling): SentencePart[] {
  const { answer, body } = message
  const to = answer.destination ? account(telling.name(answer.destination)) : words('nobody')
  const value = amountOf(message)
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
      return describeMint(body, node, telling)
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

/** TON, and extra currencies beside it. */
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
  telling: Telling,
): SentencePart[] {
  const order = decodeBody(body.masterMessage)
  const units = order !== null && 'amount' in order ? order.amount : null
  const wallet = node?.children.find(
    ({ message }) => message?.body?.name === 'jetton_internal_transfer',
  )
  const asset = wallet && telling.assetOf(wallet.transaction.account.address)
  return [
    words(`${verbs(telling)('minted')} `),
    ...(units === null ? [words('jettons')] : jettons(units, asset)),
    words(' for '),
    named(body.toAddress?.toRawString(), telling),
  ]
}

/** A message whose first bits are an opcode, to what is a contract and no wallet. */
function isCall({ opcode, body, answer }: ReadMessage, node: ReadNode | null): boolean {
  // Opcode 0 begins a comment, also one that could not be read.
  if (opcode === null || readOpcode(opcode) === opcodes.textComment) return false
  if (body?.name === 'encrypted_text_comment' || body?.name === 'excess') return false
  const isWallet = answer.destination?.is_wallet === true
  const hasRun = node === null || node.transaction.compute_phase?.skipped === false
  return hasRun && !isWallet
}

export function isDeployed({ transaction }: ReadNode): boolean {
  return transaction.orig_status !== 'active' && transaction.end_status === 'active'
}

function describeOutcome(node: ReadNode | null): SentencePart[] {
  if (node === null) return [words(' (on its way)')]
  const failed = failedStep(node)
  if (failed === undefined) return []
  const fate = isReturned(failed.transaction) ? 'it was returned' : 'it failed'
  return [words(`, but ${fate} (${failed.failure ?? ''})`)]
}

export function failedStep(node: ReadNode): ReadNode | undefined {
  return stepsOf(node).find(({ failure }) => failure !== null)
}

/** The transaction itself, and those that carry its jettons on. */
export function stepsOf(node: ReadNode): ReadNode[] {
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

function verbs({ isEmulated }: Telling): (verb: Verb) => string {
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

function named(address: string | undefined, { name }: Telling): SentencePart {
  return address === undefined ? words('nobody') : account(name(address))
}

function addressOf(account: AccountAddress | null | undefined): string {
  return account?.address ?? ''
}
