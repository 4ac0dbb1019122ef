import { z } from 'zod'
import { currencyName } from '../../domain/amount.ts'

export const units = z.string().regex(/^-?\d+$/)
export const hex = z.string().regex(/^(0x)?[0-9a-fA-F]*$/)

export const accountRef = z.object({
  address: z.string(),
  name: z.string().nullable(),
  label: z.string().nullable(),
  isScam: z.boolean(),
  isWallet: z.boolean(),
})
export type AccountRef = z.infer<typeof accountRef>

export const asset = z.object({
  jetton: z.string().nullable(),
  /** Id of an extra currency; absent for the native coin and jettons. */
  extraCurrency: z.int().optional(),
  symbol: z.string(),
  decimals: z.int().nonnegative(),
  /** A jetton's display multiplier: the displayed amount is units × scale. */
  scale: z.object({ numerator: units, denominator: units }).optional(),
})
export type Asset = z.infer<typeof asset>

/** The displayed name of an asset. A jetton can name itself TON too. */
export const assetName = ({ jetton, extraCurrency, symbol }: Asset): string =>
  jetton === null && extraCurrency === undefined ? currencyName(symbol) : symbol
