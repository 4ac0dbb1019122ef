import { previewAmount, tonDecimals } from '../../../src-preload/domain/amount.ts'
import { type PayloadContent, commentOf, decodePayload } from '../../ton/payload.ts'
import type { Cell } from '@ton/core'
import type { AccountBook } from './accounts.ts'
import { type Jetton, serializeJettonPreview } from './jettons.ts'

export const noAddress = `0:${'0'.repeat(64)}`

/** The name of each action, and the beginning of its description in English and in Russian. */
const texts = {
  TonTransfer: ['TON Transfer', 'Transferring', 'Перевод'],
  JettonTransfer: ['Jetton Transfer', 'Transferring', 'Перевод'],
  JettonMint: ['Jetton Mint', 'Minting', 'Выпуск'],
  JettonBurn: ['Jetton Burn', 'Burning', 'Сжигание'],
  ContractDeploy: ['Contract Deploy', 'Deploying a contract', 'Развёртывание контракта'],
  SmartContractExec: [
    'Smart Contract Execution',
    'Execution of smart contract',
    'Вызов смарт-контракта',
  ],
  AddExtension: ['Add Extension', 'Adding an extension', 'Добавление расширения'],
  RemoveExtension: ['Remove Extension', 'Removing an extension', 'Удаление расширения'],
  SetSignatureAllowedAction: [
    'Set Signature Allowed',
    'Changing whether signatures are allowed',
    'Изменение разрешения подписи',
  ],
} as const

export type ActionDetails = {
  readonly type: keyof typeof texts
  /** Null for a mint and for a deployment. */
  readonly from: string | null
  /** Null for a burn, and for a jetton transfer without a recipient. */
  readonly to: string | null
  readonly amount: bigint
  /** Address of the jetton; absent if nanotons are moved. */
  readonly master?: string
  readonly sendersWallet?: string
  readonly recipientsWallet?: string
  readonly content?: PayloadContent
  readonly operation?: string
  readonly isAllowed?: boolean
  readonly interfaces?: readonly string[]
}

export type Action = ActionDetails & {
  readonly isOk: boolean
  readonly transactions: readonly string[]
  readonly accounts: ReadonlySet<string>
}

/** Nanotons that the action moved to the account; negative if the account paid them. */
export function coinsMovedTo({ isOk, from, to, amount, master }: Action, account: string): bigint {
  if (!isOk || master !== undefined || from === to) return 0n
  if (account === from) return -amount
  return account === to ? amount : 0n
}

type ActionPrinting = {
  readonly book: AccountBook
  readonly language: 'en' | 'ru'
  readonly jetton: (master: string) => Jetton
  readonly viewer: string | null
}

export const serializeAction = (action: Action, printing: ActionPrinting) => ({
  type: action.type,
  status: action.isOk ? 'ok' : 'failed',
  [action.type]: serializeDetails(action, printing),
  simple_preview: serializePreview(action, printing),
  base_transactions: action.transactions,
})

export const unknownAction = (account: string, book: AccountBook, description: string) => ({
  type: 'Unknown',
  status: 'ok',
  simple_preview: { name: 'Unknown', description, accounts: [book.describe(account)] },
  base_transactions: [],
})

function serializeDetails(action: Action, { book, jetton }: ActionPrinting) {
  const { type, from, to, amount, master } = action
  if (type === 'ContractDeploy') return { address: to, interfaces: action.interfaces }
  const sender = from === null ? undefined : book.describe(from)
  if (type === 'SetSignatureAllowedAction') return { wallet: sender, allowed: action.isAllowed }
  if (type === 'AddExtension' || type === 'RemoveExtension')
    return { wallet: sender, extension: to }
  const recipient = to === null ? undefined : book.describe(to)
  if (type === 'SmartContractExec') {
    return {
      executor: sender,
      contract: recipient,
      ton_attached: amount,
      gram_attached: amount,
      operation: action.operation,
    }
  }
  return {
    sender,
    recipient,
    senders_wallet: action.sendersWallet,
    recipients_wallet: action.recipientsWallet,
    amount: master === undefined ? amount : amount.toString(),
    ...serializeContent(action.content),
    jetton: master === undefined ? undefined : serializeJettonPreview(jetton(master)),
  }
}

function serializePreview(action: Action, { book, viewer, language, jetton }: ActionPrinting) {
  const { type, from, to, amount, master, interfaces = [] } = action
  const { symbol, decimals, image } =
    master === undefined ? { symbol: 'TON', decimals: tonDecimals, image: '' } : jetton(master)
  const hasValue = master !== undefined || type === 'TonTransfer'
  const value = hasValue ? previewAmount(amount, decimals, symbol) : undefined
  const details = language === 'ru' ? 'с интерфейсами' : 'with interfaces'
  const suffix = interfaces.length > 0 ? `${details} ${interfaces.join(', ')}` : value
  const parties = type === 'JettonTransfer' ? [to, from] : [from, to]
  const accounts = type === 'JettonMint' ? [master, ...parties] : [...parties, master]
  const [name, english, russian] = texts[type]
  const others = new Set(accounts.flatMap((each) => (each === viewer ? [] : (each ?? []))))
  return {
    name,
    description: [language === 'ru' ? russian : english, suffix].filter(Boolean).join(' '),
    value,
    value_image: image === '' ? undefined : image,
    accounts: [...others].map((each) => book.describe(each)),
  }
}

/** Returns a comment; any other payload belongs to another action. */
export function textOf(body: Cell): PayloadContent {
  const content = decodePayload(body)
  return content.kind === 'other' ? { kind: 'empty' } : content
}

function serializeContent(content: PayloadContent | undefined) {
  if (content?.kind === 'encrypted') {
    const cipher_text = content.cipherText.toString('hex')
    return { encrypted_comment: { encryption_type: 'simple', cipher_text } }
  }
  return { comment: content && (commentOf(content) ?? undefined) }
}
