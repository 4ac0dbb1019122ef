import { lookupTable } from '../../src-preload/domain/lookup-table.ts'
import catalogue from './catalogue.json' with { type: 'json' }

const computeResults = lookupTable(catalogue.computeResults)
const actionResults = lookupTable(catalogue.actionResults)

/** Describes an exit code of the compute phase; null for a code that the contract defines. */
export function describeExitCode(code: number): string | null {
  return computeResults[code] ?? null
}

/** Describes a result code of the action phase; null for 0 and for undocumented codes. */
export function describeActionResult(code: number): string | null {
  return actionResults[code] ?? null
}
