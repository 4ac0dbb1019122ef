/** Takes a file apart into records while it comes, piece by piece: never more than one is in memory. */
export type Splitter = {
  push(bytes: Buffer): void
  /** @returns what is wrong with the file's end; null when all is well */
  end(): string | null
}

export type FoundRecord = {
  /** As a remark begins: "Line 3". */
  readonly where: string
  /** Why it is none, as a remark goes on; null when its bytes are there. */
  readonly problem: string | null
  readonly bytes: Buffer | null
}

/** Of one record. A browser's entry with thousands of headers has a tenth of it. */
export const maxValues = 200_000

/**
 * True when a record of JSON has more values than this. Each takes many times its bytes in memory, so
 * it is asked before the record is read.
 */
export function hasMoreValues(json: Uint8Array, max: number): boolean {
  let values = 1
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (isInString) {
      if (byte === 0x5c) at += 1
      else if (byte === 0x22) isInString = false
    } else if (byte === 0x22) isInString = true
    else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) {
      values += 1
      if (values > max) return true
    }
  }
  return false
}

export type OnRecord = (record: FoundRecord) => void
