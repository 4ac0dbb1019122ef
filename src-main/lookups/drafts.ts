import { randomUUID } from 'node:crypto'
import {
  type LookupDraft,
  type LineCounts,
  type LineStatus,
  type LookupLine,
  maxLookupAddresses,
  maxLookupNames,
} from '../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError, lookupCodes } from '../../src-preload/domain/app-error.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { createPieceDecoder } from '../../src-preload/domain/text-file.ts'
import type { AccountNamed, AppContext } from '../app/context.ts'
import { separatorLine } from '../exports/read-table.ts'
import { runInSteps } from '../jobs/job-run.ts'
import {
  type Candidate,
  createAddressColumn,
  isHeadingWord,
  type LineFields,
  splitLine,
  splitUnquoted,
} from './address-column.ts'
import {
  isAddressLike,
  isName,
  targetOf,
  type CheckedAddress,
  checkAddress,
} from '../ton/pasted-address.ts'

/** Parses a list of addresses piece by piece, without waiting and without lookups. */

type TextLine = {
  readonly text: string
  readonly number: number
  /** True for a word that is too long; only its beginning is stored. */
  readonly isEndless: boolean
}

/** Longer lines are split between words, because a whole list may be one line. */
const longestHeld = 65_536
const keptOfEndless = 1000

const lineEnd = /\r\n|\n|\r/
const wordEnd = /[\r\n,;\t ]/
const separators = [',', ';', '\t', ' ']

/** Splits pieces of text into lines that end with CRLF, LF or CR, in limited memory. */
function createLineReader() {
  let locked = ''
  let ended = 0
  let afterReturn = false
  /** True after the beginning of a word that is too long. */
  let skipping = false

  function* give(text: string, isWhole: boolean): Generator<TextLine, void> {
    const number = ended + 1
    let rest = text
    while (rest.length > longestHeld) {
      const cut = Math.max(...separators.map((one) => rest.lastIndexOf(one, longestHeld)))
      if (cut > 0) {
        yield { text: rest.slice(0, cut), number, isEndless: false }
        rest = rest.slice(cut + 1)
      } else {
        yield { text: rest.slice(0, keptOfEndless), number, isEndless: true }
        rest = skip(rest)
      }
    }
    locked = isWhole ? '' : rest
    if (!isWhole) return
    ended += 1
    skipping = false
    yield { text: rest, number, isEndless: false }
  }

  function skip(text: string): string {
    const end = text.search(wordEnd)
    skipping = end === -1
    return end === -1 ? '' : text.slice(end)
  }

  return {
    *read(piece: string): Generator<TextLine, void> {
      if (piece === '') return
      // The LF of a CRLF may be at the start of the next piece.
      let text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      afterReturn = text.endsWith('\r')
      if (skipping) text = skip(text)
      const lines = text.split(lineEnd)
      const last = lines.length - 1
      for (const [index, line] of lines.entries()) yield* give(locked + line, index < last)
    },
    *end(): Generator<TextLine, void> {
      if (locked !== '' || skipping) yield* give(locked, true)
    },
    count: () => (locked === '' && !skipping ? ended : ended + 1),
  }
}

const longestShown = 200
const linesPerTurn = 500
/** A quoted field may span lines, but an unclosed quote must not include the rest of the list. */
const maxQuotedLines = 20

