/** What accounts own, and its value. */
import type { CoinRate, JettonPage } from '../../src-preload/contract/asset.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import type { AccountAddress, Row } from '../gateway/query-answers.ts'
import { readHash } from '../ton/hash.ts'
import { createNaming, requireAddress } from './addresses.ts'
import { type ExplorerContext, isNotFound, shownCurrency } from './chain-access.ts'
import { assetOfJetton } from './jetton-wallets.ts'

type AssetHandlers = Pick<Handlers, Extract<keyof Handlers, `asset.${string}`>>

/** The gateway itself updates its rates about once a minute. */
const rateMs = 60_000
const pageSize = 100

export function createAssets(context: ExplorerContext): AssetHandlers {
  const { access, labelsOf, now } = context
  const rates = new Map<string, CoinRate>()

  function naming(network: string, mentioned: readonly AccountAddress[]) {
    return createNaming(mentioned, [], (addresses) => labelsOf(network, addresses))
  }

  /** @param what the gateway does not know, for the message: “a jetton” */
  async function known<T>(network: string, what: string, request: Promise<T>): Promise<T> {
    try {
      return await request
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { message } = error as AppError
      const why = `${access.info(network).name} has no ${what} at this address, or its gateway does not list them. ${message}`
      throw new AppError(chainCodes.notFound, why, { cause: error })
    }
  }

  return {
    async 'asset.coinRate'({ network }) {
      const currency = shownCurrency(context)
      const loaded = rates.get(network)
      if (loaded?.currency === currency && now() - loaded.at < rateMs) return loaded
      const found = await access
        .query(network)
        .rates(['ton'], currency, { signal: access.interest(network) })
      const prices = found.get('ton') ?? found.get('gram')
      const rate = { network, currency, rate: prices?.get(currency) ?? null, at: now() }
      rates.set(network, rate)
      return rate
    },

    async 'asset.jetton'({ network, address: text }): Promise<JettonPage> {
      const address = requireAddress(text, true)
      const signal = access.interest(network)
      const info = await known(network, 'jetton', access.query(network).jetton(address, { signal }))
      const { metadata, admin } = info
      const name = naming(network, admin ? [admin] : [])
      return {
        network,
        asset: assetOfJetton({ ...metadata, ...info, address }),
        account: name(address),
        name: metadata.name,
        description: metadata.description ?? '',
        supply: info.total_supply,
        isMintable: info.mintable,
        admin: admin ? name(admin) : null,
        verification: info.verification,
        holders: info.holders_count ?? null,
        interfaces: info.interfaces,
        codeHash: readHash(info.code_hash ?? ''),
        dataHash: readHash(info.data_hash ?? ''),
        links: [...new Set([...metadata.websites, ...metadata.social, ...metadata.catalogs])],
        fetchedAt: now(),
      }
    },

    async 'asset.holders'({ network, address: text, offset }) {
      const address = requireAddress(text, true)
      const signal = access.interest(network)
      const query = access.query(network)
      const page = { offset, limit: pageSize }
      const { addresses } = await known(
        network,
        'jetton',
        query.jettonHolders(address, page, { signal }),
      )
      const { values, ...rest } = readPage(addresses, offset)
      const name = naming(
        network,
        values.flatMap(({ owner }) => owner ?? []),
      )
      const rows = values.map(({ address: wallet, owner, balance }) => ({
        ...{ wallet, balance, owner: owner ? name(owner) : null },
      }))
      return { rows, ...rest }
    },
  }
}

/** A page that is not full is the last one. */
function readPage<T>(rows: readonly Row<T>[], offset: number) {
  return {
    values: rows.flatMap((row) => ('value' in row ? [row.value] : [])),
    unread: rows.flatMap((row) => ('unread' in row ? [row.unread.why] : [])),
    next: rows.length < pageSize ? null : offset + rows.length,
  }
}
