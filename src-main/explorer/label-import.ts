import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Label, LabelImport } from '../../src-preload/contract/label.ts'
import { routes } from '../../src-preload/contract/routes.ts'
import type { Labels } from './store/labels.ts'
import { readAddressInput } from './address-input.ts'
import { type LabelLine, readLabelCsv } from './label-csv.ts'

type LabelImportDeps = {
  readonly labels: Pick<Labels, 'get' | 'put'>
  readonly network: string
  /** Whether the network's friendly addresses carry the test-only flag. */
  readonly testOnly: boolean
  readonly now: number
}

const maxRefusedTold = 1_000
/** Lines between turns of the event loop, on which webhooks are answered. */
const linesAtOnce = 500

/** Takes what it can; each line that it cannot take is told with its reason. */
export async function importLabels(csv: string, deps: LabelImportDeps): Promise<LabelImport> {
  const { network, labels } = deps
  const outcome = { added: 0, changed: 0, unchanged: 0, refusedCount: 0 }
  const refused: LabelImport['refused'] = []
  const taken = new Map<string, { readonly line: number; readonly label: Label }>()

  function take(read: LabelLine): Label | null {
    const judged = judge(read, deps)
    if (typeof judged === 'string') return refuse(read, judged)
    const earlier = taken.get(judged.address)
    if (earlier !== undefined && !isSame(earlier.label, judged)) {
      return refuse(read, `Line ${earlier.line} has another name or note for this address.`)
    }
    taken.set(judged.address, { line: earlier?.line ?? read.line, label: judged })
    const before = earlier?.label ?? labels.get(network, judged.address)
    const what = before === null ? 'added' : isSame(before, judged) ? 'unchanged' : 'changed'
    outcome[what] += 1
    return what === 'unchanged' ? null : judged
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

function judge(
  { address, name, note }: LabelLine,
  { network, testOnly, now }: LabelImportDeps,
): Label | string {
  const given = readAddressInput(address, testOnly)
  if (given.address === null) return given.reason
  if (name === '') return 'It has no name.'
  const parsed = routes['label.set'].input.safeParse({ network, address, name, note })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `The ${String(issue?.path[0])} is too long: ${issue?.message ?? ''}`
  }
  return { network, address: given.address, name, note, changedAt: now }
}

function isSame(one: Label, other: Label): boolean {
  return one.name === other.name && one.note === other.note
}
