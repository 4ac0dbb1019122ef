import {
  type Address,
  type Cell,
  type Message,
  type StateInit,
  beginCell,
  external,
  internal,
  SendMode,
  storeMessage,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import type { ChainState } from './chain.ts'

export type DevelopmentWallet = {
  readonly name: string
  readonly mnemonic: readonly string[]
  readonly publicKey: Buffer
  readonly secretKey: Buffer
  readonly address: Address
}

/*
 * TEST KEYS, PUBLISHED WITH THE SOURCE. Never use them on a real network: anyone can take coins at
 * these addresses. The keys are stored with their mnemonics, because deriving one key takes longer
 * than all the rest of a start; a test derives them again.
 */
const keys = `
wallet-1 ce55b8b1daaa902bb821a0faaf5fa9aad1baaed00434aaf0faab2eba83521e49 a41dc96a6662228504d09c237954eb1d4b0d99e96183268babaa28b44feccd59 broom armed spider impulse army wing swim bubble face crouch upon alter atom remember fly alpha attend option differ leaf cross robot wait panel
wallet-2 cff23be29b4c0d1072faba0bd15a3a1d94b9d342a851e2e834884e1dd6e81e54 06c7b97dcf51d9b6a4e9621532046c8dce004ccdb823bae1be0a5f91390f0149 next quit pepper lunch squirrel pledge error tennis intact jealous accident farm ordinary cricket shallow enrich trade spoil actual fine shrug office walnut love
wallet-3 5b5f857a2c8e0e7ecbd3abadb0a7c34b6b1a8d8a9b52ea74511c22ca10b45d9b a2be75df508e168a58b7c1a1a28b6869f17ab5ff3d18ec3d41c67be4ad914308 deposit lion helmet fruit sport dinner tomorrow because unlock top sort accident bridge mask decline illegal coin spread excite hobby auto echo scorpion outdoor
wallet-4 2278bd684f7ba91252aeb873e22380db5964f6bd6c50eb316573b5573f1d11bb 769e8ca92641ff80c749fdd87ca9807c8273a75eb9b2c2e0102ee701b589f1c7 delay merit bridge convince dutch lab dinosaur trick jelly satoshi jump wrong desk sweet bright want scale absent situate dish invite few hire mammal
wallet-5 e1bf777b927abecbb7e7290cbecc00c20724a3ac94873ceac858fe4dc820e2a8 5c5341e7082d8606982bd680a8751cea8e5f93aa57ab3b561fb9ba9c6cd355bc lake party reduce narrow furnace boring cruise thank glad rib swallow depth reason rug quote universe basket magnet pumpkin melt until dad laundry escape
wallet-6 e0c8b281ec8804de3bb086e67f51149abe55c434ea49139a1c435839358e651a 6320814492433083dc4be9635f62a0044f0424e09716a340ed50443c200ef491 tribe admit rubber sock phone this dish arrive abandon observe celery shed orphan seven picture orphan lucky ghost grow velvet tackle degree school round
wallet-7 42fd910c27f0671dc816fbe6beb5cbd4879b27337807d281a111e5fdbef0f4a5 c552b623b82f26f343f8cd9ef60f3f3f73708810f43ea25c057d88be7e9151bb injury bicycle proof nut blush violin connect noodle lemon shuffle later derive rapid motor number merge cheap nominee can little wife silly salute plunge
wallet-8 460792fa811d016d272814ed8642f38f3bce13d6cb3216be510dfdc2f0c51cb1 4c2778857593e4d472e3b5b588a1047ba84ecc635a807bb13bd500a87ca71331 allow spider prevent trim salt heart mosquito bulb carpet zero stamp spice rookie coffee current polar connect laugh wolf solution wood bitter unable ramp
wallet-9 11069807d95ec0969bb9ff9c8343adc92d8a51779edaff5712e991671f215176 4924902d726c983f2ad4d688a6ad3831d776058c7392d35c67af790637b6fb57 patch gallery happy sun dragon pony arm team spread arm short ripple asthma tag order sick jaguar pencil observe pull powder maximum panic onion
wallet-10 0f543c1c6b7616141e2e305483882cd04d9d6cea419917e0f2c1b78026fe253b 4c4b6b4807aebf2a7bb11ee2a17ee2f618d8bc65407358f40eb3543090aaa77d polar choose cry edge addict lottery inch keen quote squeeze always wild recall kiwi habit badge mutual they vault ridge young forest coconut sniff
merchant dac81b8a7bf4b53432599468c7a574e29b87492d3400a97559313d6b27ad7d7c aa5d3b6d048797d3ed6914dd9f3cfa6f1bd2028985c88b5428e25997886f3b1f car sorry car hen deposit benefit decide coyote aunt virtual reflect motor carpet planet weapon rather enrich dance strike reject lunch sing retreat desert
faucet 7375dded4a689e937c3bf82d071d7c744ee681aee7f442e744582c8d7380b925 2cbf321b588ffc77abbff64fe82106e972c21d6f8e60054f84241ba3bfc4f7a7 music injury goddess escape blood anchor toy multiply brush bicycle jungle empty noodle extend wall style much moral hurdle earth sustain seminar glide demise
`

const all = keys.trim().split('\n').map(readWallet)

/** Each line has the name, the seed, the public key and the mnemonic. */
function readWallet(line: string): DevelopmentWallet {
  const [name = '', seed = '', key = '', ...mnemonic] = line.split(' ')
  const publicKey = Buffer.from(key, 'hex')
  return {
    name,
    mnemonic,
    publicKey,
    secretKey: Buffer.concat([Buffer.from(seed, 'hex'), publicKey]),
    address: WalletContractV4.create({ workchain: 0, publicKey }).address,
  }
}

/**
 * The wallets are `wallet-1` to `wallet-10` and `merchant`, each with 10,000 TON and 10,000 USDT at
 * genesis.
 */
export const developmentWallets: readonly DevelopmentWallet[] = all.filter(
  ({ name }) => name !== 'faucet',
)

export const faucetWallet = walletNamed('faucet')

export function walletNamed(name: string): DevelopmentWallet {
  const wallet = all.find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new Error(`there is no wallet ${name}`)
  return wallet
}

/** Builds a message for `chain.inject`; the faucet's balance is not reduced. The value is in nanotons. */
export function fromFaucet(order: WalletOrder): Message {
  const message = toMessage(order)
  if (message.info.type !== 'internal') throw new Error('a gift is an internal message')
  return { ...message, info: { ...message.info, src: faucetWallet.address } }
}

export type WalletOrder = {
  readonly to: Address
  readonly value: bigint
  readonly body?: Cell | null
  readonly init?: StateInit
  /** The default is true. */
  readonly bounce?: boolean
}

/** Maximum number of orders in a message of a version 4 wallet. */
const ordersAtMost = 4

const validFor = 600

/**
 * Signs an external message with the wallet's current seqno, so it must be executed before the next
 * one is created.
 * @throws RangeError for more than `ordersAtMost` orders
 */
export function walletMessage(
  chain: ChainState,
  wallet: DevelopmentWallet,
  orders: readonly WalletOrder[],
): Cell {
  if (orders.length > ordersAtMost) {
    throw new RangeError(`a wallet sends at most ${ordersAtMost} messages at once`)
  }
  const contract = WalletContractV4.create({ workchain: 0, publicKey: wallet.publicKey })
  const seqno = walletSeqno(chain, wallet.address)
  const body = contract.createTransfer({
    seqno: seqno ?? 0,
    secretKey: wallet.secretKey,
    timeout: chain.now() + validFor,
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: orders.map(toMessage),
  })
  const init = seqno === null ? contract.init : null
  return beginCell()
    .store(storeMessage(external({ to: contract.address, body, init })))
    .endCell()
}

function toMessage({ to, value, body, init, bounce = true }: WalletOrder) {
  return internal({ to, value, bounce, body: body ?? null, init: init ?? null })
}

export function walletSeqno(chain: ChainState, address: Address): number | null {
  const state = chain.account(address.toRawString())?.account?.storage.state
  if (state?.type !== 'active') return null
  return state.state.data?.beginParse().preloadUint(32) ?? null
}

/** The balance in nanotons. */
export function tonBalance(chain: ChainState, address: Address): bigint {
  return chain.account(address.toRawString())?.account?.storage.balance.coins ?? 0n
}
