import type { Codec } from '../../database/sql.ts'

/** A logical time is an unsigned 64-bit number, SQLite's integers are signed: the same bits. */
export const unsigned64: Codec<bigint> = {
  decode: (stored) => BigInt.asUintN(64, stored as bigint),
  encode: (lt) => BigInt.asIntN(64, lt),
  isInt64: true,
}

/** The same as decimal text. */
export const unsigned64Text: Codec<string> = {
  decode: (stored) => BigInt.asUintN(64, stored as bigint).toString(),
  encode: (lt) => BigInt.asIntN(64, BigInt(lt)),
  isInt64: true,
}
