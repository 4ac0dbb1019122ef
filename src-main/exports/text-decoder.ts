type Encoding = 'UTF-8' | 'UTF-16 LE' | 'UTF-16 BE'

const labels = { 'UTF-8': 'utf-8', 'UTF-16 LE': 'utf-16le', 'UTF-16 BE': 'utf-16be' } as const

/** Chunks may split a character. UTF-16 needs a byte order mark; invalid input becomes U+FFFD. */
export function createPieceDecoder() {
  let first: Uint8Array = new Uint8Array()
  let encoding: Encoding | null = null
  let decoder = new TextDecoder()

  function begin(bytes: Uint8Array): Uint8Array {
    const all = Buffer.concat([first, bytes])
    first = all
    // UTF-16's byte order mark has two bytes; the decoder handles that of UTF-8.
    if (all.length < 2) return new Uint8Array()
    encoding = encodingOf(all)
    decoder = new TextDecoder(labels[encoding])
    return all
  }

  return {
    /** According to the byte order mark; null before the first bytes. */
    encoding: () => encoding,
    read(bytes: Uint8Array): string {
      const ready = encoding === null ? begin(bytes) : bytes
      return decoder.decode(ready, { stream: true })
    },
    end: () => decoder.decode(encoding === null ? first : new Uint8Array()),
  }
}

function encodingOf([one, two]: Uint8Array): Encoding {
  if (one === 0xff && two === 0xfe) return 'UTF-16 LE'
  return one === 0xfe && two === 0xff ? 'UTF-16 BE' : 'UTF-8'
}
