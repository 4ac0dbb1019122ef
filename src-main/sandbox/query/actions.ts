import { previewAmount, tonDecimals } from '../../../src-preload/domain/amount.ts'
import { type PayloadContent, commentOf } from '../../ton/payload.ts'
import type { AccountBook } from './accounts.ts'
import { type Jetton, serializeJettonPreview } from './jettons.ts'

export const noAddress = `0:${'0'.repeat(64)}`

type TonTransfer = {
  readonly type: 'TonTransfer'
  readonly sender: string
  readonly recipient: string
  readonly amount: bigint
  readonly content: PayloadContent
}
type JettonTransfer = {
  readonly type: 'JettonTransfer'
  readonly master: string
  readonly sender: string
  readonly recipient: string | null
  readonly sendersWallet: string
  readonly recipientsWallet: string
  readonly amount: bigint
  readonly content: PayloadContent
}
type JettonMint = {
  readonly type: 'JettonMint'
  readonly master: string
  readonly recipient: string
  readonly recipientsWallet: string
  readonly amount: bigint
}
type JettonBurn = {
  readonly type: 'JettonBurn'
  readonly master: string
  readonly sender: string
  readonly sendersWallet: string
  readonly amount: bigint
}
type ContractDeploy = {
  readonly type: 'ContractDeploy'
  readonly address: string
  readonly interfaces: readonly string[]
}
type SmartContractExec = {
  readonly type: 'SmartContractExec'
  readonly executor: string
  readonly contract: string
  readonly amount: bigint
  readonly operation: string
}

export type ActionDetails =
  TonTransfer | JettonTransfer | JettonMint | JettonBurn | ContractDeploy | SmartContractExec

export type Action = {
  readonly isOk: boolean
  readonly details: ActionDetails
  readonly transactions: readonly string[]
  readonly accounts: ReadonlySet<string>
}

export function subjectsOf(details: ActionDetails): readonly (string | null)[] {
  switch (details.type) {
    case 'TonTransfer':
    case 'JettonTransfer':
      return [details.sender, details.recipient]
    case 'JettonMint':
      return [details.recipient]
    case 'JettonBurn':
      return [details.sender]
    case 'ContractDeploy':
      return [details.address]
    case 'SmartContractExec':
      return [details.contract, details.executor]
  }
}

/** Nanotons that the action moved to the account; negative when it paid them. */
export function contribution({ isOk, details }: Action, account: string): bigint {
  if (!isOk) return 0n
  if (details.type === 'TonTransfer') {
    return direction(account, details.sender, details.recipient, details.amount)
  }
  if (details.type === 'SmartContractExec') {
    return direction(account, details.executor, details.contract, details.amount)
  }
  return 0n
}

function direction(account: string, from: string, to: string, amount: bigint): bigint {
  if (from === to) return 0n
  if (account === from) return -amount
  return account === to ? amount : 0n
}

export type ActionPrinting = {
  readonly book: AccountBook
  readonly language: 'en' | 'ru'
  readonly jetton: (master: string) => Jetton
  readonly viewer: string | null
}

export function serializeAction(action: Action, printing: ActionPrinting) {
  const { details, isOk, transactions } = action
  const { value, preview } = serializeDetails(details, printing)
  return {
    type: details.type,
    status: isOk ? 'ok' : 'failed',
    [details.type]: value,
    simple_preview: preview,
    base_transactions: [...transactions],
  }
}

export function unknownAction(account: string, book: AccountBook, description: string) {
  return {
    type: 'Unknown',
    status: 'ok',
    simple_preview: { name: 'Unknown', description, accounts: [book.describe(account)] },
    base_transactions: [],
  }
}

type Printed = { readonly value: object; readonly preview: object }

