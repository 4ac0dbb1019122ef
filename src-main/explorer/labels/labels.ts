import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Handlers, routes } from '../../../src-preload/contract/routes.ts'
import type { Label, LabelImport } from '../../../src-preload/contract/label.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import { readAddressRange } from '../../ton/address-range.ts'
import type { ExplorerContext } from '../../chain/access.ts'
import type { Labels } from '../../chain/store/labels.ts'
import { requireAddress, readAddressInput } from '../../chain/addresses.ts'
import Papa from 'papaparse'
import { guardCell, unguardCell } from '../../exports/formula-safe.ts'
import { readTable } from '../../exports/read-table.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

type LabelHandlers = Pick<Handlers, Extract<keyof Handlers, `label.${string}`>>

const rowsAtOnce = 1_000

export function createLabelHandlers(context: ExplorerContext): LabelHandlers {
  const { access, events, labels, now } = context
  const onChanged = (network: string) => events.emit('label.changed', { network })
  return {
    'label.list'({ network, text, offset, limit }) {
      const query = text.trim()
      const search = { part: query, range: readAddressRange(query) }
      return labels.list(network, search, { offset, limit })
    },
    'label.set'({ network, address: text, name, note }) {
      const address = requireAddress(text, access.info(network).testOnly)
      if (name === '') {
        if (labels.remove(network, address)) onChanged(network)
        return null
      }
      const label = { network, address, name: tidy(name), note: tidy(note), changedAt: now() }
      labels.put([label])
      onChanged(network)
      return label
    },
    async 'label.import'({ network, csv }) {
      const { testOnly } = access.info(network)
      const outcome = await importLabels(csv, labels, { network, testOnly, now: now() })
      if (outcome.added + outcome.changed > 0) onChanged(network)
      return outcome
    },
    async 'label.export'({ network }) {
      const { testOnly } = access.info(network)
      const rows: Label[] = []
      for (let last: string | undefined = ''; last !== undefined;) {
        const page = labels.after(network, last, rowsAtOnce)
        for (const label of page) {
          const address = formatFriendly(label.address, { bounceable: true, testOnly })
          rows.push({ ...label, address })
        }
        last = page.at(-1)?.address
        await nextTurn()
      }
      return { csv: formatLabelCsv(rows) }
    },
  }
}

/** Normalizes line ends as `label.import` does, so that importing an exported label does not change it. */
const tidy = (text: string): string => text.replace(/\r\n?/g, '\n')

type ImportTarget = { readonly network: string; readonly testOnly: boolean; readonly now: number }

const maxRefusedTold = 1_000
/** After this many lines the import yields to the event loop, so that webhooks get their responses. */
const linesAtOnce = 500

async function importLabels(csv: string, labels: Labels, to: ImportTarget): Promise<LabelImport> {
  const outcome = { added: 0, changed: 0, unchanged: 0, refusedCount: 0 }
  const refused: LabelImport['refused'] = []
  const taken = new Map<string, { readonly line: number; readonly label: Label }>()

  function take(read: LabelLine): Label | null {
    const validated = validateLine(read, to)
    if (typeof validated === 'string') return refuse(read, validated)
    const earlier = taken.get(validated.address)
    if (earlier !== undefined && !isSame(earlier.label, validated)) {
      return refuse(
        read,
        `Line ${earlier.line} already gives this address a different name or note.`,
      )
    }
    taken.set(validated.address, { line: earlier?.line ?? read.line, label: validated })
    const before = earlier?.label ?? labels.get(to.network, validated.address)
    const what = before === null ? 'added' : isSame(before, validated) ? 'unchanged' : 'changed'
    outcome[what] += 1
    return what === 'unchanged' ? null : validated
  }
  function refuse({ line, text }: LabelLine, reason: string): null {
    outcome.refusedCount += 1
    if (refused.length < maxRefusedTold) refused.push({ line, text, reason })
    return null
  }

  const lines = readLabelCsv(csv)
  for (let start = 0; start < lines.length; start += linesAtOnce) {
    const slice = lines.slice(start, start + linesAtOnce)
    labels.put(slice.map(take).filter((label) => label !== null))
    await nextTurn()
  }
  return { ...outcome, refused }
}

function validateLine(
  { address, name, note, isUnclosed }: LabelLine,
  { network, testOnly, now }: ImportTarget,
): Label | string {
  if (isUnclosed) return 'The closing quotation mark is missing.'
  const given = readAddressInput(address, testOnly)
  if (given.address === null) return given.reason
  if (name === '') return 'The name is missing.'
  const parsed = routes['label.set'].input.safeParse({ network, address, name, note })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `The ${String(issue?.path[0])} is too long: ${issue?.message ?? ''}`
  }
  return { network, address: given.address, name, note, changedAt: now }
}

const isSame = (one: Label, other: Label): boolean =>
  one.name === other.name && one.note === other.note

type Column = 'address' | 'name' | 'note'
type LabelLine = Readonly<Record<Column, string>> & {
  readonly line: number
  readonly isUnclosed: boolean
  /** The line's text, at most 200 characters, so that the user can find the line. */
  readonly text: string
}

const columns = ['address', 'name', 'note'] as const
export const labelHeaders: Readonly<Record<string, Column>> = lookupTable({
  address: 'address',
  account: 'address',
  wallet: 'address',
  name: 'name',
  label: 'name',
  note: 'note',
  comment: 'note',
})
const longestShown = 200

export function readLabelCsv(csv: string): LabelLine[] {
  const { rows } = readTable(csv, (cells) => (cells.some(isAddressOrHeader) ? 1 : 0))
  const header = rows[0]?.cells.map(columnOf) ?? []
  const hasHeader = header.includes('address')
  const order = hasHeader ? header : columns
  return rows.slice(hasHeader ? 1 : 0).map(({ line, cells, isUnclosed }) => {
    const cell = (column: Column) => unguardCell(cells[order.indexOf(column)] ?? '').trim()
    return {
      line,
      isUnclosed,
      address: cell('address'),
      name: cell('name'),
      note: cell('note'),
      text: cells.join(', ').slice(0, longestShown),
    }
  })
}

/** The file starts with a header and a byte order mark, so that spreadsheets read it as UTF-8. */
export function formatLabelCsv(labels: readonly Readonly<Record<Column, string>>[]): string {
  const rows = labels.map((label) => columns.map((column) => guardCell(label[column])))
  return `\ufeff${Papa.unparse([[...columns], ...rows])}\r\n`
}

function isAddressOrHeader(cell: string): boolean {
  const text = cell.trim()
  return columnOf(text) === 'address' || readAddress(unguardCell(text)) !== null
}

const columnOf = (cell: string): Column | undefined => labelHeaders[cell.trim().toLowerCase()]
