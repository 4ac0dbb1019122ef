/** Messages of attacks: counterfeit jettons and forged notifications. Cells are bags of cells in hexadecimal digits. */
import { Address, type Cell, beginCell, comment, contractAddress, storeStateInit } from '@ton/core'
import {
  depositAccount,
  depositAccountInit,
  jettonMinterInit,
  jettonMintBody,
  usdtTransferOrder,
} from '../chain/contracts.ts'
import type { Steps } from './scenario.ts'

const hex = (cell: Cell) => cell.toBoc().toString('hex')

type Metadata = NonNullable<Steps['deploy']['jetton']>

/** A jetton with any metadata, which its administrator mints. */
export function counterfeitOf(administrator: string, { image, ...metadata }: Metadata) {
  const fields = { ...metadata, ...(image === '' ? {} : { image }) }
  const init = jettonMinterInit(Address.parse(administrator), fields)
  return {
    master: contractAddress(0, init).toRawString(),
    init: hex(beginCell().store(storeStateInit(init)).endCell()),
  }
}

/** Deploys the merchant's second account, which begins without its reserve. */
export const depositAccountMessage = {
  to: depositAccount.toRawString(),
  amount: '100000000',
  bounce: false,
  init: hex(beginCell().store(storeStateInit(depositAccountInit)).endCell()),
}

export const mintBody = (to: string, amount: string): string =>
  hex(jettonMintBody(Address.parse(to), BigInt(amount), false))

/** @returns the fields of the message from the owner to its wallet of this jetton */
export function jettonTransfer(transfer: {
  readonly master: string
  readonly owner: string
  readonly to: string
  readonly amount: string
  readonly comment: string | undefined
}) {
  const { to, value, body } = usdtTransferOrder({
    master: Address.parse(transfer.master),
    owner: Address.parse(transfer.owner),
    to: Address.parse(transfer.to),
    amount: BigInt(transfer.amount),
    text: transfer.comment,
  })
  return { to: to.toRawString(), amount: value.toString(), body: body ? hex(body) : '' }
}

export function notificationBody(notification: NonNullable<Steps['send']['notification']>): string {
  const { amount, sender, comment: text } = notification
  const payload = text === undefined ? null : comment(text)
  const body = beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(0, 64)
    .storeCoins(BigInt(amount))
    .storeAddress(Address.parse(sender))
    .storeMaybeRef(payload)
    .endCell()
  return hex(body)
}

export const commentBody = (text: string): string => hex(comment(text))
