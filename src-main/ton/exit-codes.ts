import { lookupTable } from '../../src-preload/domain/lookup-table.ts'
import catalogue from './catalogue.json' with { type: 'json' }

const computeResults = lookupTable(catalogue.computeResults)
const actionResults = lookupTable(catalogue.actionResults)

/** Describes an exit code of the compute phase; null for a code that the contract defines. */
export const describeExitCode = (code: number): string | null => computeResults[code] ?? null

/** Describes a result code of the action phase; null for 0 and for undocumented codes. */
export const describeActionResult = (code: number): string | null => actionResults[code] ?? null