/** @param max maximum number of entries */
export function createAddressList(
  testOnly: boolean,
  accountNamed: AccountNamed = () => undefined,
  max = maxLookupAddresses,
) {
  const isNamed = (text: string) => !isHeadingWord(text) && accountNamed(text) !== undefined
  const reader = createLineReader()
  const columns = createAddressColumn(isNamed)
  const seen = new Map<string, number>()
  const seenNames = new Map<string, number>()
  const entries: LookupLine[] = []
  const byStatus: Record<LineStatus, number[]> = {
    valid: [],
    duplicate: [],
    'wrong-network': [],
    invalid: [],
  }
  const problems: number[] = []
  let beyond = 0
  let separator: string | null = null
  let open: TextLine[] = []

  function judge(text: string, line: number): CheckedAddress {
    const { text: target, isTestnetLink } = targetOf(text)
    if (isName(target)) return judgeName(target.toLowerCase(), line)
    const owner = isAddressLike(target) || !isNamed(target) ? undefined : accountNamed(target)
    if (owner === null) {
      const reason = 'Several accounts have this name. Enter the address instead of the name.'
      return { status: 'invalid', address: null, reason }
    }
    const judged = checkAddress(owner ?? target, line, { testOnly, seen })
    if (!isTestnetLink || testOnly || judged.status !== 'valid') return judged
    const reason = 'The link is for a test network, but this network is not a test network.'
    return { status: 'wrong-network', address: judged.address, reason }
  }

  /** A name is resolved only during the lookup. */
  function judgeName(name: string, line: number): CheckedAddress {
    const earlier = seenNames.get(name)
    if (earlier !== undefined) {
      const where = earlier === line ? 'earlier on this line' : `on line ${earlier}`
      return { status: 'duplicate', address: null, reason: `This name is also ${where}.` }
    }
    if (seenNames.size === maxLookupNames) {
      const reason = `A list can contain at most ${maxLookupNames} names. Enter the address instead of the name.`
      return { status: 'invalid', address: null, reason }
    }
    seenNames.set(name, line)
    return { status: 'valid', address: null, reason: null }
  }

  function add({ text, reason, others = [] }: Candidate, line: number): void {
    if (entries.length === max) {
      beyond += 1
      return
    }
    const index = entries.length
    const invalid = { status: 'invalid', address: null, reason: reason ?? null } as const
    const judged = reason === undefined ? judge(text, line) : invalid
    const shown = text === judged.address ? judged.address : copy(text.slice(0, longestShown))
    entries.push({ index, line, text: shown, others: [...others], ...judged })
    byStatus[judged.status].push(index)
    if (judged.status !== 'valid') problems.push(index)
  }

  function addLine(text: string, number: number, split: LineFields): void {
    // Labels may contain spaces and commas.
    const whole = text.trim()
    if (!isAddressLike(whole) && isNamed(whole)) {
      add({ text: whole }, number)
      return
    }
    for (const candidate of columns.take({ text, number }, split)) add(candidate, number)
  }

  function addPlainly(lines: readonly TextLine[]): void {
    for (const { text, number } of lines) {
      if (text.trim() !== '') addLine(text, number, splitUnquoted(text, separator))
    }
  }

  function takeLine(line: TextLine): void {
    if (line.isEndless) {
      addPlainly(open.splice(0))
      const reason = 'The text is too long for an address and was cut.'
      add({ text: line.text, reason }, line.number)
      return
    }
    const [first = line] = open
    if (open.length === 0 && line.text.trim() === '') return
    if (line.number === 1 && separatorLine.test(line.text)) {
      separator = separatorLine.exec(line.text)?.[1] ?? null
      return
    }
    const text = [...open, line].map((each) => each.text).join('\n')
    const split = splitLine(text, separator)
    if (split !== null) {
      open = []
      addLine(text, first.number, split)
      return
    }
    open.push(line)
    if (open.length > maxQuotedLines) addPlainly(open.splice(0))
  }

  function* takeAll(lines: Iterable<TextLine>): Generator<void, void> {
    let turn = 0
    for (const line of lines) {
      takeLine(line)
      turn += 1
      if (turn % linesPerTurn === 0) yield
    }
  }

  return {
    /** Yields regularly, so that the caller can yield to the event loop. */
    take: (piece: string) => takeAll(reader.read(piece)),
    *end(): Generator<void, void> {
      yield* takeAll(reader.end())
      addPlainly(open.splice(0))
    },
    /** True once entries were dropped, so that more text is useless. */
    isFull: () => beyond > 0,
    counts: (): LineCounts => ({
      valid: byStatus.valid.length,
      duplicate: byStatus.duplicate.length,
      wrongNetwork: byStatus['wrong-network'].length,
      invalid: byStatus.invalid.length,
      lines: reader.count(),
      beyond,
    }),
    columns: () => [...columns.otherNames],
    remarks(): string[] {
      const named = 'During the lookup, each name takes one extra request to the gateway.'
      const full = `The list has the maximum of ${max.toLocaleString('en')} entries. All further entries were left out.`
      const own = [seenNames.size > 0 && named, beyond > 0 && full]
      return [...columns.remarks, ...own.filter((remark) => remark !== false)]
    },
    lines: (status: LineStatus | null, offset: number, limit: number): LookupLine[] =>
      status === null
        ? entries.slice(offset, offset + limit)
        : pick(entries, byStatus[status].slice(offset, offset + limit)),
    total: (status: LineStatus | null) => (status === null ? entries : byStatus[status]).length,
    problems: (limit: number) => pick(entries, problems.slice(0, limit)),
  }
}

