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

export type OnRecord = (record: FoundRecord) => void
