export type ListText = {
  readonly text: string
  readonly range: AccountRange | null
  /** Beginning and end of a hash in hexadecimal digits; null when the text is not a hash. */
  readonly hash: readonly [begin: string, end: string] | null
  /** All amounts that the text can mean, in minimal units of each currency. */
  readonly amounts: Readonly<Record<'TON' | 'USDT', readonly bigint[]>>
}

/** Addresses between two raw addresses, both included, that end with `ending`. */
export type AccountRange = {
  readonly from: string
  readonly to: string
  readonly ending: string
}

export function accountSql(column: string): string {
  const named = (table: string) =>
    `${column} IN (SELECT address FROM ${table} WHERE network = $network AND instr(folded, $text))`
  return `(instr(${column}, $text) OR ${named('labels')} OR ${named('account_names')}
    OR (${column} BETWEEN $accountFrom AND $accountTo AND ${column} LIKE '%' || $accountEnding))`
}

export function accountValues({ text, range }: Pick<ListText, 'text' | 'range'>) {
  const { from = null, to = null, ending = null } = range ?? {}
  return { $text: text, $accountFrom: from, $accountTo: to, $accountEnding: ending }
}

export const hashSql = (column: string): string =>
  `(instr(${column}, $text) OR ${column} LIKE $hash)`

export function amountSql(table: string, column: string): string {
  const sought = `CASE ${table}.currency WHEN 'TON' THEN $ton ELSE $usdt END`
  return `(${table}.${column} IN (SELECT value FROM json_each(${sought})))`
}

/** Values for the parameters of the three conditions above. */
export function listTextValues(text: Omit<ListText, 'amounts'> & Partial<ListText>) {
  const { hash, amounts } = text
  return {
    ...accountValues(text),
    $hash: hash === null ? null : hash.join('%'),
    $ton: toJson(amounts?.TON),
    $usdt: toJson(amounts?.USDT),
  }
}

const toJson = (units: readonly bigint[] = []): string => `[${units.join(',')}]`
