/** Splits a file into records as it arrives, so that only one record is in memory. */
export type Splitter = {
  push(bytes: Buffer): void
  /** @returns the problem at the end of the file, or null */
  end(): string | null
}

export type FoundRecord = {
  /** The beginning of a remark: "Line 3". */
  readonly where: string
  /** The rest of a remark; null if `bytes` is set. */
  readonly problem: string | null
  readonly bytes: Buffer | null
}

type OnRecord = (record: FoundRecord) => void

const lineFeed = 0x0a

/** Collects the pieces of each record. */
function createCollector(onRecord: OnRecord, largest: number, tooLarge: string) {
  let parts: Buffer[] = []
  let size = 0
  let problem: string | null = null

  function refuse(why: string): void {
    problem ??= why
    parts = []
  }

  return {
    refuse,
    isEmpty: () => size === 0,
    /** The bytes are copied, because the chunk's buffer is reused. */
    add(part: Buffer): void {
      size += part.length
      if (size > largest) refuse(tooLarge)
      else if (problem === null) parts.push(Buffer.from(part))
    },
    finish(where: string): void {
      onRecord({ where, problem, bytes: problem === null ? Buffer.concat(parts) : null })
      parts = []
      size = 0
      problem = null
    },
  }
}

export function createLineSplitter(onRecord: OnRecord, largest: number): Splitter {
  const onLine: OnRecord = (line) => {
    if (line.bytes === null || !isBlank(line.bytes)) onRecord(line)
  }
  const collector = createCollector(onLine, largest, 'it is too long')
  let line = 0

  function finish(): void {
    line += 1
    collector.finish(`Line ${line}`)
  }

  return {
    push(bytes) {
      let from = 0
      for (;;) {
        const at = bytes.indexOf(lineFeed, from)
        collector.add(bytes.subarray(from, at === -1 ? bytes.length : at))
        if (at === -1) return
        finish()
        from = at + 1
      }
    },
    end() {
      if (!collector.isEmpty()) finish()
      return null
    },
  }
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Maximum nesting of an entry; browsers and Tondesk write fewer than ten levels. */
const deepest = 200
/** Longer member names are not compared, because the relevant names are short. */
const longestName = 20

/** Names of the members that lead to the entries; null stands for an array. */
type EntriesPath = readonly (string | null)[]
export const harEntries: EntriesPath = ['log', 'entries', null]

/**
 * Scans bytes, because the syntax of JSON is ASCII. No function recurses, so nesting cannot
 * overflow the stack.
 */
export function createHarSplitter(
  onRecord: OnRecord,
  largest: number,
  entries = harEntries,
): Splitter {
  const level = entries.length
  let depth = 0
  let isInString = false
  let isEscaped = false
  const path: (string | null)[] = []
  let name = ''
  let isName = false
  let isNameNext = false

  const collector = createCollector(onRecord, largest, 'it is too large')
  let entry = 0
  let isInEntry = false

  const isInEntries = () => depth === level && entries.every((step, at) => path[at] === step)

  function finish(part: Buffer): void {
    collector.add(part)
    collector.finish(`Entry ${entry}`)
    isInEntry = false
  }

  function open(byte: number): void {
    depth += 1
    if (isInEntry && depth - level > deepest) collector.refuse('it is nested too deeply')
    if (depth > level) return
    path[depth - 1] = byte === openBracket ? null : ''
    isNameNext = byte === openBrace
  }

  function push(bytes: Buffer): void {
    let from = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) {
          isInString = false
          if (isName) path[depth - 1] = name
          isName = false
        } else if (isName && name.length <= longestName) name += String.fromCharCode(byte)
        continue
      }
      if (byte <= 0x20) continue
      if (!isInEntry && isInEntries() && byte !== comma && byte !== closeBracket) {
        isInEntry = true
        entry += 1
        from = at
      }
      switch (byte) {
        case quote:
          isInString = true
          isName = isNameNext && depth < level
          if (isName) name = ''
          isNameNext = false
          break
        case openBrace:
        case openBracket:
          open(byte)
          break
        case closeBrace:
        case closeBracket:
          if (isInEntry && depth === level) finish(bytes.subarray(from, at))
          depth = Math.max(0, depth - 1)
          isNameNext = false
          break
        case comma:
          if (isInEntry && depth === level) finish(bytes.subarray(from, at))
          isNameNext = depth < level && path[depth - 1] !== null
          break
        case colon:
          break
      }
    }
    if (isInEntry) collector.add(bytes.subarray(from))
  }

  return {
    push,
    end() {
      if (isInEntry) return `The file ends within entry ${entry}, which was omitted.`
      return depth > 0 ? 'The file is truncated after its last entry.' : null
    },
  }
}
