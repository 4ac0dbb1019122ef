/** Reads the assets that accounts own, and their value. */
import type { CoinRate, Nft } from '../../../src-preload/contract/asset.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../../src-preload/domain/error-codes.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import {
  type AccountAddress,
  type NftItemResponse,
  type PriceResponse,
  type Row,
  readableRows,
  unreadReasons,
} from '../../gateway/query-responses.ts'
import type { AbortableRequest, QueryClient } from '../../gateway/query.ts'
import { readHash } from '../../ton/hash.ts'
import { type Naming, nameMentioned, requireAddress } from '../../chain/addresses.ts'
import { type ExplorerContext, isNotFound, shownCurrency } from '../../chain/access.ts'
import { assetOfJetton } from '../../chain/jetton-wallets.ts'
import type { createPictures } from './pictures.ts'

type CollectionResponse = Awaited<ReturnType<QueryClient['nftCollection']>>
type JettonResponse = Awaited<ReturnType<QueryClient['jetton']>>
type AssetHandlers = Pick<Handlers, Extract<keyof Handlers, `asset.${string}`>>

/** The gateway itself updates its rates about once a minute. */
const rateMs = 60_000
const pageSize = 100

/** Maximum number of stored picture links; the assets that were opened last have theirs. */
const maxLinks = 1000

export function createAssets(
  context: ExplorerContext,
  loadPicture: ReturnType<typeof createPictures>,
): AssetHandlers {
  const { access, now } = context
  /** The window names an asset, not a link, so that it cannot make Tondesk open an arbitrary link. */
  const pictures = new LimitedMap<string, string>(maxLinks)

  /**
   * @param noun the object that the address should belong to, for the message that the gateway does
   * not know it
   */
  async function load<T>(
    { network, address: text }: { readonly network: string; readonly address: string },
    noun: string,
    request: (query: QueryClient, address: string, options: AbortableRequest) => Promise<T>,
  ) {
    const address = requireAddress(text, true)
    const options = { signal: access.interest(network) }
    try {
      return { network, address, found: await request(access.query(network), address, options) }
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { message } = error as AppError
      const why = `${access.info(network).name} has no ${noun} at this address, or its gateway does not list them. ${message}`
      throw new AppError(chainCodes.notFound, why, { cause: error })
    }
  }

  const listNfts =
    (noun: string, operation: 'accountNfts' | 'nftCollectionItems'): AssetHandlers['asset.nfts'] =>
    async ({ offset, ...of }) => {
      const page = { offset, limit: pageSize }
      const { network, found } = await load(of, noun, (query, address, options) =>
        query[operation](address, page, options),
      )
      const { values, ...rest } = readPage(found, offset)
      const name = nameMentioned(context, network, values.flatMap(accountsOfNft))
      return { rows: values.map((item) => showNft(item, name)), ...rest }
    }

  return {
    'asset.coinRate': createCoinRate(context),

    async 'asset.jetton'(of) {
      const { network, address, found } = await load(of, 'jetton', (query, master, options) =>
        query.jetton(master, options),
      )
      const picture = textOf(found.preview) || textOf(found.metadata.image) || null
      if (picture !== null) pictures.set(`${network} jetton ${address}`, picture)
      const name = nameMentioned(context, network, [found.admin])
      const shown = showJetton(found, address, name)
      return { network, ...shown, picture, fetchedAt: now() }
    },
    'asset.nfts': listNfts('account', 'accountNfts'),
    'asset.collectionItems': listNfts('NFT collection', 'nftCollectionItems'),
    async 'asset.nft'(of) {
      const { network, address, found } = await load(of, 'NFT', (query, item, options) =>
        query.nft(item, options),
      )
      const nft = showNft(found, nameMentioned(context, network, accountsOfNft(found)))
      if (nft.picture !== null) pictures.set(`${network} nft ${address}`, nft.picture)
      return { network, nft, fetchedAt: now() }
    },
    async 'asset.collection'(of) {
      const noun = 'NFT collection'
      const { network, address, found } = await load(of, noun, (query, collection, options) =>
        query.nftCollection(collection, options),
      )
      const { owner } = found
      const picture = pictureOf(found)
      if (picture !== null) pictures.set(`${network} collection ${address}`, picture)
      const shown = showCollection(found, address, nameMentioned(context, network, [owner]))
      return { network, ...shown, picture, fetchedAt: now() }
    },
    async 'asset.picture'({ network, address: text, kind }) {
      const link = pictures.get(`${network} ${kind} ${requireAddress(text, true)}`)
      if (link !== undefined) return await loadPicture(link, access.interest(network))
      const message = 'The link of this picture is not known. Reload the page of the asset.'
      throw new AppError(chainCodes.pictureRefused, message)
    },
    async 'asset.holders'({ offset, ...of }) {
      const page = { offset, limit: pageSize }
      const { network, found } = await load(of, 'jetton', (query, master, options) =>
        query.jettonHolders(master, page, options),
      )
      const { values, ...rest } = readPage(found.addresses, offset)
      const owners = values.map(({ owner }) => owner)
      const name = nameMentioned(context, network, owners)
      const rows = values.map(({ address: wallet, owner, balance }) => ({
        wallet,
        balance,
        owner: owner ? name(owner) : null,
      }))
      return { rows, ...rest }
    },
  }
}

