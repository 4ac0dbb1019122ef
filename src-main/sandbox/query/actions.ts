/** What a trace meant to those who took part in it. */
import type { PayloadContent } from '../../ton/payload.ts'

/** Who speaks of a jetton that cannot be found has this for a master. */
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
  /** `noAddress` when nothing has arrived. */
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
  /** Hashes. Empty for what was ordered and did not even begin. */
  readonly transactions: readonly string[]
  /** Who took part in those transactions; raw. */
  readonly accounts: ReadonlySet<string>
}

/** Those who do something or to whom it is done. */
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

/** Nanotons an action has moved to an account, or from it. */
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
