/** What the text of a list's search field may stand for, as the lists' statements look for it. */
export type ListText = {
  readonly text: string
  readonly range: AccountRange | null
  /** How a hash begins and ends, in hexadecimal digits; null where the text is none. */
  readonly hash: readonly [begin: string, end: string] | null
  /** Minimal units of each currency; null where the text is no amount of it. */
  readonly amounts: Readonly<Record<'TON' | 'USDT', bigint | null>>
}

/** Accounts between two raw addresses, both included, whose address ends so. */
export type AccountRange = {
  readonly from: string
  readonly to: string
  /** Hexadecimal digits; empty where the end is open. */
  readonly ending: string
}

/** That a column with raw addresses holds an account of this text: by its address or a name of it. */
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

/** That a column holds a hash with this text in it, or one that is shortened so; uses `$text`. */
export function hashSql(column: string): string {
  return `(instr(${column}, $text) OR ${column} LIKE $hash)`
}

export function hashValues({ hash }: Pick<ListText, 'hash'>) {
  return { $hash: hash === null ? null : hash.join('%') }
}

export function amountSql(table: string, column: string): string {
  return `(CASE ${table}.currency WHEN 'TON' THEN $ton ELSE $usdt END = ${table}.${column})`
}

export function amountValues({ amounts }: Pick<ListText, 'amounts'>) {
  return { $ton: amounts.TON, $usdt: amounts.USDT }
}