function createCoinRate(context: ExplorerContext): AssetHandlers['asset.coinRate'] {
  const { access, now } = context
  const rates = new Map<string, CoinRate>()
  return async ({ network }) => {
    const currency = shownCurrency(context)
    const loaded = rates.get(network)
    if (loaded?.currency === currency && now() - loaded.at < rateMs) return loaded
    const signal = access.interest(network)
    const found = await access.query(network).rates(['ton'], currency, { signal })
    const prices = found.get('ton') ?? found.get('gram')
    const rate = { network, currency, rate: prices?.get(currency) ?? null, at: now() }
    rates.set(network, rate)
    return rate
  }
}

function showCollection(
  { owner, metadata, next_item_index: next = null, trust, approved_by }: CollectionResponse,
  address: string,
  name: Naming,
) {
  return {
    account: name(address),
    name: textOf(metadata?.['name']),
    description: textOf(metadata?.['description']),
    owner: owner ? name(owner) : null,
    items: next === null || BigInt(next) < 0n ? null : next,
    trust,
    approvedBy: approved_by,
  }
}

function showJetton(info: JettonResponse, address: string, name: Naming) {
  const { metadata, admin } = info
  return {
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
  }
}

const accountsOfNft = ({ owner, sale }: NftItemResponse): AccountAddress[] =>
  [owner, sale?.market, sale?.owner].flatMap((each) => each ?? [])

function showNft(item: NftItemResponse, name: Naming): Nft {
  const { metadata, owner, collection, sale } = item
  return {
    address: item.address,
    index: item.index ?? null,
    name: textOf(metadata?.['name']),
    description: textOf(metadata?.['description']),
    owner: owner ? name(owner) : null,
    collection: collection ?? null,
    isOfCollection: item.verified,
    trust: item.trust,
    approvedBy: item.approved_by,
    domain: item.dns ?? null,
    sale: sale
      ? {
          contract: sale.address,
          market: sale.market ? name(sale.market) : null,
          seller: sale.owner ? name(sale.owner) : null,
          price: sale.price ? showPrice(sale.price) : null,
        }
      : null,
    picture: pictureOf(item),
    attributes: attributesOf(metadata?.['attributes']),
    codeHash: readHash(item.code_hash ?? ''),
    dataHash: readHash(item.data_hash ?? ''),
  }
}

/** Pixels of the preview: enough for the page, and a size that the gateway has already scaled. */
const previewSide = 500

/** Previews come from the gateway's own server; without a preview, the link in the metadata is used. */
function pictureOf({ previews, metadata }: Pick<NftItemResponse, 'previews' | 'metadata'>) {
  const sized = previews.flatMap((each) =>
    each === null ? [] : [{ url: each.url, side: Number.parseInt(each.resolution, 10) || 0 }],
  )
  const [best] = sized.toSorted(
    (a, b) => Math.abs(a.side - previewSide) - Math.abs(b.side - previewSide),
  )
  return best?.url ?? (textOf(metadata?.['image']) || null)
}

/** Anyone can name a jetton or a currency TON, so the kind of the currency decides. */
function showPrice({ currency_type: kind, value, decimals, token_name, jetton }: PriceResponse) {
  const isCoin = (kind ?? 'native') === 'native' && !jetton
  const symbol = isCoin
    ? 'TON'
    : jetton || kind === 'jetton'
      ? token_name
      : `${token_name} (${kind})`
  const asset = { symbol, jetton: isCoin ? null : (jetton ?? ''), decimals }
  return { units: value, asset }
}

const maxAttributes = 200

/** By convention, attributes are `[{ trait_type, value }]`; elements of another shape are omitted. */
function attributesOf(value: unknown): Nft['attributes'] {
  if (!Array.isArray(value)) return []
  return (value as unknown[]).slice(0, maxAttributes).flatMap((each) => {
    const { trait_type: name, value: text } = (each ?? {}) as Record<string, unknown>
    return textOf(name) === '' ? [] : [{ name: textOf(name), value: textOf(text) }]
  })
}

const maxText = 10_000

function textOf(value: unknown): string {
  const isText = ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
  return isText ? String(value).slice(0, maxText) : ''
}

/** A page that is not full is the last one. */
const readPage = <T>(rows: readonly Row<T>[], offset: number) => ({
  values: readableRows(rows),
  unread: unreadReasons(rows),
  next: rows.length < pageSize ? null : offset + rows.length,
})
