/** What accounts own: its value, jettons, NFTs. */
import { z } from 'zod'
import { fiatCurrencies } from '../domain/fiat.ts'
import { accountRef, asset } from './chain.ts'
import { networkId, onNetwork } from './network.ts'
import { addressText, hash, moment, takes, units } from './route.ts'

const coinRate = z.object({
  network: networkId,
  /** The currency of the settings; USD if none is chosen there. */
  currency: z.enum(fiatCurrencies),
  /** Price of one whole coin, a decimal; null if the gateway has none. */
  rate: z.string().nullable(),
  /** When Tondesk loaded the rate, at most a minute ago. */
  at: moment,
})
export type CoinRate = z.infer<typeof coinRate>

const jettonPage = z.object({
  network: networkId,
  asset,
  account: accountRef,
  name: z.string(),
  description: z.string(),
  supply: units,
  isMintable: z.boolean(),
  /** Null: nobody can mint or change the metadata. */
  admin: accountRef.nullable(),
  /** The gateway's verdict: `whitelist`, `graylist`, `blacklist` or `none`. */
  verification: z.string(),
  holders: z.int().nullable(),
  interfaces: z.array(z.string()),
  codeHash: hash.nullable(),
  dataHash: hash.nullable(),
  /** As the jetton's maker wrote them: never opened by Tondesk. */
  links: z.array(z.string()),
  fetchedAt: moment,
})
export type JettonPage = z.infer<typeof jettonPage>

const jettonHolder = z.object({ wallet: z.string(), owner: accountRef.nullable(), balance: units })
export type JettonHolder = z.infer<typeof jettonHolder>

/** Rows of a list that is loaded by offset. */
const listPage = <S extends z.ZodType>(row: S) =>
  z.object({
    rows: z.array(row),
    unread: z.array(z.string()),
    /** Of the next page; null at the end. */
    next: z.int().nullable(),
  })
const ofAddress = { ...onNetwork, address: addressText }
const pageOfAddress = { ...ofAddress, offset: z.int().min(0).max(1_000_000).default(0) }

export const assetRoutes = {
  /** The rate of the native coin. */
  'asset.coinRate': takes(onNetwork).returns(coinRate),
  /** @throws NOT_FOUND when the gateway knows no jetton there */
  'asset.jetton': takes(ofAddress).returns(jettonPage),
  /** The largest first. */
  'asset.holders': takes(pageOfAddress).returns(listPage(jettonHolder)),
} as const
