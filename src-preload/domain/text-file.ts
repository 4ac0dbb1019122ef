/** Decodes text files from the user. All readers use this module, so that they accept the same files. */
import { AppError } from './app-error.ts'

type TextEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

/**
 * Number of bytes by which encodings and binary files are recognized. A workbook names its first
 * part at byte 30.
 */
const sniffedBytes = 100

/**
 * Recognizes the encoding by the byte order mark; without one, a zero byte next to an ASCII
 * character means UTF-16.
 */
export function encodingOf([one = 1, two = 1]: Uint8Array): TextEncoding {
  if ((one === 0xff && two === 0xfe) || (two === 0 && isAscii(one))) return 'UTF-16LE'
  return (one === 0xfe && two === 0xff) || (one === 0 && isAscii(two)) ? 'UTF-16BE' : 'UTF-8'
}

const isAscii = (byte: number): boolean =>
  [0x09, 0x0a, 0x0d].includes(byte) || (byte >= 0x20 && byte < 0x7f)

const binaryFiles: readonly (readonly [signature: RegExp, name: string])[] = [
  [/^PK\x03\x04.*(?:\[Content_Types\]|_rels\/|docProps\/|xl\/)/s, 'an Excel workbook'],
  [/^PK\x03\x04.*opendocument\.spreadsheet/s, 'an OpenDocument spreadsheet'],
  [/^PK\x03\x04/, 'a ZIP archive'],
  [/^\xd0\xcf\x11\xe0/, 'an Excel workbook of the format before 2007'],
  [/^%PDF-/, 'a PDF document'],
  [/^\x1f\x8b/, 'a gzip archive'],
]

/** @param bytes the first bytes of the file @returns null for text */
export function describeBinaryFile(bytes: Uint8Array): string | null {
  const first = bytes.subarray(0, sniffedBytes)
  const text = String.fromCharCode(...first)
  const known = binaryFiles.find(([signature]) => signature.test(text))
  if (known !== undefined) return known[1]
  return encodingOf(first) === 'UTF-8' && first.includes(0) ? 'a binary file' : null
}

const saveAsText = 'Save the table as “CSV UTF-8”, and open the CSV file.'

/**
 * Decodes chunks, which may split a character. The functions throw AppError FILE_NO_TEXT for binary
 * files and other encodings, because a replaced character would change a name or a description.
 * @param advice what to do with a file that is not text
 * @param name the file's name for errors
 */
export function createPieceDecoder(advice = saveAsText, name?: string) {
  const file = name === undefined ? 'The file' : `“${name}”`
  let first: Uint8Array = new Uint8Array()
  let encoding: TextEncoding | null = null
  let decoder = new TextDecoder()

  function begin(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const all = new Uint8Array(first.length + bytes.length)
    all.set(first)
    all.set(bytes, first.length)
    first = all
    if (all.length < sniffedBytes && !isLast) return new Uint8Array()
    const binary = describeBinaryFile(all)
    if (binary !== null) throw new AppError('FILE_NO_TEXT', `${file} is ${binary}. ${advice}`)
    encoding = encodingOf(all)
    decoder = new TextDecoder(encoding, { fatal: true })
    first = new Uint8Array()
    return all
  }

  function decode(bytes: Uint8Array, isLast: boolean): string {
    const ready = encoding === null ? begin(bytes, isLast) : bytes
    try {
      return decoder.decode(ready, { stream: !isLast })
    } catch (cause) {
      const message = `${file} is not valid ${encoding ?? 'UTF-8'} text. ${advice}`
      throw new AppError('FILE_NO_TEXT', message, { cause })
    }
  }

  return {
    /** Returns null until the first bytes are decoded. */
    encoding: () => encoding,
    read: (bytes: Uint8Array) => decode(bytes, false),
    end: () => decode(new Uint8Array(), true),
  }
}

/** @throws AppError FILE_NO_TEXT */
export function decodeTextFile(
  pieces: readonly Uint8Array[],
  advice?: string,
  name?: string,
): string {
  const decoder = createPieceDecoder(advice, name)
  return pieces.map((piece) => decoder.read(piece)).join('') + decoder.end()
}
