/** A logical time is an unsigned 64-bit number, SQLite's integers are signed: the same bits. */
export function toColumn(lt: bigint): bigint
export function toColumn(lt: bigint | null): bigint | null
export function toColumn(lt: bigint | null): bigint | null {
  return lt === null ? null : BigInt.asIntN(64, lt)
}

export function fromColumn(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}
