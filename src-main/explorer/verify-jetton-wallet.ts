import type { Asset } from '../../src-preload/contract/chain.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import type { JettonPreview } from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'

type JettonWallet = { readonly owner: string; readonly asset: Asset }

/**
 * What a contract says of itself counts only if the gateway finds this very wallet for the owner and
 * jetton that it names. Two requests. Null for what is no jetton wallet; undefined where the gateway
 * does not know the contract or the owner's wallet: it may not have indexed them yet.
 * @throws AppError when it could not be asked
 */
export async function verifyJettonWallet(
  address: string,
  query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>,
  signal: AbortSignal,
): Promise<JettonWallet | null | undefined> {
  try {
    const data = await query.jettonWalletData(address, { signal })
    if (data === null) return null
    const { wallet_address, jetton } = await query.accountJetton(data.owner, data.jetton, {
      signal,
    })
    return wallet_address.address === address
      ? { owner: data.owner, asset: assetOfJetton(jetton) }
      : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return undefined
    throw error
  }
}

/** The gateway answered that it does not know what was asked for, or does not take the question. */
export function isRefusal({ code }: AppError): boolean {
  return code === gatewayCodes.notFound || code === gatewayCodes.refused
}

export function assetOfJetton({ address, symbol, decimals, scaled_ui }: JettonPreview): Asset {
  return { jetton: address, symbol, decimals, ...(scaled_ui && { scale: scaled_ui }) }
}
