import type { OnRecord, Splitter } from './splitter.ts'

const lineFeed = 0x0a

/** One record a line; empty lines are none. */
export function createLineSplitter(onRecord: OnRecord, largest: number): Splitter {
  let parts: Buffer[] = []
  let size = 0
  let line = 0
  let isTooLarge = false

  function add(part: Buffer): void {
    size += part.length
    if (size > largest) {
      isTooLarge = true
      parts = []
    } else parts.push(part)
  }

  function flush(): void {
    line += 1
    const bytes = Buffer.concat(parts)
    const wasTooLarge = isTooLarge
    parts = []
    size = 0
    isTooLarge = false
    const where = `Line ${line}`
    if (wasTooLarge) onRecord({ where, problem: 'it is too long', bytes: null })
    else if (!isBlank(bytes)) onRecord({ where, problem: null, bytes })
  }

  return {
    push(bytes) {
      let from = 0
      for (;;) {
        const at = bytes.indexOf(lineFeed, from)
        // Copied: the piece it is a part of goes back to where it came from.
        add(Buffer.from(bytes.subarray(from, at === -1 ? bytes.length : at)))
        if (at === -1) return
        flush()
        from = at + 1
      }
    },
    end() {
      if (size > 0) flush()
      return null
    },
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
