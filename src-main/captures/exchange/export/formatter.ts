import type { Exported } from '../exported.ts'

/** What becomes of captures in a file of one format. Text throughout. */
export type Printer = {
  begin(): string
  /** @param index from 0 */
  one(capture: Exported, index: number): string
  end(count: number): string
}

export type Printing = {
  readonly appVersion: string
  /** Microseconds since the epoch. */
  readonly at: number
  readonly isRevealed: boolean
  readonly hasPseudonyms: boolean
  /** In words: "3 captures", "event:invoice". */
  readonly subject: string
}
