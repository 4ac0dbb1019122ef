import type { Database } from '../../database/database.ts'
import { createLruCache } from './lru-cache.ts'
import { type KeySet, intersect, keySetOf, keysOf, renew, without } from './key-set.ts'
import type { ListFilter, SoughtWord } from './list-asked.ts'
import {
  type Condition,
  asksForConfirmed,
  readFacts,
  readPayer,
  readText,
  shownAs,
} from './list-conditions.ts'
import { type ReadKeys, parseKeys } from './list-keys.ts'

/** Which rows a filter finds. Each part of it is read once, and renewed by the rows that change. */
type ListSets = {
  /** Null for all of the network. */
  find(network: string, filter: ListFilter): KeySet | null
  /** @param condition of the index `invoices_by_creation` */
  of(network: string, condition: Condition): KeySet
  /** These rows may be others now; null: any may. */
  changed(keys: readonly number[] | null): void
}

/** Where a set comes from; the same words say the same set. */
type Source = {
  readonly index: string
  readonly network: string
  readonly condition: Condition
}

/** To look at so many takes no longer than to look through a million in an index. */
export const defaultFewRows = 5_000
/** Each takes 125 KB for a million invoices. */
const keptSets = 32

/** @param fewRows so few are looked at one by one */
export function createListSets(
  database: Database,
  readKeys: ReadKeys,
  fewRows = defaultFewRows,
): ListSets {
  const sets = createLruCache<{ readonly source: Source; readonly set: KeySet }>(keptSets)
  const unconfirmed = database.prepare(
    `SELECT key FROM invoices INDEXED BY invoices_unconfirmed
     WHERE network = ? AND (confirmed_at IS NULL OR reported_status IS NOT NULL)
       AND confirmed_at IS NULL`,
  )
  const named = database.prepare(
    `SELECT address FROM labels
     WHERE network = $network AND instr(substr(folded, 1, instr(folded, char(10))), $text) > 0
     UNION SELECT address FROM account_names
     WHERE network = $network AND instr(folded, $text) > 0`,
  )

  function setOf(source: Source): KeySet {
    const name = nameOf(source)
    const kept = sets.get(name)
    if (kept !== undefined) return kept.set
    const { index, network, condition } = source
    const sql = `SELECT key FROM invoices INDEXED BY ${index} WHERE network = ? AND ${condition.where}`
    const set = keySetOf(readKeys(sql, [network, ...condition.values]))
    sets.set(name, { source, set })
    return set
  }

  /** Of these rows, those that are in the set now. */
  function stillIn({ network, condition }: Source, keys: readonly number[]): number[] {
    const sql = `SELECT key FROM invoices NOT INDEXED
      WHERE key IN (SELECT value FROM json_each(?)) AND network = ? AND ${condition.where}`
    return [...readKeys(sql, [JSON.stringify(keys), network, ...condition.values])]
  }

  const textOf = (network: string, word: SoughtWord): Source => ({
    index: 'invoices_by_text',
    network,
    condition: readText(word),
  })

  /** Reads what is not kept of these words in one go: the texts themselves are the most of it. */
  function readTexts(network: string, words: readonly SoughtWord[]): void {
    const sources = words.map((word) => textOf(network, word))
    const missing = sources.filter((source) => !sets.has(nameOf(source)))
    if (missing.length < 2) return
    const columns = missing.map(
      ({ condition }, at) => `group_concat(key) FILTER (WHERE ${condition.where}) AS keys${at}`,
    )
    const row = database
      .prepare(
        `SELECT ${columns.join(', ')} FROM invoices INDEXED BY invoices_by_text WHERE network = ?`,
      )
      .get(...missing.flatMap(({ condition }) => condition.values), network)
    for (const [at, source] of missing.entries()) {
      sets.set(nameOf(source), { source, set: keySetOf(parseKeys(row?.[`keys${at}`])) })
    }
  }

  /** Asked each time: names are given and taken away while the rows stay the same. */
  function payerOf(network: string, word: SoughtWord): Condition | null {
    const names = named.all({
      $network: network,
      $text: word.text.normalize('NFC').toLowerCase(),
    })
    return readPayer(
      word,
      names.map((row) => row['address'] as string),
    )
  }

  function ofWord(network: string, word: SoughtWord): KeySet {
    const shown = shownAs(word).map((source) => ({ ...source, network }))
    const text = withOthers(setOf(textOf(network, word)), shown)
    const condition = payerOf(network, word)
    if (condition === null) return text
    return withOthers(text, [{ index: 'invoices_by_payer', network, condition }])
  }

  const withOthers = (set: KeySet, sources: readonly Source[]) =>
    sources.reduce((all, source) => renew(all, [], keysOf(setOf(source))), set)

  /** Of few rows, those that have all of the words: looked at one by one. */
  function amongFew(set: KeySet, network: string, words: readonly SoughtWord[]): KeySet {
    const conditions = words.map((word): Condition => {
      const shown = shownAs(word).map(({ condition }) => condition)
      const either = [readText(word), payerOf(network, word), ...shown].filter(
        (each) => each !== null,
      )
      return {
        where: `(${either.map(({ where }) => `(${where})`).join(' OR ')})`,
        values: either.flatMap(({ values }) => values),
      }
    })
    const sql = `SELECT key FROM invoices NOT INDEXED
      WHERE key IN (SELECT value FROM json_each(?)) ${conditions.map(({ where }) => `AND ${where}`).join(' ')}`
    const values = conditions.flatMap((each) => each.values)
    return keySetOf(readKeys(sql, [JSON.stringify(keysOf(set)), ...values]))
  }

  function withWords(found: KeySet | null, network: string, words: readonly SoughtWord[]) {
    // What says most is looked for first.
    const longest = words.toSorted((a, b) => b.text.length - a.text.length)
    let set = found
    for (const [at, word] of longest.entries()) {
      if (set !== null && set.count <= fewRows) return amongFew(set, network, longest.slice(at))
      if (at === 0) readTexts(network, longest.slice(0, 2))
      const ofThis = ofWord(network, word)
      set = set === null ? ofThis : intersect([set, ofThis])
    }
    return set
  }

  return {
    find(network, filter) {
      const condition = readFacts(filter)
      const facts =
        condition === null ? null : setOf({ index: 'invoices_by_creation', network, condition })
      const set = withWords(facts, network, filter.words)
      if (set === null || !asksForConfirmed(filter)) return set
      return without(
        set,
        unconfirmed.all(network).map((row) => Number(row['key'])),
      )
    },
    of: (network, condition) => setOf({ index: 'invoices_by_creation', network, condition }),
    changed(keys) {
      if (keys === null) sets.clear()
      else if (keys.length > 0) {
        for (const [name, { source, set }] of sets.entries()) {
          sets.set(name, { source, set: renew(set, keys, stillIn(source, keys)) })
        }
      }
    },
  }
}

function nameOf(source: Source): string {
  return JSON.stringify(source, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}
