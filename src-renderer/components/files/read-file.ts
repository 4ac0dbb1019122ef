import { AppError } from '../../../src-preload/domain/app-error.ts'
import { decodeTextFile } from '../../../src-preload/domain/text-file.ts'
import type { FileContent, InputFile } from '../../app/input-file.ts'

/** Reads these bytes of a file as base64. @throws if the file was moved, changed or deleted */
export type ReadPiece = (blob: FileContent, from: number, to: number) => Promise<string>

/** The number of bytes per request. */
const pieceBytes = 500_000

/**
 * Yields a file piece by piece, each with its end position; an empty file has one empty piece.
 * @throws AppError FILE_UNREADABLE
 */
export async function* readPieces({ name, blob }: InputFile, readPiece: ReadPiece) {
  let at = 0
  do {
    const to = Math.min(blob.size, at + pieceBytes)
    let base64
    try {
      base64 = await readPiece(blob, at, to)
    } catch (cause) {
      const message = `“${name}” can no longer be read: it was moved, changed or deleted. Open the file again.`
      throw new AppError('FILE_UNREADABLE', message, { cause })
    }
    yield { base64, to }
    at = to
  } while (at < blob.size)
}

/**
 * The browser encodes the bytes outside the script, because a loop over half a megabyte would block
 * the window.
 */
export async function readBase64(content: FileContent, from: number, to: number): Promise<string> {
  const piece = content.slice(from, to)
  const blob = piece instanceof Blob ? piece : new Blob([await piece.arrayBuffer()])
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = reader.result as string
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(blob)
  })
}

/** Reads a file as text; null if it has more than `max` characters. @throws AppError FILE_NO_TEXT */
export async function readText(
  { name, blob }: InputFile,
  max: number,
  advice?: string,
): Promise<string | null> {
  // No supported encoding needs more than four bytes for a character.
  if (blob.size > max * 4) return null
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const text = decodeTextFile([bytes], advice, name)
  return text.length > max ? null : text
}
