/** The assets of accounts: value, jettons, NFTs. */
import { z } from 'zod'
import { fiatCurrencies } from '../domain/fiat.ts'
import { accountRef, asset } from './chain/references.ts'
import { networkId, onNetwork } from './network.ts'
import { addressText, hash, moment, takes, units } from './route.ts'

const coinRate = z.object({
  network: networkId,
  /** The currency of the settings; USD if the settings choose none. */
  currency: z.enum(fiatCurrencies),
  /** The price of one whole coin as a decimal; null if the gateway has none. */
  rate: z.string().nullable(),
  /** The time when Tondesk loaded the rate, at most a minute ago. */
  at: moment,
})
export type CoinRate = z.infer<typeof coinRate>

const picture = z.object({
  /** The bytes as a `data:` URL, which the window's content policy allows. */
  dataUrl: z.string(),
  type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  bytes: z.int(),
  width: z.int(),
  height: z.int(),
})
export type Picture = z.infer<typeof picture>

/**
 * Link of the gateway's preview, else of the picture in the metadata; null for none. Only the main
 * process opens it.
 */
const pictureLink = z.string().nullable()

const jettonPage = z.object({
  network: networkId,
  asset,
  account: accountRef,
  name: z.string(),
  description: z.string(),
  supply: units,
  isMintable: z.boolean(),
  /** Null if no account can mint or change the metadata. */
  admin: accountRef.nullable(),
  /** The gateway's verdict: `whitelist`, `graylist`, `blacklist` or `none`. */
  verification: z.string(),
  holders: z.int().nullable(),
  interfaces: z.array(z.string()),
  codeHash: hash.nullable(),
  dataHash: hash.nullable(),
  picture: pictureLink,
  /** The links in the jetton's metadata; Tondesk never opens them. */
  links: z.array(z.string()),
  fetchedAt: moment,
})
export type JettonPage = z.infer<typeof jettonPage>

const jettonHolder = z.object({ wallet: z.string(), owner: accountRef.nullable(), balance: units })
export type JettonHolder = z.infer<typeof jettonHolder>

const nft = z.object({
  address: z.string(),
  index: z.string().nullable(),
  /** Empty if the gateway does not know the name. */
  name: z.string(),
  description: z.string(),
  owner: accountRef.nullable(),
  collection: z.object({ address: z.string(), name: z.string() }).nullable(),
  /** True if the collection confirms that the item belongs to it. */
  isOfCollection: z.boolean(),
  /** The gateway's verdict: `whitelist`, `graylist`, `blacklist` or `none`. */
  trust: z.string(),
  /** Marketplaces that approved the item, such as `getgems`. */
  approvedBy: z.array(z.string()),
  /** The domain name, such as `foundation.ton`, if the item is one. */
  domain: z.string().nullable(),
  sale: z
    .object({
      contract: z.string(),
      market: accountRef.nullable(),
      seller: accountRef.nullable(),
      /** Null if the gateway does not state it. */
      price: z.object({ units, asset }).nullable(),
    })
    .nullable(),
  picture: pictureLink,
  attributes: z.array(z.object({ name: z.string(), value: z.string() })),
  codeHash: hash.nullable(),
  dataHash: hash.nullable(),
})
export type Nft = z.infer<typeof nft>

const nftCollection = z.object({
  network: networkId,
  account: accountRef,
  name: z.string(),
  description: z.string(),
  owner: accountRef.nullable(),
  /** The number of items; null if the collection does not number them. */
  items: z.string().nullable(),
  picture: pictureLink,
  trust: z.string(),
  approvedBy: z.array(z.string()),
  fetchedAt: moment,
})

/** The rows of a list that is loaded by offset. */
const listPage = <S extends z.ZodType>(row: S) =>
  z.object({
    rows: z.array(row),
    unread: z.array(z.string()),
    /** The cursor of the next page; null at the end. */
    next: z.int().nullable(),
  })
const ofAddress = { ...onNetwork, address: addressText }
const pageOfAddress = { ...ofAddress, offset: z.int().min(0).max(1_000_000).default(0) }

export const assetRoutes = {
  /** The rate of the native coin. */
  'asset.coinRate': takes(onNetwork).returns(coinRate),
  /** @throws NOT_FOUND when the gateway knows no jetton there */
  'asset.jetton': takes(ofAddress).returns(jettonPage),
  /** NFTs that the account owns, without those that it has on sale at a marketplace's contract. */
  'asset.nfts': takes(pageOfAddress).returns(listPage(nft)),
  /** @throws NOT_FOUND when the gateway knows no NFT there */
  'asset.nft': takes(ofAddress).returns({ network: networkId, nft, fetchedAt: moment }),
  'asset.collection': takes(ofAddress).returns(nftCollection),
  'asset.collectionItems': takes(pageOfAddress).returns(listPage(nft)),
  /**
   * Loads the picture of an asset whose page was loaded before.
   * @throws PICTURE_REFUSED
   */
  'asset.picture': takes({ ...ofAddress, kind: z.enum(['jetton', 'nft', 'collection']) }).returns(
    picture,
  ),
  /** Lists the holders, the largest first. */
  'asset.holders': takes(pageOfAddress).returns(listPage(jettonHolder)),
} as const