const pick = (entries: readonly LookupLine[], indexes: readonly number[]): LookupLine[] =>
  indexes.flatMap((index) => entries[index] ?? [])

/** Copies a text, because a slice keeps its source, here pieces of a large file, in memory. */
const copy = (text: string): string => Buffer.from(text).toString()

/** Closed windows leave their drafts behind; beyond this number the oldest are dropped. */
const maxDrafts = 4
const problemsShown = 100

type Draft = ReturnType<typeof createDraft>

function createDraft(network: NetworkId, isTestOnly: boolean, accountNamed: AccountNamed) {
  return {
    id: randomUUID(),
    network,
    list: createAddressList(isTestOnly, accountNamed),
    decoder: createPieceDecoder(),
    /** Pieces are parsed in order, although each parse yields to the event loop. */
    inOrder: createMutex(),
    isEnded: false,
  }
}

/** @param isTestOnly throws AppError NETWORK_UNKNOWN */
export function createDrafts(
  isTestOnly: (network: NetworkId) => boolean,
  accountsNamed: AppContext['accountsNamed'],
) {
  const drafts = new LimitedMap<string, Draft>(maxDrafts)

  function find(id: string): Draft {
    const draft = drafts.get(id)
    if (draft !== undefined) return draft
    throw new AppError(
      lookupCodes.draftUnknown,
      'The list is no longer in memory. Paste or open the list again.',
    )
  }

  async function append(draft: Draft, text: string, isLast: boolean): Promise<Draft> {
    await draft.inOrder.run(() => runInSteps(parse(draft, text, isLast)))
    return draft
  }

  return {
    handlers: {
      async 'lookup.begin'({ network, replaces }) {
        const draft = createDraft(network, isTestOnly(network), await accountsNamed(network))
        if (replaces !== null) drafts.delete(replaces)
        drafts.set(draft.id, draft)
        return show(draft)
      },
      async 'lookup.append'({ draft: id, piece, isLast }) {
        const draft = find(id)
        const text =
          'text' in piece ? piece.text : draft.decoder.read(Buffer.from(piece.base64, 'base64'))
        return show(await append(draft, text, isLast))
      },
      'lookup.draftLines'({ draft: id, status, offset, limit }) {
        const { list } = find(id)
        return { total: list.total(status), lines: list.lines(status, offset, limit) }
      },
    } satisfies Partial<Handlers>,
    /**
     * Returns the complete list, which is kept until it is forgotten.
     * @throws AppError LOOKUP_DRAFT_UNKNOWN
     */
    take: async (id: string) => append(find(id), '', true),
    /** @throws AppError LOOKUP_DRAFT_UNKNOWN */
    forget: (id: string) => void drafts.delete(find(id).id),
  }
}

function* parse(draft: Draft, text: string, isLast: boolean): Generator<void, void> {
  const { list } = draft
  if (!draft.isEnded && !list.isFull()) yield* list.take(text)
  if (!isLast || draft.isEnded) return
  draft.isEnded = true
  if (!list.isFull()) yield* list.take(draft.decoder.end())
  yield* list.end()
}

function show({ id, network, list, decoder }: Draft): LookupDraft {
  const encoding = decoder.encoding()
  const isUtf8 = encoding === null || encoding === 'UTF-8'
  return {
    id,
    network,
    counts: list.counts(),
    problems: list.problems(problemsShown),
    isFull: list.isFull(),
    remarks: [...(isUtf8 ? [] : [`The file encoding is ${encoding}.`]), ...list.remarks()],
  }
}
