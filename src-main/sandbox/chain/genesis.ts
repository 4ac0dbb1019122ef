import { type Message, toNano } from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import { type AccountState, serializeShardAccount } from './account-states.ts'
import type { NetworkName } from './chain.ts'
import { opcodeContractDeployMessage, usdtDeployMessage, usdtMintMessage } from './contracts.ts'
import { type DevelopmentWallet, developmentWallets, faucetWallet } from './wallets.ts'

const walletBalance = toNano(10_000)
const walletUsdt = 10_000n * 1_000_000n
const faucetBalance = toNano(1_000_000_000)

/** Wallets that exist before the first block. */
export function genesisStates(): Map<string, AccountState> {
  const wallets = developmentWallets.map((wallet) => [wallet, walletBalance] as const)
  return new Map(
    [...wallets, [faucetWallet, faucetBalance] as const].map(([wallet, balance]) => [
      wallet.address.toRawString(),
      activeWallet(wallet, balance),
    ]),
  )
}

export function genesisMessages(network: NetworkName): Message[] {
  return [
    usdtDeployMessage(),
    ...developmentWallets.map(({ address }) => usdtMintMessage(network, address, walletUsdt, true)),
    opcodeContractDeployMessage(0n),
  ]
}

function activeWallet({ publicKey, address }: DevelopmentWallet, coins: bigint): AccountState {
  const { code, data } = WalletContractV4.create({ workchain: 0, publicKey }).init
  const boc = serializeShardAccount({
    account: {
      addr: address,
      storage: {
        lastTransLt: 0n,
        balance: { coins },
        state: { type: 'active', state: { code, data } },
      },
      storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: 0 },
    },
    lastTransactionLt: 0n,
    lastTransactionHash: 0n,
  })
  return { id: null, boc, codeHash: code.hash().toString('hex'), lastActivity: 0 }
}