function serializeDetails(details: ActionDetails, printing: ActionPrinting): Printed {
  const { book, jetton } = printing
  switch (details.type) {
    case 'TonTransfer': {
      const { sender, recipient, amount, content } = details
      return {
        value: {
          sender: book.describe(sender),
          recipient: book.describe(recipient),
          amount,
          ...serializeContent(content),
        },
        preview: preview(printing, 'TON Transfer', texts.transfer, [sender, recipient], {
          value: previewAmount(amount, tonDecimals, 'TON'),
        }),
      }
    }
    case 'JettonTransfer': {
      const { sender, recipient, master, amount, content } = details
      return {
        value: {
          sender: book.describe(sender),
          ...(recipient === null ? {} : { recipient: book.describe(recipient) }),
          senders_wallet: details.sendersWallet,
          recipients_wallet: details.recipientsWallet,
          amount: amount.toString(),
          ...serializeContent(content),
          jetton: serializeJettonPreview(jetton(master)),
        },
        preview: preview(
          printing,
          'Jetton Transfer',
          texts.transfer,
          [recipient, sender, master],
          jettonValue(jetton(master), amount),
        ),
      }
    }
    case 'JettonMint': {
      const { recipient, master, amount } = details
      return {
        value: {
          recipient: book.describe(recipient),
          recipients_wallet: details.recipientsWallet,
          amount: amount.toString(),
          jetton: serializeJettonPreview(jetton(master)),
        },
        preview: preview(
          printing,
          'Jetton Mint',
          texts.mint,
          [master, recipient],
          jettonValue(jetton(master), amount),
        ),
      }
    }
    case 'JettonBurn': {
      const { sender, master, amount } = details
      return {
        value: {
          sender: book.describe(sender),
          senders_wallet: details.sendersWallet,
          amount: amount.toString(),
          jetton: serializeJettonPreview(jetton(master)),
        },
        preview: preview(
          printing,
          'Jetton Burn',
          texts.burn,
          [sender, master],
          jettonValue(jetton(master), amount),
        ),
      }
    }
    case 'ContractDeploy': {
      const { address, interfaces } = details
      return {
        value: { address, interfaces: [...interfaces] },
        preview: preview(printing, 'Contract Deploy', texts.deploy, [address], {
          detail: interfaces.join(', '),
        }),
      }
    }
    case 'SmartContractExec': {
      const { executor, contract, amount, operation } = details
      return {
        value: {
          executor: book.describe(executor),
          contract: book.describe(contract),
          ton_attached: amount,
          gram_attached: amount,
          operation,
        },
        preview: preview(
          printing,
          'Smart Contract Execution',
          texts.call,
          [executor, contract],
          {},
        ),
      }
    }
  }
}

type Text = Record<'en' | 'ru', (value: string) => string>

const texts = {
  transfer: { en: (value) => `Transferring ${value}`, ru: (value) => `Перевод ${value}` },
  mint: { en: (value) => `Minting ${value}`, ru: (value) => `Выпуск ${value}` },
  burn: { en: (value) => `Burning ${value}`, ru: (value) => `Сжигание ${value}` },
  deploy: {
    en: (value) => `Deploying a contract${value === '' ? '' : ` with interfaces ${value}`}`,
    ru: (value) => `Развёртывание контракта${value === '' ? '' : ` с интерфейсами ${value}`}`,
  },
  call: { en: () => 'Execution of smart contract', ru: () => 'Вызов смарт-контракта' },
} as const satisfies Record<string, Text>

function preview(
  { book, viewer, language }: ActionPrinting,
  name: string,
  text: Text,
  accounts: readonly (string | null)[],
  parts: { readonly value?: string; readonly image?: string; readonly detail?: string },
): object {
  const { value, image } = parts
  const others = new Set(accounts.filter((each) => each !== null && each !== viewer))
  return {
    name,
    description: text[language](value ?? parts.detail ?? ''),
    ...(value === undefined ? {} : { value }),
    ...(image === undefined ? {} : { value_image: image }),
    accounts: [...others].map((each) => book.describe(each ?? '')),
  }
}

function jettonValue({ decimals, symbol, image }: Jetton, amount: bigint) {
  const value = previewAmount(amount, decimals, symbol)
  return image === '' ? { value } : { value, image }
}

function serializeContent(content: PayloadContent) {
  if (content.kind === 'encrypted') {
    const cipher_text = content.cipherText.toString('hex')
    return { encrypted_comment: { encryption_type: 'simple', cipher_text } }
  }
  const comment = commentOf(content)
  return comment === null ? {} : { comment }
}
