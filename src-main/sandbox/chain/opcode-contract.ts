import {
  type Address,
  type Message,
  type StateInit,
  Cell,
  beginCell,
  contractAddress,
  toNano,
} from '@ton/core'
import { opcodeResponder } from '../contracts/code.ts'
import { fromFaucet } from './faucet.ts'
import type { WalletOrder } from './wallet-message.ts'

const [responderCode] = Cell.fromBoc(Buffer.from(opcodeResponder, 'hex'))
if (responderCode === undefined) throw new Error('code.ts holds no code')

/**
 * A contract that answers each message with an opcode by the same opcode with its highest bit set;
 * see contracts/opcode-responder.tolk. Each salt (64 bits) has an address of its own.
 */
const opcodeContractCode: Cell = responderCode

function opcodeContractInit(salt: bigint): StateInit {
  return {
    code: opcodeContractCode,
    data: beginCell().storeUint(salt, 64).storeUint(0, 32).storeUint(0, 32).endCell(),
  }
}

/** The one that genesis deploys has salt 0. */
export function opcodeContractAddress(salt = 0n): Address {
  return contractAddress(0, opcodeContractInit(salt))
}

/** For `chain.inject`: the faucet deploys it. */
export function opcodeContractDeployMessage(salt: bigint): Message {
  return fromFaucet({
    to: opcodeContractAddress(salt),
    value: toNano('0.1'),
    bounce: false,
    init: opcodeContractInit(salt),
  })
}

/** For a wallet: it deploys it. */
export function opcodeContractDeployOrder(salt: bigint): WalletOrder {
  return {
    to: opcodeContractAddress(salt),
    value: toNano('0.1'),
    bounce: false,
    init: opcodeContractInit(salt),
  }
}

/** For a wallet: a message with this opcode, and the query's id that the answer will carry. */
export function opcodeOrder(message: {
  readonly to: Address
  readonly opcode: number
  readonly queryId?: bigint
  /** Nanotons; what is left of them comes back with the answer. */
  readonly value?: bigint
}): WalletOrder {
  const { to, opcode, queryId = 0n, value = toNano('0.05') } = message
  const body = beginCell().storeUint(opcode, 32).storeUint(queryId, 64).endCell()
  return { to, value, body, bounce: true }
}
