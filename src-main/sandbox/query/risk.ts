import { loadMessageRelaxed, type Cell, type MessageRelaxed } from '@ton/core'
import { decodeBody } from '../../ton/decode-body.ts'
import { sendMode, decodeWalletOrders, type WalletVersion } from '../../ton/wallet.ts'
import { balanceOf } from './account-state.ts'
import { serializeJettonPreview } from './jetton-json.ts'
import type { QueryDeps } from './query-deps.ts'
import { tonRates, usdtRate } from './rates.ts'

/** Risk of the service: the most a wallet may lose by what it is ordered to send. */
export async function findRisk(
  order: {
    readonly version: WalletVersion
    readonly wallet: string
    /** Of the external message. */
    readonly body: Cell
    /** Upper case. */
    readonly currency: string | undefined
  },
  deps: QueryDeps,
): Promise<object> {
  const orders = decodeWalletOrders(order.version, order.body)?.orders ?? []
  let grams = 0n
  let isAll = false
  const jettons = new Map<string, bigint>()
  for (const { mode, message } of orders) {
    if ((mode & sendMode.allBalance) !== 0) isAll = true
    const relaxed = readRelaxed(message)
    if (relaxed?.info.type !== 'internal') continue
    grams += relaxed.info.value.coins
    const body = decodeBody(relaxed.body)
    if (body?.name !== 'jetton_transfer' && body?.name !== 'jetton_burn') continue
    const wallet = relaxed.info.dest.toRawString()
    jettons.set(wallet, (jettons.get(wallet) ?? 0n) + body.amount)
  }
  const found = await serializeJettons(order.wallet, jettons, deps)
  const { currency } = order
  const balance = balanceOf(deps.chain.account(order.wallet))
  const total = equivalent(isAll && balance > grams ? balance : grams, found.usdt, currency)
  return {
    transfer_all_remaining_balance: isAll,
    ton: grams,
    gram: grams,
    jettons: found.quantities,
    nfts: [],
    ...(total === null ? {} : { total_equivalent: total }),
  }
}

function readRelaxed(message: Cell): MessageRelaxed | null {
  try {
    return loadMessageRelaxed(message.beginParse())
  } catch {
    return null
  }
}

/** Of the owner's own jetton wallets: an order to another's cannot move anything. */
async function serializeJettons(
  owner: string,
  amounts: ReadonlyMap<string, bigint>,
  { contracts, jettons, usdt, book }: QueryDeps,
) {
  const quantities: object[] = []
  let usdtAmount = 0n
  for (const [address, amount] of amounts) {
    const wallet = await contracts.jettonWallet(address)
    const jetton = wallet?.owner === owner ? await jettons.find(wallet.master) : null
    if (jetton === null) continue
    if (jetton.address === usdt) usdtAmount += amount
    quantities.push({
      quantity: amount.toString(),
      wallet_address: book().describe(address),
      jetton: serializeJettonPreview(jetton),
    })
  }
  return { quantities, usdt: usdtAmount }
}

/** A figure to look at, as rough as on the service. */
function equivalent(grams: bigint, usdt: bigint, currency: string | undefined): number | null {
  const rate = currency === undefined ? undefined : tonRates.get(currency)
  if (currency === undefined || rate === undefined) return null
  return (Number(grams) / 1e9) * rate + (Number(usdt) / 1e6) * (usdtRate(currency) ?? 0)
}
